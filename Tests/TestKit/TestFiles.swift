import Glibc
import Testing

/// The few things tests do with files; what a test sets up for itself must work, so a failure there ends the run.
public enum TestFiles {
  /// A file's bytes, or nil when it cannot be read.
  public static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// A file's bytes as text, or nil when it cannot be read.
  public static func text(_ path: String) -> String? { read(path).map { String(decoding: $0, as: UTF8.self) } }

  /// Writes a file, in place of an older one.
  public static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    precondition(descriptor >= 0, "cannot write \(path): \(String(cString: strerror(errno)))")
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
      precondition(count > 0, "cannot write \(path): \(String(cString: strerror(errno)))")
      done += count
    }
  }

  /// A file's length, or nil when there is none.
  public static func byteCount(_ path: String) -> Int64? {
    var status = stat()
    return lstat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// Whether the name is taken, by a dangling link too.
  public static func exists(_ path: String) -> Bool { byteCount(path) != nil }

  /// Gives a file or folder another name; when that does not work, the test fails.
  public static func move(
    _ path: String, to other: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    if rename(path, other) != 0 {
      Issue.record("cannot move \(path): \(String(cString: strerror(errno)))", sourceLocation: sourceLocation)
    }
  }

  /// Makes a folder and those above it.
  public static func makeFolder(_ path: String) {
    var made = ""
    for name in path.split(separator: "/") {
      made += "/\(name)"
      precondition(
        mkdir(made, 0o700) == 0 || errno == EEXIST, "cannot make \(made): \(String(cString: strerror(errno)))")
    }
  }

  /// Makes a symbolic link.
  public static func link(to target: String, at path: String) {
    precondition(symlink(target, path) == 0, "cannot link \(path): \(String(cString: strerror(errno)))")
  }

  /// The permission bits of a file or folder.
  public static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  public static func setMode(_ mode: UInt32, of path: String) {
    precondition(chmod(path, mode) == 0, "cannot change \(path): \(String(cString: strerror(errno)))")
  }

  /// Makes a file older or younger.
  public static func setModificationTime(secondsFromNow seconds: Int, of path: String) {
    let moment = timespec(tv_sec: time(nil) + seconds, tv_nsec: 0)
    precondition(utimensat(AT_FDCWD, path, [moment, moment], 0) == 0, "cannot date \(path)")
  }

  /// The paths of all files below a folder.
  public static func tree(_ path: String) -> [String] {
    names(in: path).flatMap { name -> [String] in
      let path = "\(path)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [path] }
      return tree(path)
    }
  }

  /// The names in a folder, sorted, hidden ones too; empty when it cannot be read.
  public static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// A pipe that programs started later do not inherit.
  static func pipe() -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0, "cannot make a pipe: \(String(cString: strerror(errno)))")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Removes a file, or a folder with everything in it; links are not followed.
  public static func removeTree(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      chmod(path, 0o700)
      for name in names(in: path) { removeTree("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}
