import CKernels

/// The kernels' level on this machine, found once.
enum Kernels {
  static let level = hermes_best_level()
}

/// The four bytes that a client's payload is XORed with, in the order of memory; all zero leaves it as it is.
struct Mask {
  var key: UInt32

  static let none = Mask(key: 0)

  /// Masks or unmasks in place; `offset` is that of the first byte in its frame.
  func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
    guard key != 0, let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    unsafe hermes_mask(start, bytes.count, key, offset, Kernels.level)
  }
}
