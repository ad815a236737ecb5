/// Other content of the same length: every byte differs from the file's.
enum AlteredContent {
  static func alter(_ bytes: inout MutableRawSpan) {
    for index in bytes.byteOffsets {
      let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
      bytes.storeBytes(of: byte ^ 0xA5, toByteOffset: index, as: UInt8.self)
    }
  }
}
