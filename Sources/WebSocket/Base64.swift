import CKernels

/// Base64 with the standard alphabet and padding (RFC 4648 §4), as media frames carry it.
public enum Base64 {
  /// Characters that so many bytes become.
  public static func textByteCount(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// Writes the base64 of `bytes` to the beginning of `text`, which has room for it; answers how much it is.
  public static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) -> Int {
    unsafe encode(bytes, into: text, mask: .none, offset: 0)
  }

  static func encode(
    _ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer, mask: Mask, offset: Int
  ) -> Int {
    precondition(text.count >= textByteCount(bytes.count), "no room for base64")
    guard let source = unsafe bytes.bindMemory(to: UInt8.self).baseAddress,
      let target = unsafe text.bindMemory(to: UInt8.self).baseAddress
    else { return 0 }
    return unsafe hermes_base64_encode(target, source, bytes.count, mask.key, offset, Kernels.level)
  }

  /// Decodes whole groups of four without padding, up to the first that is none; answers how many characters these were.
  /// `bytes` has room for three quarters of the text.
  public static func decodeGroups(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    precondition(bytes.count >= text.count / 4 * 3, "no room for what base64 holds")
    guard let source = unsafe text.bindMemory(to: UInt8.self).baseAddress,
      let target = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
    else { return 0 }
    return unsafe hermes_base64_decode(target, source, text.count, Kernels.level)
  }
}
