import Core
import Testing

@testable import CLI

@Suite struct TransferTableTests {
  private func line(columns: Int?) throws -> String? {
    var snapshot = try Samples.snapshot("00000001", "image.iso", .completed, done: 10, total: 10)
    snapshot.path = "/home/somebody/downloads/image.iso"
    return TransferTable.lines(of: [snapshot], columns: columns).last
  }

  @Test func `a path stands whole where there is room`() throws {
    #expect(try line(columns: nil) == "00000001  completed  100 %  10 B  /home/somebody/downloads/image.iso")
    #expect(try line(columns: 80) == line(columns: nil))
  }

  @Test func `in a narrow window the folder goes before the name does`() throws {
    #expect(try line(columns: 50) == "00000001  completed  100 %  10 B  image.iso")
    #expect(try line(columns: 38) == "00000001  completed  100 %  10 B  ima…")
  }
}
