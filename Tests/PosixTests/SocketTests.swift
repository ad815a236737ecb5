import Glibc
import TestKit
import Testing

@testable import Posix

@Suite struct SocketTests {
  /// Two sockets that are connected with each other, closed at the end.
  private final class Pair {
    let ends: [Int32]
    init() {
      var ends: [Int32] = [0, 0]
      precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      self.ends = ends
    }
    deinit { for end in ends { close(end) } }
    var one: StreamSocket { StreamSocket(borrowing: ends[0]) }
    var other: StreamSocket { StreamSocket(borrowing: ends[1]) }
  }

  private static func receive(_ socket: StreamSocket) throws -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 100)
    let count = try room.withUnsafeMutableBytes { try socket.receive(into: $0) }
    return count.map { Array(room[..<$0]) }
  }

  private static func send(_ socket: StreamSocket, _ bytes: [UInt8]) throws -> Int? {
    try bytes.withUnsafeBytes { try socket.send($0) }
  }

  @Test func `nothing yet, something, and the end are told apart`() throws {
    let pair = Pair()
    #expect(try Self.receive(pair.one) == nil)
    #expect(try Self.send(pair.other, [1, 2, 3]) == 3)
    #expect(try Self.receive(pair.one) == [1, 2, 3])
    pair.other.finishSending()
    #expect(try Self.receive(pair.one) == [])
  }

  @Test func `a full socket takes nothing, and a peer that is gone is an error`() throws {
    let pair = Pair()
    let chunk = [UInt8](repeating: 7, count: 1 << 16)
    var sent = 0
    while let count = try Self.send(pair.one, chunk) { sent += count }
    #expect(sent > 0)
    let wake = try WakeUp()
    #expect(try pair.one.wait(for: .sending, orFor: wake, untilMonotonic: Clocks.monotonic()) == [])
    shutdown(pair.ends[1], Int32(SHUT_RDWR))
    #expect(throws: Errno.brokenPipe) { try Self.send(pair.one, chunk) }
  }

  @Test func `a wait ends with what it waits for`() throws {
    let pair = Pair()
    let wake = try WakeUp()
    let later = Clocks.monotonic() + 60_000_000_000
    #expect(try pair.one.wait(for: [.receiving, .sending], orFor: wake, untilMonotonic: later) == .sending)
    #expect(try Self.send(pair.other, [1]) == 1)
    #expect(try pair.one.wait(for: .receiving, orFor: wake, untilMonotonic: .max) == .receiving)
    #expect(try pair.one.wait(for: .over, orFor: wake, untilMonotonic: Clocks.monotonic() + 1_000_000) == [])
    // A byte is unread: only who asks for the end sees it.
    pair.other.finishSending()
    #expect(try pair.one.wait(for: .over, orFor: wake, untilMonotonic: later) == .over)
  }

  @Test func `a signal from another thread ends a wait, also one that came before it`() throws {
    let pair = Pair()
    let wake = try WakeUp()
    wake.signal()
    wake.signal()
    let later = Clocks.monotonic() + 60_000_000_000
    #expect(try pair.one.wait(for: .receiving, orFor: wake, untilMonotonic: later) == [])
    let thread = Thread(name: "test") { wake.signal() }
    #expect(try pair.one.wait(for: .receiving, orFor: wake, untilMonotonic: later) == [])
    thread.join()
    // Both are used up.
    let soon = Clocks.monotonic() + 5_000_000
    #expect(try pair.one.wait(for: .receiving, orFor: wake, untilMonotonic: soon) == [])
    #expect(Clocks.monotonic() >= soon)
  }
}
