import TestKit
import Testing

/// Upload servers of others, driven by curl: that they start, take a file and keep it where the tests look for it.
@Suite(.fewAtOnce) struct ForeignUploadServerTests {
  private static let byteCount: Int64 = 3_000_000
  private let folder = TemporaryFolder("upload")
  private let pattern = Pattern(9)

  /// What curl printed: the head of the answer, in lower case.
  private func curl(_ arguments: String...) async -> String {
    let program = RunningProgram(
      "/usr/bin/curl", ["-sS", "-D", "-", "-o", "/dev/null", "-m", "60"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder.path)
    let result = await program.wait()
    return result.output.lowercased() + result.standardError
  }

  private func location(_ head: String, _ port: UInt16) -> String {
    let line = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("location:") } ?? ""
    let place = line.dropFirst("location:".count).drop { $0 == " " }
    return place.hasPrefix("/") ? "http://127.0.0.1:\(port)\(place)" : String(place)
  }

  private func upload(to server: ForeignUploadServer) async -> String {
    let file = folder.path("f.bin")
    pattern.write(byteCount: Self.byteCount, to: file)
    let endpoint = server.endpoint()
    switch server.kind {
    case .resumableUpload, .tuswsgi, .tuspyserver, .aiohttpTus, .fastapiTusd:
      let version = "Tus-Resumable: 1.0.0"
      let made = await curl(
        "-L", "--post301", "-X", "POST", "-H", version, "-H", "Upload-Length: \(Self.byteCount)", "-H",
        "Content-Length: 0", "-H", "Upload-Metadata: filename Zi5iaW4=,filetype YXBwbGljYXRpb24vb2N0ZXQtc3RyZWFt",
        endpoint)
      return made
        + (await curl(
          "-X", "PATCH", "-H", version, "-H", "Upload-Offset: 0", "-H",
          "Content-Type: application/offset+octet-stream", "-T", file, location(made, server.port)))
    case .gcsEmulator:
      let made = await curl("-X", "POST", "-H", "Content-Length: 0", endpoint)
      let range = "Content-Range: bytes 0-\(Self.byteCount - 1)/\(Self.byteCount)"
      return made + (await curl("-X", "PUT", "-H", range, "-T", file, location(made, server.port)))
    case .wsgidav, .nginx, .apache, .rclone: return await curl("-T", file, endpoint)
    }
  }

  @Test(arguments: ForeignUploadServer.Kind.installed)
  func `a stranger's server takes a file whole`(kind: ForeignUploadServer.Kind) async throws {
    let server = try await ForeignUploadServer(kind)
    let heads = await upload(to: server)
    let difference = server.onlyFile.map { pattern.firstDifference(inFile: $0, byteCount: Self.byteCount) }
    #expect(difference == .some(nil), "\(server.files)\n\(heads)\n\(server.outputSoFar)")
    await server.stop()
  }

  @Test(.enabled(if: ForeignUploadServer.Kind.nginx.isInstalled))
  func `the relay cuts an upload where it was told to, and then passes all on`() async throws {
    let server = try await ForeignUploadServer(.nginx)
    let relay = CuttingRelay(cuts: [1_000_000, 1_000_000 + 500_000])
    relay.forward(to: server.port)
    let file = folder.path("f.bin")
    pattern.write(byteCount: Self.byteCount, to: file)
    for _ in 0..<2 {
      let answer = await curl("-T", file, server.endpoint(port: relay.port))
      #expect(answer.contains("curl:"), "\(answer)")
    }
    #expect(relay.cutCount == 2 && relay.upstreamByteCount == 1_500_000)
    let answer = await curl("-T", file, server.endpoint(port: relay.port))
    #expect(answer.contains("201"), "\(answer)")
    let difference = server.onlyFile.map { pattern.firstDifference(inFile: $0, byteCount: Self.byteCount) }
    #expect(difference == .some(nil), "\(server.files)")
    relay.stop()
    await server.stop()
  }
}
