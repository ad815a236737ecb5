internal import Glibc

/// Lines of a file or a stream, one after another, with a slice of it in memory.
public struct LineReader: ~Copyable {
  /// A line may not be longer than this.
  public static let maxLineByteCount = 1 << 20
  private static let sliceByteCount = 64 << 10

  private enum Source: ~Copyable {
    case standardInput
    case file(Descriptor)

    var rawValue: Int32 {
      switch self {
      case .standardInput: 0
      case .file(let descriptor): descriptor.rawValue
      }
    }
  }

  private let source: Source
  private var held: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// Reads what the process was given as standard input, which stays open.
  public static func standardInput() -> LineReader { LineReader(source: .standardInput) }

  /// Reads a file, and closes it at last.
  public init(_ descriptor: consuming Descriptor) { source = .file(descriptor) }

  private init(source: consuming Source) { self.source = source }

  /// The bytes of the next line without its end (LF or CR LF), or nil after the last; `.fileTooLarge` for a line of more
  /// than 1 MiB.
  public mutating func next() throws(Errno) -> [UInt8]? {
    var searched = position
    while true {
      if let end = held[searched...].firstIndex(of: UInt8(ascii: "\n")) { return line(to: end, next: end + 1) }
      searched = held.count
      if isAtEnd { return position < held.count ? line(to: held.count, next: held.count) : nil }
      guard held.count - position <= Self.maxLineByteCount else { throw .fileTooLarge }
      searched -= position
      try fill()
    }
  }

  private mutating func line(to end: Int, next: Int) -> [UInt8] {
    let line = held[position..<end]
    position = next
    return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
  }

  /// Forgets the lines that were given and reads on.
  private mutating func fill() throws(Errno) {
    held.removeSubrange(..<position)
    position = 0
    var slice = [UInt8](repeating: 0, count: Self.sliceByteCount)
    let descriptor = source.rawValue
    let count = try unsafe slice.withUnsafeMutableBufferPointer { (room) throws(Errno) -> Int in
      try unsafe Self.read(descriptor, into: UnsafeMutableRawBufferPointer(room))
    }
    isAtEnd = count == 0
    held += slice[..<count]
  }

  private static func read(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      do throws(Errno) {
        return try unsafe Syscalls.read(descriptor, into: room)
      } catch .wouldBlock {
        try StandardStreams.waitUntilReady(descriptor, for: Int16(POLLIN))
      }
    }
  }
}
