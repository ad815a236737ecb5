import Glibc
import Testing

/// A server of somebody else that takes uploads, on a free port of 127.0.0.1, with its files in a folder of its own.
public final class ForeignUploadServer: Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    // tus 1.0: the first keeps to the protocol, each of the others breaks a rule of its own.
    case resumableUpload = "resumable-upload"
    case tuswsgi, tuspyserver
    case aiohttpTus = "aiohttp-tus"
    case fastapiTusd = "fastapi-tusd"
    /// Resumable sessions as Google's.
    case gcsEmulator = "gcp-storage-emulator"
    // PUT. The last takes a part for the whole, and leaves what a cut left.
    case wsgidav
    case nginx, apache, rclone
  }

  public struct NotStarted: Error { let kind: Kind }

  public let kind: Kind
  public let port: UInt16
  /// Where it keeps what came.
  public let root: String
  private let folder: TemporaryFolder
  private let program: RunningProgram

  /// Starts it, and waits until it listens.
  /// - Parameters:
  ///   - publicPort: the port that clients reach it by, where that is another's.
  ///   - arguments: further options, for those that are programs.
  public init(
    _ kind: Kind, publicPort: UInt16? = nil, _ arguments: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    self.kind = kind
    let folder = TemporaryFolder(kind.rawValue)
    let port = FreePort.next()
    self.folder = folder
    self.port = port
    root = folder.folder("root")
    // As root, nginx and Apache serve as another user, who must reach the files and write them.
    chmod(folder.path, 0o755)
    chmod(root, 0o777)
    let start = UploadServerStart(kind, port: port, publicPort: publicPort ?? port, folder: folder)
    program = RunningProgram(
      start.executable, start.arguments + arguments, environment: start.environment, folder: folder.path)
    let running = program
    _ = await eventually { !running.isRunning || LoopbackSocket.answers(port: port) }
    guard program.isRunning else {
      Issue.record("\(kind) did not start\n\(outputSoFar)", sourceLocation: sourceLocation)
      throw NotStarted(kind: kind)
    }
  }

  /// Where uploads are made, or put; through another's port when one is given.
  public func endpoint(port other: UInt16? = nil, name: String = "f.bin") -> String {
    "http://127.0.0.1:\(other ?? port)\(kind.path(name: name))"
  }

  /// The paths of the files that it keeps, without those in which it notes what it knows of them.
  public var files: [String] { TestFiles.tree(root).filter { !kind.isNote(String($0.dropFirst(root.count + 1))) } }

  /// The path of the only file that it keeps; nil when there is none or more.
  public var onlyFile: String? { files.count == 1 ? files[0] : nil }

  /// Everything that it said, for a failure's text.
  public var outputSoFar: String { "\(kind):\n\(program.outputSoFar)\(program.errorSoFar)" }

  /// Asks it to end, and waits.
  public func stop() async {
    program.kill(SIGTERM)
    if await !eventually(seconds: 5, { [program] in !program.isRunning }) { program.kill(SIGKILL) }
    _ = await program.wait(seconds: 10)
  }
}

extension ForeignUploadServer.Kind {
  static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
  static let venv = "\(root)/.build/upload-venv"

  /// Where uploads are made.
  func path(name: String) -> String {
    switch self {
    case .resumableUpload, .tuswsgi, .aiohttpTus, .fastapiTusd: "/files"
    // FastAPI sends who asks without the last slash to the same place with it.
    case .tuspyserver: "/files"
    case .gcsEmulator: "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=\(name)"
    case .wsgidav, .nginx, .apache, .rclone: "/\(name)"
    }
  }

  /// Whether a file holds what the server knows about an upload, not the upload.
  func isNote(_ name: String) -> Bool {
    [".info", ".json", ".meta", ".lock", ".db", ".metadata"].contains { name.hasSuffix($0) } || name.contains(".db-")
      || name.hasPrefix(".resources") || name == ".meta"
  }

  var executable: String {
    switch self {
    case .resumableUpload, .gcsEmulator, .wsgidav: "\(Self.venv)/bin/\(rawValue)"
    case .tuswsgi: "\(Self.venv)/bin/gunicorn"
    case .tuspyserver, .fastapiTusd: "\(Self.venv)/bin/uvicorn"
    case .aiohttpTus: "\(Self.venv)/bin/python3"
    case .nginx: "/usr/sbin/nginx"
    case .apache: "/usr/sbin/apache2"
    case .rclone: "/usr/bin/rclone"
    }
  }

  /// What of the requirements it is made of.
  private var libraries: [String] {
    switch self {
    case .tuswsgi: [rawValue, "gunicorn"]
    case .tuspyserver, .fastapiTusd: [rawValue, "uvicorn"]
    case .wsgidav: [rawValue, "cheroot"]
    case .resumableUpload, .aiohttpTus, .gcsEmulator: [rawValue]
    case .nginx, .apache, .rclone: []
    }
  }

  /// Whether `scripts/setup test` found what it needs.
  public var isInstalled: Bool {
    guard access(executable, X_OK) == 0 else { return false }
    let installed = TestFiles.text("\(Self.venv)/installed.txt")?.split(separator: "\n") ?? []
    return libraries.allSatisfy { name in installed.contains { $0.hasPrefix("\(name)==") } }
  }

  /// Those that can be tested here; says once which can't.
  public static let installed: [Self] = {
    let missing = allCases.filter { !$0.isInstalled }.map(\.rawValue).joined(separator: ", ")
    if !missing.isEmpty { print("skipped: upload servers \(missing) are not installed; try scripts/setup test") }
    return allCases.filter(\.isInstalled)
  }()
}

/// The words and files that start such a server inside its folder.
struct UploadServerStart {
  typealias Kind = ForeignUploadServer.Kind

  let executable: String
  var arguments: [String] = []
  var environment: [String: String]

  init(_ kind: Kind, port: UInt16, publicPort: UInt16, folder: TemporaryFolder) {
    executable = kind.executable
    let root = folder.path("root")
    environment = [
      "PATH": "\(Kind.venv)/bin:/usr/bin:/bin", "HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1",
      "PYTHONPATH": "\(Kind.root)/Tests/TestKit/UploadServers", "UPLOAD_FOLDER": root,
      "UPLOAD_URL": "http://127.0.0.1:\(publicPort)", "STORAGE_BASE": root, "STORAGE_DIR": "objects",
    ]
    let place = ["--host", "127.0.0.1", "--port", "\(port)"]
    switch kind {
    case .resumableUpload:
      arguments = ["serve"] + place + ["--base-path", "/files", "--upload-dir", root]
      arguments += ["--db-path", folder.path("uploads.db"), "--lock-wait", "5"]
    case .tuswsgi: arguments = ["-b", "127.0.0.1:\(port)", "--threads", "4", "upload_apps:tuswsgi()"]
    case .aiohttpTus: arguments = ["-m", "aiohttp.web", "-H", "127.0.0.1", "-P", "\(port)", "upload_apps:aiohttp_tus"]
    case .fastapiTusd: arguments = place + ["--factory", "upload_apps:fastapi_tusd"]
    case .tuspyserver: arguments = place + ["--factory", "upload_apps:tuspyserver"]
    case .gcsEmulator: arguments = ["start"] + place + ["--default-bucket", "bucket"]
    case .wsgidav: arguments = place + ["--root", root, "--auth", "anonymous"]
    case .rclone: arguments = ["serve", "webdav", root, "--addr", "127.0.0.1:\(port)"]
    case .nginx:
      let file = folder.write(Self.nginx(port: port, folder.path), to: "nginx.conf")
      arguments = ["-p", folder.path, "-e", folder.path("error.log"), "-c", file]
    case .apache:
      chmod(folder.folder("run"), 0o777)
      let file = folder.write(Self.apache(port: port, folder.path), to: "apache.conf")
      arguments = ["-D", "FOREGROUND", "-d", folder.path, "-f", file]
    }
  }

  private static func nginx(port: UInt16, _ folder: String) -> String {
    """
    daemon off;
    worker_processes 1;
    pid \(folder)/nginx.pid;
    error_log \(folder)/error.log;
    \(getuid() == 0 ? "user root;" : "")
    events { worker_connections 256; }
    http {
      access_log off;
      client_max_body_size 0;
      client_body_temp_path \(folder)/body;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      server {
        listen 127.0.0.1:\(port);
        root \(folder)/root;
        location / { dav_methods PUT DELETE MKCOL COPY MOVE; create_full_put_path on; }
        location /small/ { dav_methods PUT; create_full_put_path on; client_max_body_size 1m; }
      }
    }

    """
  }

  private static func apache(port: UInt16, _ folder: String) -> String {
    """
    ServerName localhost
    Listen 127.0.0.1:\(port)
    PidFile \(folder)/run/httpd.pid
    ErrorLog \(folder)/error.log
    DefaultRuntimeDir \(folder)/run
    Mutex file:\(folder)/run default
    LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
    LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
    LoadModule dav_module /usr/lib/apache2/modules/mod_dav.so
    LoadModule dav_fs_module /usr/lib/apache2/modules/mod_dav_fs.so
    DavLockDB \(folder)/run/DavLock
    DocumentRoot \(folder)/root
    <Directory \(folder)/root>
      Dav On
      Require all granted
    </Directory>
    \(getuid() == 0 ? "User www-data\nGroup www-data" : "")

    """
  }
}
