public import Core
import Posix

/// Tokens of gateways as they stand in files: one line, for nobody but their owner.
public enum TokenFile {
  /// More than this is not a token.
  public static let maxByteCount = 4_096

  /// The token in a file that only we can read.
  public static func read(_ path: String) throws(TransferFailure) -> Secret {
    let content: Result<[UInt8], TransferFailure>
    do throws(Errno) { content = try self.content(path) } catch {
      throw TransferFailure(.localFile, "cannot read the token in \(path): \(error)")
    }
    return try token(in: content.get(), from: path)
  }

  private static func content(_ path: String) throws(Errno) -> Result<[UInt8], TransferFailure> {
    // A FIFO would wait for its writer.
    if let failure = refusal(try Files.status(path), path) { return .failure(failure) }
    let file = try Files.openToRead(path)
    // What was opened counts, not what had the name a moment ago.
    if let failure = refusal(try file.status(), path) { return .failure(failure) }
    return .success(try file.readAll(maxByteCount: maxByteCount + 2))
  }

  /// The token in what was read from a file, a variable or a stream.
  /// - Parameter source: its name, for errors.
  public static func token(in bytes: [UInt8], from source: String) throws(TransferFailure) -> Secret {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    let line = lines.first.map { $0.trimming { $0 == " " || $0 == "\t" || $0 == "\r" } } ?? ""
    guard !line.isEmpty else { throw TransferFailure(.localFile, "the token in \(source) is empty") }
    guard line.utf8.count <= maxByteCount, line.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7f }) else {
      throw TransferFailure(
        .localFile, "the token in \(source) is none: one line of visible ASCII characters without spaces is needed")
    }
    return Secret(String(line))
  }

  /// Puts a token into a file of mode 0600 in a folder of mode 0700, in place of what was there.
  public static func write(_ token: Secret, to path: String) throws(TransferFailure) {
    do throws(Errno) {
      try Files.makeFolders(Paths.folder(path), mode: 0o700)
      try Files.writeAtomically(Array("\(token.exposed)\n".utf8), to: path)
    } catch {
      throw TransferFailure(error.isDiskFull ? .diskFull : .localFile, "cannot write \(path): \(error)")
    }
  }

  /// Removes a file that may be gone already.
  public static func remove(_ path: String) throws(TransferFailure) {
    do throws(Errno) { try Files.unlink(path, ifThere: true) } catch {
      guard error != .notFolder else { return }
      throw TransferFailure(.localFile, "cannot remove \(path): \(error)")
    }
  }

  private static func refusal(_ status: FileStatus, _ path: String) -> TransferFailure? {
    let (problem, hint): (String, String)
    if !status.isFile {
      (problem, hint) = ("it is not a regular file", "--token-stdin takes it from elsewhere")
    } else if status.ownerID != Process.userID {
      (problem, hint) = (
        "it belongs to user \(status.ownerID), not to us (\(Process.userID))", "make a copy of our own"
      )
    } else if status.mode & 0o077 != 0 {
      (problem, hint) = (
        "other users may use it (mode 0\(String(status.mode, radix: 8)))", "chmod 600 \(path)"
      )
    } else {
      return nil
    }
    return TransferFailure(.localFile, "cannot use the token in \(path): \(problem)", hint: hint)
  }
}

extension Substring {
  /// Without what `isSurplus` takes at both ends.
  fileprivate func trimming(_ isSurplus: (Character) -> Bool) -> Substring {
    var rest = drop(while: isSurplus)
    while let last = rest.last, isSurplus(last) { rest.removeLast() }
    return rest
  }
}
