/// A fixed piece of memory that is handed from the network's thread to the store's.
///
/// `@unchecked Sendable`: exactly one thread uses it at a time, and it is handed over by the queue between them.
@safe final class Buffer: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var byteCount = 0

  init(capacity: Int) {
    unsafe memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(capacity, 1), alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  var room: Int { unsafe memory.count - byteCount }
  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory[..<byteCount]) }

  /// Takes as many bytes as there is room for and says how many.
  func append(_ source: UnsafeRawBufferPointer) -> Int {
    let count = min(source.count, room)
    guard count > 0 else { return 0 }
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[byteCount..<byteCount + count])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
    byteCount += count
    return count
  }

  func removeAll() { byteCount = 0 }
}
