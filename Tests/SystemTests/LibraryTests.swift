import TestKit
import Testing

/// The library as another program has it: the example that the README shows.
@Suite(.fewAtOnce) struct LibraryTests {
  @Test func `the example fetches a file, and the README shows its text`() async throws {
    let trial = Trial()
    defer { trial.server.stop() }
    trial.serve(.on(1, .cut(after: Trial.held)))
    let folder = trial.sandbox.folder
    let result = await trial.sandbox.start(
      program: "fetch", [trial.server.url("/f"), folder, trial.sandbox.stateFolder]
    ).wait()
    #expect(result.exitStatus == 0, "\(result)")
    #expect(result.lines.contains("completed \(trial.target)"), "\(result)")
    #expect(trial.pattern.firstDifference(inFile: trial.target, byteCount: Trial.total) == nil)

    let root = "\(#filePath)".split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let example = try #require(TestFiles.text("\(root)/Examples/fetch/main.swift"))
    let readme = try #require(TestFiles.text("\(root)/README.md"))
    let lines = example.split(separator: "\n", omittingEmptySubsequences: false)
    let body = lines.drop { !$0.hasPrefix("let engine = ") }.joined(separator: "\n")
    #expect(readme.contains(body), "the README's program is not the example's")
  }
}
