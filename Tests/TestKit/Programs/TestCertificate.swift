import Testing

/// A certificate for 127.0.0.1 and localhost that vouches for itself, and its key.
public final class TestCertificate: Sendable {
  private let folder = TemporaryFolder("certificate")

  /// The certificate, in PEM: what a server shows, and what a client trusts it by.
  public var file: String { folder.path("cert.pem") }
  public var keyFile: String { folder.path("key.pem") }

  /// Has `openssl` make one.
  public init(sourceLocation: SourceLocation = #_sourceLocation) async {
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
      "-keyout", folder.path("key.pem"), "-out", folder.path("cert.pem"),
    ]
    let program = RunningProgram(
      "/usr/bin/openssl", arguments, environment: ["PATH": "/usr/bin:/bin"], folder: folder.path)
    let result = await program.wait(sourceLocation: sourceLocation)
    #expect(result.exitStatus == 0, "\(result)", sourceLocation: sourceLocation)
  }
}
