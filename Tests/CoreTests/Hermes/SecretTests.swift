import Testing

@testable import Core

@Suite struct SecretTests {
  @Test func `T14 W55 a token is shown by its end alone, however it is printed`() {
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

  @Test func `a token is taken out of what others say, also where it is percent-encoded`() {
    let token = Secret("geheim+nisvoll-1234")
    #expect(token.hidden(in: "bad token geheim+nisvoll-1234, sorry") == "bad token …1234, sorry")
    #expect(token.hidden(in: "/ws?token=geheim%2Bnisvoll-1234") == "/ws?token=…1234")
    #expect(Secret("").hidden(in: "nothing") == "nothing")
  }
}
