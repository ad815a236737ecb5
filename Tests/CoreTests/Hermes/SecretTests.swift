import Testing

@testable import Core

@Suite struct SecretTests {
  @Test func `trap: W55 a token is shown by its end alone, however it is printed`() {
    let token = Secret("geheimnisvoll-1234")
    var dumped = ""
    dump(token, to: &dumped)
    let hello = HelloFrame(token: token, device: FrameTests.device)
    for text in [
      "\(token)", String(reflecting: token), dumped, "\(hello)", String(reflecting: ClientFrame.hello(hello)),
    ] {
      #expect(!text.contains("geheim"), "\(text)")
    }
    #expect("\(token)" == "…1234")
    #expect("\(Secret("short-12345"))" == "…")
  }
}
