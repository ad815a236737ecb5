import Core
import Glibc
import HermesTransfer
import TestKit
import Testing

struct SessionProfileTests {
  private let secret = "to+ken/with=signs&more-1234"

  private func profile(_ authorization: SessionProfile.Authorization) throws -> SessionProfile {
    var profile = SessionProfile(
      name: "home", url: try GatewayURL("wss://agent.example/ws?room=1"), token: Secret(secret),
      device: DeviceIdentity(id: "device-1", name: "host", platform: "linux", appVersion: "1"))
    profile.authorization = authorization
    return profile
  }

  @Test func `the token goes where the profile says, and nowhere else`() throws {
    let escaped = "to%2Bken%2Fwith%3Dsigns%26more-1234"
    let both = try profile(.queryAndHello)
    #expect(both.upgradeURL.text == "https://agent.example/ws?room=1&token=\(escaped)")
    #expect(both.upgradeHeaders == [] && both.hello.token?.exposed == secret)
    let header = try profile(.header)
    #expect(header.upgradeURL.text == "https://agent.example/ws?room=1")
    #expect(header.upgradeHeaders == ["Authorization: Bearer \(secret)"] && header.hello.token == nil)
    let hello = try profile(.hello)
    #expect(hello.upgradeURL.text == "https://agent.example/ws?room=1")
    #expect(hello.upgradeHeaders == [] && hello.hello.token?.exposed == secret)
  }

  @Test func `without a token nothing is sent in its place`() throws {
    for authorization in SessionProfile.Authorization.allCases {
      var profile = try profile(authorization)
      profile.token = nil
      #expect(profile.upgradeURL.query == "room=1")
      #expect(profile.upgradeHeaders.isEmpty && profile.hello.token == nil)
    }
  }

  @Test func `a session is known by its gateway without the query, and its device`() throws {
    #expect(try profile(.header).key.gateway == "wss://agent.example:443/ws")
    #expect(try profile(.header).key.device == "device-1")
  }

  @Test func `printing a profile in any way shows no token`() throws {
    for authorization in SessionProfile.Authorization.allCases {
      let profile = try profile(authorization)
      var dumped = ""
      dump(profile, to: &dumped)
      for text in ["\(profile)", String(reflecting: profile), dumped, "\(profile.upgradeURL)", "\(profile.hello)"] {
        #expect(!text.contains("signs") && !text.contains("to%2B"), "\(text)")
      }
    }
  }

  @Test func `plain text needs a near gateway, or leave`() throws {
    var profile = try profile(.header)
    #expect(profile.plaintextRefusal == nil)
    profile.url = try GatewayURL("ws://agent.example/ws")
    #expect(profile.plaintextRefusal?.exitStatus == .usage)
    profile.allowsPlaintext = true
    #expect(profile.plaintextRefusal == nil)
    profile.allowsPlaintext = false
    profile.url = try GatewayURL("ws://10.0.0.7:8787/ws")
    #expect(profile.plaintextRefusal == nil)
  }
}

struct TokenFileTests {
  let folder = TemporaryFolder("token")

  private func file(_ text: String, mode: UInt32 = 0o600) -> String {
    let path = folder.write(text, to: "token")
    TestFiles.setMode(mode, of: path)
    return path
  }

  private func failure(_ path: String) -> TransferFailure? {
    do throws(TransferFailure) {
      _ = try TokenFile.read(path)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["secret-1", "secret-1\n", "secret-1\r\n", " secret-1 \t\nand a comment\n", "secret-1\n\n"])
  func `the token is the first line, without white space around it`(text: String) throws {
    #expect(try TokenFile.read(file(text)).exposed == "secret-1")
  }

  @Test(arguments: ["", "\n", " \n secret-1", "two words", "null\0byte", "tab\tin it", "ünïcode", "\u{7f}"])
  func `what is no token is refused without showing it`(text: String) {
    let failure = failure(file(text))
    #expect(failure?.code == .localFile)
    #expect(failure?.message.hasPrefix("the token in \(folder.path("token")) is ") == true)
    for word in ["secret", "words", "null", "tab\t", "ünï"] { #expect(failure?.message.contains(word) == false) }
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o660, 0o611, 0o777] as [UInt32])
  func `a file that others may use is refused, with what helps`(mode: UInt32) {
    let path = file("secret-1", mode: mode)
    #expect(
      failure(path)
        == TransferFailure(
          .localFile, "cannot use the token in \(path): other users may use it (mode 0\(String(mode, radix: 8)))",
          hint: "chmod 600 \(path)"))
  }

  @Test func `a file that only we may read is as good`() throws {
    #expect(try TokenFile.read(file("secret-1", mode: 0o400)).exposed == "secret-1")
  }

  /// Only root can give a file away.
  @Test(.enabled(if: getuid() == 0)) func `a file of another user is refused`() {
    let path = file("secret-1")
    #expect(chown(path, 12_345, 0) == 0)
    #expect(failure(path)?.message.hasSuffix("it belongs to user 12345, not to us (0)") == true)
  }

  @Test func `what is no file is refused, without waiting for it`() {
    let fifo = folder.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    for path in [fifo, folder.path, "/dev/null"] {
      #expect(failure(path)?.message.hasSuffix("it is not a regular file") == true, "\(path)")
    }
    #expect(failure(folder.path("none"))?.message.hasSuffix("no such file or directory") == true)
  }

  @Test func `a link is followed, and what it leads to is judged`() throws {
    let link = folder.path("link")
    TestFiles.link(to: file("secret-1"), at: link)
    #expect(try TokenFile.read(link).exposed == "secret-1")
    _ = file("secret-1", mode: 0o644)
    #expect(failure(link) != nil)
  }

  @Test func `a file that is too long is no token`() {
    #expect(failure(file(String(repeating: "x", count: 4_097)))?.code == .localFile)
    #expect(failure(file(String(repeating: "x", count: 1 << 20)))?.code == .localFile)
    #expect(failure(file(String(repeating: "x", count: 4_096))) == nil)
  }

  @Test func `what was written is read back, and nobody else reads it`() throws {
    let path = folder.path("deep/tokens/home")
    for token in ["first-token", "second"] {
      try TokenFile.write(Secret(token), to: path)
      #expect(try TokenFile.read(path).exposed == token)
    }
    #expect(TestFiles.mode(path) == 0o600 && TestFiles.mode(folder.path("deep/tokens")) == 0o700)
    #expect(TestFiles.names(in: folder.path("deep/tokens")) == ["home"])
    for _ in 0..<2 { try TokenFile.remove(path) }
    #expect(!TestFiles.exists(path))
  }
}

struct DeviceFileTests {
  let folder = TemporaryFolder("device")

  @Test func `the ID is made once, and stays`() throws {
    let made = try DeviceFile.identity(inFolder: folder.path("deep/er"))
    #expect(made.id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    #expect(made.platform == "linux" && !made.name.isEmpty && made.appVersion == HermesTransferVersion.text)
    #expect(try DeviceFile.identity(inFolder: folder.path("deep/er")) == made)
    #expect(try DeviceFile.existingIdentity(inFolder: folder.path("deep/er")) == made)
    #expect(TestFiles.mode(folder.path("deep/er/device")) == 0o600)
    #expect(TestFiles.mode(folder.path("deep/er")) == 0o700)
    #expect(TestFiles.names(in: folder.path("deep/er")) == ["device"])
  }

  @Test func `looking makes nothing`() throws {
    #expect(try DeviceFile.existingIdentity(inFolder: folder.path("none")) == nil)
    #expect(folder.names == [])
  }

  @Test func `many first starts at the same moment have one ID`() async throws {
    let path = folder.path
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 { group.addTask { try DeviceFile.identity(inFolder: path).id } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(folder.names == ["device"])
  }

  @Test(arguments: ["", "\n", "short", "with space in it", "../../etc/passwd", String(repeating: "a", count: 65)])
  func `what is no ID is refused and left alone`(text: String) throws {
    folder.write(text, to: "device")
    let failure = #expect(throws: TransferFailure.self) { try DeviceFile.identity(inFolder: folder.path) }
    #expect(failure?.code == .localFile)
    #expect(TestFiles.text(folder.path("device")) == text)
  }

  @Test func `an ID that somebody chose is taken`() throws {
    folder.write("my-old-phone\n", to: "device")
    #expect(try DeviceFile.identity(inFolder: folder.path).id == "my-old-phone")
  }
}
