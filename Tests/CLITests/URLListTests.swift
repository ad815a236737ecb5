import Core
import TestKit
import Testing

@testable import CLI

@Suite struct URLListTests {
  private func entries(_ lines: String...) -> [ListedURL] {
    var parser = URLListParser()
    return lines.compactMap { parser.entry(of: Array($0.utf8)) }
  }

  @Test func `a name stands behind a tab, and comments and empty lines are counted but skipped`() {
    let found = entries("# list", "", "http://h/a", "  ", "http://h/b\tB file.bin ", "http://h/c\t", " http://h/d ")
    #expect(
      found == [
        ListedURL(line: 3, url: "http://h/a", name: nil), ListedURL(line: 5, url: "http://h/b", name: "B file.bin"),
        ListedURL(line: 6, url: "http://h/c", name: nil), ListedURL(line: 7, url: "http://h/d", name: nil),
      ])
  }

  @Test func `a fragment is no comment, and a mark before the first line is no part of it`() {
    #expect(entries("\u{FEFF}http://h/a#b").map(\.url) == ["http://h/a#b"])
    #expect(entries("x", "\u{FEFF}y").map(\.url) == ["x", "\u{FEFF}y"])
  }

  @Test func `any bytes are a line or none`() {
    for seed in Seeds.fromEnvironment(count: 500) {
      var random = SeededRandom(seed: seed)
      var parser = URLListParser()
      let entry = parser.entry(of: random.bytes(Int.random(in: 0..<40, using: &random)))
      #expect(entry.map { !$0.url.isEmpty && !$0.url.contains("\t") && $0.name != "" } ?? true, "SEED=\(seed)")
    }
  }

  @Test func `a list longer than a batch is read whole and in order`() async throws {
    let folder = TemporaryFolder("list")
    let count = 3 * ListReader.batchCount + 17
    let text = (1...count).map { "http://h/\($0)\n" }.joined()
    TestFiles.write(Array(text.utf8), to: "\(folder.path)/list")
    let reader = try ListReader(path: "\(folder.path)/list", surroundings: Surroundings())
    var read: [ListedURL] = []
    while let batch = try await reader.next() {
      #expect(!batch.isEmpty && batch.count <= ListReader.batchCount)
      read += batch
    }
    #expect(read.map(\.line) == Array(1...count))
    #expect(read.last?.url == "http://h/\(count)")
  }

  @Test func `a list that cannot be opened is a local file's failure`() {
    #expect(throws: TransferFailure.self) { try ListReader(path: "/nowhere/list", surroundings: Surroundings()) }
  }
}
