import Core
import Posix

/// What was typed in earlier chats: a file of lines in the state folder, for its owner only.
struct ChatHistory {
  private static let maxByteCount = 1 << 20
  let path: String

  init(folder: String) { path = Paths.join(folder, "chat-history") }

  func load() -> [String] {
    let bytes: [UInt8]
    do throws(Errno) { bytes = try Files.readAll(path, maxByteCount: Self.maxByteCount) } catch {
      // A chat without its past is still a chat.
      return []
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { Self.unescaped($0) }
  }

  /// Nil when it is kept.
  func save(_ lines: [String]) -> TransferFailure? {
    var bytes: [UInt8] = []
    for line in lines.reversed() {
      let next = Array((Self.escaped(line) + "\n").utf8)
      if bytes.count + next.count > Self.maxByteCount { break }
      bytes = next + bytes
    }
    do throws(Errno) {
      try Files.writeAtomically(bytes, to: path)
      return nil
    } catch {
      return TransferFailure(.localFile, "cannot keep what was typed in \(path): \(error)")
    }
  }

  private static func escaped(_ line: String) -> String {
    String(line.flatMap { $0 == "\\" ? "\\\\" : $0.isNewline ? "\\n" : String($0) })
  }

  private static func unescaped(_ line: Substring) -> String {
    var (result, isEscaped) = ("", false)
    for character in line {
      if isEscaped {
        result.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
