import TestKit
import Testing

/// What a file is called, and what is in the way.
@Suite(.fewAtOnce) struct NameTests {
  private let server = FaultServer()
  private let sandbox = Sandbox()

  private func download(_ path: String, _ flags: String...) async -> ProgramResult {
    await sandbox.start(["download", server.url(path)] + flags).wait()
  }

  @Test(arguments: [
    ("attachment; filename*=UTF-8''only%20star.bin", "only star.bin"),
    ("attachment; filename*=UTF-8''a.7z; filename=\"b.7z\"", "a.7z"),
    ("attachment; filename=\"b.7z\"; filename*=UTF-8''a.7z", "a.7z"),
    ("attachment; filename*=iso-8859-1''%A3%20rates.txt", "£ rates.txt"),
    ("attachment; filename*=UTF-8''%e2%82%ac.txt; filename=\"EURO.txt\"", "€.txt"),
    ("attachment; filename=plain.bin", "plain.bin"),
    ("attachment; filename=\"with \\\"quotes\\\".bin\"", "with \"quotes\".bin"),
    ("attachment; filename=\"../../evil.bin\"", "evil.bin"),
    ("attachment; filename=\"..\\\\..\\\\evil.bin\"", "evil.bin"),
    ("attachment; filename=\"/etc/passwd\"", "passwd"),
    ("attachment; filename*=UTF-8''..%2F..%2Fevil.bin", "evil.bin"),
    ("attachment; filename=\".bashrc\"", "bashrc"),
    ("inline", "file.dat"),
    ("attachment; filename=\"\"", "file.dat"),
  ]) func `D76 D77 D78 D79 D80 the name a server gives`(value: String, name: String) async {
    defer { server.stop() }
    server.serve("/file.dat", .text("x"), .always(.disposition(value)))
    let result = await download("/file.dat")
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names == [name], "\(result)")
    #expect(result.lines == [sandbox.path(name)])
  }

  @Test(arguments: [
    ("/a%20b.bin", "a b.bin"), ("/x/..%2F..%2Fevil.bin", "evil.bin"), ("/x/a%5Cb.bin", "b.bin"),
    ("/f.bin?name=other", "f.bin"), ("/%C3%A4.bin", "ä.bin"), ("/it's%20(1).bin", "it's (1).bin"),
  ]) func `D79 the name a URL gives`(path: String, name: String) async {
    defer { server.stop() }
    server.serve(String(path.prefix { $0 != "?" }), .text("x"))
    let result = await download(path)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names == [name], "\(result)")
  }

  @Test(arguments: ["/", "/x/", "/.."]) func `a URL without a name still gives a file`(path: String) async {
    defer { server.stop() }
    server.serve(path == "/.." ? "/" : path, .text("x"))
    let result = await download(path)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names.count == 1)
    #expect(sandbox.names.first?.hasPrefix(".") == false)
  }

  @Test func `a name of 300 bytes from a server is cut and keeps its extension`() async throws {
    defer { server.stop() }
    let long = String(repeating: "ü", count: 150) + ".bin"
    server.serve("/f", .text("x"), .always(.disposition("attachment; filename=\"\(long)\"")))
    let result = await download("/f")
    #expect(result.exitStatus == 0, "\(result)")
    let name = try #require(sandbox.names.first)
    #expect(name.utf8.count <= 200)
    #expect(name.hasSuffix("ü.bin"))
  }

  @Test func `a name of 300 bytes that the user gives is refused`() async {
    defer { server.stop() }
    server.serve("/f", .text("x"))
    let result = await download("/f", "-o", String(repeating: "n", count: 300))
    #expect(result.exitStatus == 9, "\(result)")
    result.expectOneError()
    #expect(sandbox.names.isEmpty)
  }

  @Test func `D80 W65 a taken name is left alone and another one chosen`() async {
    defer { server.stop() }
    server.serve("/f.bin", .text("new"))
    TestFiles.write(Array("old".utf8), to: sandbox.path("f.bin"))
    let result = await download("/f.bin")
    #expect(result.lines == [sandbox.path("f (1).bin")], "\(result)")
    #expect(TestFiles.text(sandbox.path("f.bin")) == "old")
    #expect(TestFiles.text(sandbox.path("f (1).bin")) == "new")
  }

  @Test(arguments: ["fail", "rename", "overwrite", "skip"])
  func `D80 what --if-exists says is done`(choice: String) async {
    defer { server.stop() }
    server.serve("/f", .text("new"))
    TestFiles.write(Array("old".utf8), to: sandbox.path("g"))
    let result = await download("/f", "-o", "g", "--if-exists", choice)
    #expect(result.exitStatus == (choice == "fail" ? 9 : 0), "\(result)")
    #expect(TestFiles.text(sandbox.path("g")) == (choice == "overwrite" ? "new" : "old"))
    #expect(sandbox.names == (choice == "rename" ? ["g", "g (1)"] : ["g"]))
  }

  @Test(arguments: [true, false]) func `W51 D80 a link at the target is not followed`(dangling: Bool) async {
    defer { server.stop() }
    let precious = sandbox.root.path("precious")
    if !dangling { TestFiles.write(Array("keep".utf8), to: precious) }
    TestFiles.link(to: precious, at: sandbox.path("f"))
    server.serve("/f", .text("new"))
    let result = await download("/f", "-o", "f", "--if-exists", "overwrite")
    #expect(TestFiles.text(precious) == (dangling ? nil : "keep"))
    if result.exitStatus == 0 { #expect(TestFiles.text(sandbox.path("f")) == "new") }
    let unnamed = await download("/f")
    #expect(unnamed.exitStatus == 0, "\(unnamed)")
    #expect(TestFiles.text(precious) == (dangling ? nil : "keep"))
  }

  @Test func `two URLs with one name become two files`() async {
    defer { server.stop() }
    server.serve("/a/f.bin", .text("a"))
    server.serve("/b/f.bin", .text("b"))
    let result = await sandbox.run("download", server.url("/a/f.bin"), server.url("/b/f.bin"))
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names == ["f (1).bin", "f.bin"])
    let texts = Set(sandbox.names.compactMap { TestFiles.text(sandbox.path($0)) })
    #expect(texts == ["a", "b"])
  }

  @Test func `a list gives URLs and names`() async {
    defer { server.stop() }
    for name in ["a", "b"] { server.serve("/\(name)", .text(name)) }
    let list = "# comment\n\n\(server.url("/a"))\n\(server.url("/b"))\tother name.txt\n"
    let result = await sandbox.run("download", "-i", "-", input: list)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names == ["a", "other name.txt"])
    #expect(TestFiles.text(sandbox.path("other name.txt")) == "b")
  }
}
