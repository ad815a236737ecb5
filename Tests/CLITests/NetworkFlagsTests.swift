import Core
import TestKit
import Testing

@testable import CLI

@Suite struct NetworkFlagsTests {
  private func refusal(_ body: () throws(TransferFailure) -> Void) -> TransferFailure? {
    do throws(TransferFailure) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["h:80:127.0.0.1", "h:443:10.0.0.1,10.0.0.2", "h:80:[::1]", "h:80:::1", "[::1]:80:127.0.0.1"])
  func `a host, a port and an address are a resolution`(entry: String) {
    #expect(refusal { () throws(TransferFailure) in _ = try NetworkFlags.resolve([entry]) } == nil)
  }

  @Test(arguments: ["h", "h:80", "h:80:", "h:0:127.0.0.1", "h:http:127.0.0.1", ":80:127.0.0.1", "h:80:other.example"])
  func `what is no resolution is refused before anything is asked`(entry: String) {
    let failure = refusal { () throws(TransferFailure) in _ = try NetworkFlags.resolve(["ok:1:::1", entry]) }
    #expect(failure?.code == .usage && failure?.message == "--resolve cannot be \"\(entry)\"")
  }

  @Test(arguments: ["h", "h:3128", "http://u:p@h:3128/", "socks5h://[::1]:1080", "SOCKS5://u:p@x@h"])
  func `a proxy is a host with what may stand around it`(text: String) {
    #expect(refusal { () throws(TransferFailure) in _ = try NetworkFlags.proxy(text) } == nil)
  }

  @Test(arguments: ["ftp://u:hidden@h", "http://u:hidden@", "http://u:hidden@h:port", "u:hidden@:1", "http://"])
  func `a proxy that cannot be is refused without its password`(text: String) throws {
    let failure = try #require(refusal { () throws(TransferFailure) in _ = try NetworkFlags.proxy(text) })
    #expect(failure.code == .usage)
    #expect(!failure.message.contains("hidden") && !(failure.hint ?? "").contains("hidden"), "\(failure)")
  }

  @Test func `a file that a flag names has to be there`() {
    let folder = TemporaryFolder()
    let missing = folder.path + "/cookies"
    for (path, reason) in [(missing, "no such file or directory"), (folder.path, "is a directory")] {
      let failure = refusal { () throws(TransferFailure) in _ = try NetworkFlags.file(path, Surroundings()) }
      #expect(failure?.exitStatus == .localFile && failure?.message == "cannot read \(path): \(reason)")
    }
  }
}
