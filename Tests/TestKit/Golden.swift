import Glibc
import Testing

/// Compares text with what was looked at and kept, in `Golden/` beside the test's file.
public enum Golden {
  /// `RECORD=1` rewrites the kept text; a missing one is written and fails, so that it is looked at once.
  public static func check(
    _ text: String, _ name: String, file: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let folder =
      "\(file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/"))/Golden"
    let path = "\(folder)/\(name).txt"
    let kept = TestFiles.text(path)
    if kept == text { return }
    guard kept == nil || getenv("RECORD").map({ String(cString: $0) }) == "1" else {
      Issue.record(
        "\(name) is not what was kept; RECORD=1 rewrites it\n\(difference(kept ?? "", text))",
        sourceLocation: sourceLocation)
      return
    }
    mkdir(folder, 0o755)
    TestFiles.write(Array(text.utf8), to: path)
    if kept == nil {
      Issue.record("\(name) had no golden text; one was written: look at it", sourceLocation: sourceLocation)
    }
  }

  /// The first line that differs, both ways.
  static func difference(_ kept: String, _ text: String) -> String {
    let keptLines = kept.split(separator: "\n", omittingEmptySubsequences: false)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let same = zip(keptLines, lines).prefix { $0 == $1 }.count
    let keptLine = same < keptLines.count ? String(keptLines[same].debugDescription) : "(end)"
    let line = same < lines.count ? String(lines[same].debugDescription) : "(end)"
    return "line \(same + 1)\n  kept: \(keptLine)\n  now:  \(line)"
  }
}
