import Core
import TestKit
import Testing

@testable import CLI

@Suite struct ProgressFrameTests {
  @Test(arguments: [20, 40, 80, 200])
  func `bars look right at every width`(width: Int) throws {
    let board = Samples.board(try Samples.all())
    let lines = ProgressFrame.lines(of: board, width: width, rows: 24, now: Samples.epoch)
    for line in lines { #expect(DisplayWidth.of(line) <= width, "\(line)") }
    Golden.check(lines.joined(separator: "\n") + "\n", "progress-\(width)")
  }

  @Test func `no width and no height is exceeded, and nothing steers the terminal`() throws {
    let board = Samples.board(try Samples.all())
    for width in 0..<130 {
      for rows in [0, 1, 2, 5, 24] {
        let lines = ProgressFrame.lines(of: board, width: width, rows: rows, now: Samples.epoch)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(1, width) })
        #expect(lines.allSatisfy { !$0.unicodeScalars.contains { $0.value < 32 } })
      }
    }
  }

  @Test func `a terminal of 80 columns has bars`() throws {
    let board = Samples.board(try Samples.all())
    let lines = ProgressFrame.lines(of: board, width: 79, rows: 24, now: Samples.epoch)
    #expect(lines.allSatisfy { $0.contains("[") })
  }

  @Test func `one transfer has one line and no total`() throws {
    let board = Samples.board([try Samples.snapshot("00000001", "f", done: 1, total: 4, rate: 1, eta: 3)])
    let lines = ProgressFrame.lines(of: board, width: 80, rows: 24, now: Samples.epoch)
    #expect(lines.count == 1 && lines[0].hasPrefix("f ") && lines[0].contains("25%"))
  }

  @Test func `a percentage is 100 only when everything is there, and never more`() throws {
    let line = { ProgressLine(try Samples.snapshot("00000001", "f", done: $0, total: $1), now: 0) }
    #expect(try line(999_999_999_999, 1_000_000_000_000).percent == 99)
    #expect(try line(10, 10).percent == 100)
    #expect(try line(11, 10).percent == 100)
    #expect(try line(0, 0).percent == 100)
    #expect(try line(5, nil).percent == nil)
  }

  @Test func `the total sums what runs and what ended, and is unknown while a length is`() throws {
    var board = Samples.board([
      try Samples.snapshot("00000001", "a", done: 50, total: 100, rate: 10),
      try Samples.snapshot("00000002", "b", .completed, done: 30, total: 30),
      try Samples.snapshot("00000003", "c", .failed, done: 5, total: 90),
    ])
    #expect(board.total.bytesDone == 85 && board.total.bytesTotal == 135)
    #expect(board.total.etaSeconds == 5 && board.total.name == "2 of 3 done")
    board.take(try Samples.snapshot("00000004", "d", .queued))
    #expect(board.total.bytesTotal == nil && board.accepted == 4)
  }

  @Test func `an end that is told twice counts once`() throws {
    let ended = try Samples.snapshot("00000001", "a", .completed, done: 50, total: 50)
    let board = Samples.board([ended, ended, try Samples.snapshot("00000002", "b", done: 1, total: 2)])
    #expect(board.ended == 1 && board.endedBytes == 50)
  }

  @Test func `what has stopped is not done, and nobody waits for it`() throws {
    var board = Samples.board([
      try Samples.snapshot("00000001", "a", .paused, done: 10, total: 100),
      try Samples.snapshot("00000002", "b", done: 20, total: 100, rate: 10),
    ])
    #expect(board.total.name == "0 of 2 done" && board.total.percent == 15 && board.total.etaSeconds == 8)
    board.take(try Samples.snapshot("00000003", "c", .paused, done: 5))
    #expect(board.total.percent == nil)
  }
}
