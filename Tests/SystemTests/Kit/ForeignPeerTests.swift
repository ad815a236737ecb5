import TestKit
import Testing

@Suite(.fewAtOnce) struct ForeignPeerTests {
  @Test(arguments: ForeignPeer.Kind.allCases.filter(\.isInstalled))
  func `a stranger starts in its own folder and ends when asked`(kind: ForeignPeer.Kind) async throws {
    let peer = try await ForeignPeer(kind)
    peer.put(Pattern(3), byteCount: 1000, as: "f.bin")
    if kind == .caddy {
      #expect(TestFiles.exists(peer.authorityFile))
    } else {
      let response = await RawClient.send("/f.bin", port: peer.port)
      #expect(response.status == 200)
      #expect(ByteContent(response.body) == ByteContent(Pattern(3).bytes(0..<1000)))
    }
    await peer.stop()
  }
}
