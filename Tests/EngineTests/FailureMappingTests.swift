import Testing

import Curl
@testable import HermesTransfer

@Suite struct FailureMappingTests {
  @Test(arguments: [
    ("Unsupported proxy syntax in 'http://me:secret@h:x'", "Unsupported proxy syntax in 'http://…@h:x'"),
    ("Could not resolve proxy: me:secret@h", "Could not resolve proxy: …@h"),
    ("nothing of that kind", "nothing of that kind"),
  ]) func `libcurl's words are told without credentials`(said: String, told: String) {
    #expect(CurlError.withoutCredentials(said) == told)
  }
}
