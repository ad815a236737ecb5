import TestKit
import Testing

/// Wrong bytes after a resume: what happened to users of other tools, one test a report.
@Suite(.fewAtOnce) struct ResumeTests {
  private let trial = Trial()
  private let held = Trial.held
  private let total = Trial.total

  @Test func `W57 D01 a server that ignores the range gives a clean restart`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.ignoreRange))
    let result = await trial.download()
    trial.expectWhole(result)
    #expect(trial.laterRequests.map(\.range) == ["bytes=\(held)-"])
    #expect(result.standardError.contains("ignores ranges"), "\(result)")
  }

  @Test(arguments: [true, false])
  func `D08 the restart is told with what it costs, whether the whole names its range or not`(named: Bool) async {
    defer { trial.server.stop() }
    await trial.leavePartial(
      then: .always(.ignoreRange, .header(named ? "Content-Range" : "X-Other", "bytes 0-\(total - 1)/\(total)")))
    let result = await trial.download()
    trial.expectWhole(result)
    if !named { #expect(result.standardError.contains("1.0 MiB"), "\(result)") }
  }

  @Test func `W58 D02 a part that starts earlier than asked is put where it belongs`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.shiftRange(by: -65_536)))
    trial.expectWhole(await trial.download())
    #expect(trial.laterRequests.count == 1)
  }

  @Test func `W58 D02 a part that starts later than asked is never written, and asked for again`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .on(1, .shiftRange(by: 65_536)))
    trial.expectWhole(await trial.download())
    #expect(trial.laterRequests.allSatisfy { $0.range == "bytes=\(held)-" })
  }

  @Test func `D02 a server that always starts later fails, and the partial stays`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.shiftRange(by: 65_536)))
    trial.expectNothing(await trial.download(), exit: 12)
    #expect(trial.sandbox.partNames.count == 1)
    #expect(trial.laterRequests.count <= 3)
  }

  @Test func `D04 a part with status 200 is a part`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.rangeWithStatus200))
    trial.expectWhole(await trial.download())
    #expect(trial.server.bodyByteCount == total)
  }

  @Test func `D05 another version of the same length leaves no old byte`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.changed(.pattern(2, byteCount: total, tag: "\"E2\""))))
    let result = await trial.download()
    trial.expectWhole(result, Pattern(2))
    #expect(trial.laterRequests.first?["if-range"] == "\"E1\"")
    #expect(result.standardError.contains("changed"), "\(result)")
  }

  @Test func `W60 D05 a server that ignores If-Range is seen through by the tag of its answer`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(
      then: .always(.changed(.pattern(2, byteCount: total, tag: "\"E2\"")), .ignoreIfRange))
    trial.expectWhole(await trial.download(), Pattern(2))
  }

  @Test func `D05 a change ends the download when the user wants that`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.changed(.pattern(2, byteCount: total, tag: "\"E2\""))))
    trial.expectNothing(await trial.download("--on-change", "fail"), exit: 8)
  }

  @Test func `D06 a retry in one process is as strict as a second run`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .cut(after: held)), .from(2, .changed(.pattern(2, byteCount: total, tag: "\"E2\""))))
    trial.expectWhole(await trial.download(), Pattern(2))
  }

  @Test(arguments: [Fault.weakTag, .noValidator, .lastModified(age: 5)])
  func `W60 without a strong validator a change is found by comparing the bytes held`(fault: Fault) async {
    defer { trial.server.stop() }
    trial.serve(
      .on(1, fault, .cut(after: held)),
      .from(2, .changed(.pattern(2, byteCount: total, tag: nil)), fault))
    trial.expectWhole(await trial.download(), Pattern(2))
  }

  @Test(arguments: [Fault.weakTag, .noValidator])
  func `without a strong validator an unchanged file is resumed all the same`(fault: Fault) async {
    defer { trial.server.stop() }
    trial.serve(.on(1, fault, .cut(after: held)), .from(2, fault))
    trial.expectWhole(await trial.download())
    #expect(trial.server.bodyByteCount <= total + (1 << 17))
  }

  @Test func `a Last-Modified that is old enough stands in for a tag`() async {
    defer { trial.server.stop() }
    trial.server.serve(
      "/f", .pattern(1, byteCount: total, tag: nil, age: 7200), .on(1, .cut(after: held)))
    trial.expectWhole(await trial.download())
    #expect(trial.requests.last?["if-range"]?.hasSuffix("GMT") == true)
    #expect(trial.server.bodyByteCount == total)
  }

  @Test func `D07 a file that is not ours is neither a prefix nor overwritten`() async {
    defer { trial.server.stop() }
    trial.serve()
    Pattern(9).write(byteCount: held, to: trial.target)
    let refused = await trial.download()
    #expect(refused.exitStatus == 9, "\(refused)")
    refused.expectOneError()
    #expect(Pattern(9).firstDifference(inFile: trial.target, byteCount: held) == nil)
    trial.expectWhole(await trial.download("--if-exists", "overwrite"))
    #expect(trial.requests.allSatisfy { $0.range == nil || $0.range == "bytes=0-" })
  }

  @Test func `D10 all bytes held and a server that refuses what lies beyond: finished without asking`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .chunked(terminated: false)), .from(2, .status(400)))
    let first = await trial.download("--max-attempts", "1")
    trial.expectWhole(first.exitStatus == 0 ? first : await trial.download())
  }

  @Test func `W56 D11 D13 a complete partial of unknown length is finished by 416, whose page is not kept`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .ignoreRange, .chunked(terminated: false)))
    let first = await trial.download("--max-attempts", "1")
    #expect(first.exitStatus != 0, "\(first)")
    trial.expectWhole(await trial.download())
    #expect(trial.server.bodyByteCount <= total + 222)
  }

  @Test func `D10 D11 D13 D22 a file that shrank below what is held is fetched anew`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.changed(.pattern(2, byteCount: held / 2, tag: "\"E2\"")), .ignoreIfRange))
    trial.expectWhole(await trial.download(), Pattern(2), byteCount: held / 2)
  }

  @Test func `D11 a 416 without a length is no dead end`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .on(1, .status(416)))
    trial.expectWhole(await trial.download())
  }

  @Test func `D14 D96 the same command again asks at most once and fetches nothing`() async {
    defer { trial.server.stop() }
    trial.serve()
    trial.expectWhole(await trial.download())
    trial.expectWhole(await trial.download())
    #expect(trial.server.bodyByteCount == total)
    #expect(trial.requests.count <= 2)
  }

  @Test func `D14 D96 nor when the name came from the URL`() async {
    defer { trial.server.stop() }
    trial.serve()
    for _ in 0..<2 {
      let result = await trial.sandbox.run("download", trial.server.url("/f"))
      trial.expectWhole(result)
    }
    #expect(trial.server.bodyByteCount == total)
  }

  @Test func `D14 a finished file whose remote changed is fetched again, and the old one stays until then`() async {
    defer { trial.server.stop() }
    trial.serve()
    trial.expectWhole(await trial.download())
    trial.serve(.always(.changed(.pattern(2, byteCount: total, tag: "\"E2\"")), .cut(after: held)))
    _ = await trial.download("--if-exists", "overwrite", "--max-attempts", "1")
    #expect(Pattern(1).firstDifference(inFile: trial.target, byteCount: total) == nil)
  }

  @Test func `D16 a part of a file cannot be asked for`() async {
    defer { trial.server.stop() }
    let result = await trial.download("--range", "1000-1999")
    trial.expectNothing(result, exit: 2)
    #expect(trial.requests.isEmpty)
  }

  @Test func `D17 the partial of another URL is not used for the same name`() async {
    defer { trial.server.stop() }
    await trial.leavePartial()
    trial.server.serve("/g", .pattern(4, byteCount: total))
    let result = await trial.download(path: "/g")
    #expect(result.exitStatus == 0, "\(result)")
    #expect(Pattern(4).firstDifference(inFile: trial.target, byteCount: total) == nil)
    #expect(trial.server.requests("/g").map(\.range) == ["bytes=0-"])
  }

  @Test func `D20 an encoded answer is refused, and identity is always asked for`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.encoding("gzip")))
    trial.expectNothing(await trial.download(), exit: 12)
    #expect(trial.requests.allSatisfy { $0["accept-encoding"] == "identity" })
  }

  @Test func `D56 a login page does not touch the partial`() async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .on(1, .html200))
    trial.expectNothing(await trial.download(), exit: 8)
    trial.expectWhole(await trial.download())
    #expect(trial.laterRequests.map(\.range) == ["bytes=\(held)-", "bytes=\(held)-"])
  }

  @Test func `D81 a name given by the server and a resume go together`() async {
    defer { trial.server.stop() }
    let naming = Fault.disposition("attachment; filename=\"given.bin\"")
    trial.serve(.always(naming, .cut(after: held)))
    let first = await trial.sandbox.run("download", trial.server.url("/f"), "--max-attempts", "1")
    #expect(first.exitStatus != 0, "\(first)")
    trial.serve(.always(naming))
    let second = await trial.sandbox.run("download", trial.server.url("/f"))
    #expect(second.lines == [trial.sandbox.path("given.bin")], "\(second)")
    #expect(trial.sandbox.names == ["given.bin"])
    #expect(Pattern(1).firstDifference(inFile: trial.sandbox.path("given.bin"), byteCount: total) == nil)
    #expect(trial.server.bodyByteCount == total)
  }

  @Test func `a partial is thrown away when the user wants no resume`() async {
    defer { trial.server.stop() }
    await trial.leavePartial()
    trial.expectWhole(await trial.download("--no-resume"))
    #expect(trial.laterRequests.map(\.range) == ["bytes=0-"])
  }

  @Test func `W63 a partial that is gone means a clean start`() async {
    defer { trial.server.stop() }
    await trial.leavePartial()
    for name in trial.sandbox.partNames { TestFiles.removeTree(trial.sandbox.path(name)) }
    trial.expectWhole(await trial.download())
  }

  @Test func `W63 a partial that was cut short by others is not trusted beyond its length`() async {
    defer { trial.server.stop() }
    await trial.leavePartial()
    for name in trial.sandbox.partNames {
      TestFiles.write(Pattern(1).bytes(0..<1000), to: trial.sandbox.path(name))
    }
    trial.expectWhole(await trial.download())
  }

  @Test func `W63 the state folder may move`() async {
    defer { trial.server.stop() }
    await trial.leavePartial()
    let moved = trial.sandbox.root.path("moved")
    TestFiles.move(trial.sandbox.stateFolder, to: moved)
    trial.expectWhole(await trial.download("--state-dir", moved))
    #expect(trial.laterRequests.map(\.range) == ["bytes=\(held)-"])
  }

  @Test func `W63 kill -9 in the middle loses at most one MiB`() async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: 2 * held)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let isWritten = await eventually { [trial, held] in trial.partByteCount >= held }
    #expect(isWritten)
    // Until the row tells of the partial, a few milliseconds, nothing of it counts.
    var listed: Int64?
    for _ in 0..<200 where listed == nil { listed = try await trial.sandbox.transfers().first?.bytes_total }
    #expect(listed == total)
    life.kill(9)
    #expect(await life.wait().signal == 9)
    let written = trial.partByteCount
    trial.expectWhole(await trial.download())
    // What the server sent into the dead connection's buffers is no measure.
    let start = trial.laterRequests.first?.range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    #expect(start >= written - (1 << 20))
  }
}
