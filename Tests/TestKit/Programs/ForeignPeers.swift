import Glibc
import Testing

/// A server of somebody else, started on a free port of 127.0.0.1 with everything it writes in a folder of its own.
public final class ForeignPeer: Sendable {
  public enum Kind: String, Sendable, CaseIterable { case nginx, caddy, apache, python }

  public let kind: Kind
  public let port: UInt16
  /// The folder whose files it serves.
  public let root: String
  private let folder: TemporaryFolder
  private let program: RunningProgram

  /// Starts it, and waits until it answers. Caddy speaks TLS with a certificate of its own authority, the rest plain HTTP.
  /// - Parameter forwardingTo: the port to which Caddy passes on what is asked for at `/ws`.
  public init(
    _ kind: Kind, forwardingTo: UInt16? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    self.kind = kind
    let folder = TemporaryFolder(kind.rawValue)
    let port = FreePort.next()
    self.folder = folder
    self.port = port
    root = folder.folder("root")
    // As root, nginx and Apache serve as another user, who must reach the files.
    chmod(folder.path, 0o755)
    let configuration = PeerConfiguration(kind, port: port, forwardingTo: forwardingTo, folder: folder)
    program = RunningProgram(
      kind.executable!, configuration.arguments, environment: configuration.environment, folder: folder.path)
    let running = program
    let authority = kind == .caddy ? folder.path(Self.caddyAuthority) : nil
    let isReady = await eventually {
      !running.isRunning || LoopbackSocket.answers(port: port) && (authority.map(TestFiles.exists) ?? true)
    }
    guard isReady && program.isRunning else {
      Issue.record("\(kind) did not start\n\(program.outputSoFar)\(program.errorSoFar)", sourceLocation: sourceLocation)
      throw NotStarted(kind: kind)
    }
  }

  public struct NotStarted: Error { let kind: Kind }

  private static let caddyAuthority = "data/caddy/pki/authorities/local/root.crt"

  /// The certificate that vouches for Caddy's.
  public var authorityFile: String { folder.path(Self.caddyAuthority) }

  public func url(_ path: String) -> String {
    kind == .caddy ? "https://localhost:\(port)\(path)" : "http://127.0.0.1:\(port)\(path)"
  }

  /// Puts pattern bytes under a name.
  public func put(_ pattern: Pattern, byteCount: Int64, as name: String) {
    pattern.write(byteCount: byteCount, to: "\(root)/\(name)")
    chmod("\(root)/\(name)", 0o644)
  }

  /// Asks it to end, and waits.
  public func stop() async {
    program.kill(SIGTERM)
    if await !eventually(seconds: 5, { [program] in !program.isRunning }) { program.kill(SIGKILL) }
    _ = await program.wait(seconds: 10)
  }
}

extension ForeignPeer.Kind {
  /// Where Debian's package puts it; nil when it is not installed.
  public var executable: String? {
    let places =
      switch self {
      case .nginx: ["/usr/sbin/nginx"]
      case .caddy: ["/usr/bin/caddy"]
      case .apache: ["/usr/sbin/apache2"]
      case .python: ["/usr/bin/python3"]
      }
    return places.first { access($0, X_OK) == 0 }
  }

  public var isInstalled: Bool { executable != nil }
}

/// The files and arguments that make a foreign server stay inside its folder.
struct PeerConfiguration {
  var arguments: [String] = []
  var environment: [String: String] = [:]

  init(_ kind: ForeignPeer.Kind, port: UInt16, forwardingTo: UInt16?, folder: TemporaryFolder) {
    environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_DATA_HOME": folder.path("data")]
    switch kind {
    case .nginx:
      let file = folder.write(Self.nginx(port: port, folder.path), to: "nginx.conf")
      arguments = ["-p", folder.path, "-e", folder.path("error.log"), "-c", file]
    case .caddy:
      let file = folder.write(Self.caddy(port: port, forwardingTo: forwardingTo, folder.path), to: "Caddyfile")
      arguments = ["run", "--adapter", "caddyfile", "--config", file]
    case .apache:
      folder.folder("run")
      let file = folder.write(Self.apache(port: port, folder.path), to: "apache.conf")
      arguments = ["-D", "FOREGROUND", "-d", folder.path, "-f", file]
    case .python:
      arguments = ["-m", "http.server", "--bind", "127.0.0.1", "--directory", folder.path("root"), "\(port)"]
    }
  }

  private static func nginx(port: UInt16, _ folder: String) -> String {
    """
    daemon off;
    worker_processes 1;
    pid \(folder)/nginx.pid;
    error_log \(folder)/error.log;
    events { worker_connections 256; }
    http {
      access_log off;
      sendfile on;
      etag on;
      client_body_temp_path \(folder)/body;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      server {
        listen 127.0.0.1:\(port);
        root \(folder)/root;
        location /slow/ { alias \(folder)/root/; limit_rate 8m; }
      }
    }

    """
  }

  private static func caddy(port: UInt16, forwardingTo: UInt16?, _ folder: String) -> String {
    """
    {
      admin off
      auto_https disable_redirects
      skip_install_trust
      storage file_system \(folder)/data/caddy
    }
    https://localhost:\(port) {
      bind 127.0.0.1
      tls internal
      \(forwardingTo.map { "reverse_proxy /ws 127.0.0.1:\($0)" } ?? "")
      root * \(folder)/root
      file_server
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
    DocumentRoot \(folder)/root
    <Directory \(folder)/root>
      Require all granted
    </Directory>
    \(getuid() == 0 ? "User www-data\nGroup www-data" : "")

    """
  }
}
