import Core
import TestKit
import Testing

@testable import Gateway

@Suite struct FaultSpecTests {
  @Test(arguments: [
    ("cut=70000", FaultSpec(fault: .cut(afterByteCount: 70_000))),
    ("cut=0:3", FaultSpec(fault: .cut(afterByteCount: 0), times: 3)),
    ("stall=5:1", FaultSpec(fault: .stall(afterByteCount: 5), times: 1)),
    ("status=503", FaultSpec(fault: .status(503, retryAfter: nil))),
    ("status=503:2", FaultSpec(fault: .status(503, retryAfter: nil), times: 2)),
    ("status=429:2:7", FaultSpec(fault: .status(429, retryAfter: "7"), times: 2)),
    ("status=429::7", FaultSpec(fault: .status(429, retryAfter: "7"))),
    (
      "status=503:1:Sun, 06 Nov 1994 08:49:37 GMT",
      FaultSpec(fault: .status(503, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"), times: 1)
    ),
    ("new-tag", FaultSpec(fault: .newTag(afterBodyCount: 1))),
    ("new-tag=0", FaultSpec(fault: .newTag(afterBodyCount: 0))),
    ("ignore-range", FaultSpec(fault: .ignoreRange)), ("no-validator", FaultSpec(fault: .noValidator)),
    ("weak-tag", FaultSpec(fault: .weakTag)), ("shift-range=10", FaultSpec(fault: .shiftRange(byteCount: 10))),
    ("shift-range=-10", FaultSpec(fault: .shiftRange(byteCount: -10))),
    ("encoding=gzip", FaultSpec(fault: .encoding("gzip"))), ("no-length", FaultSpec(fault: .noLength)),
  ])
  func `every known form is read`(text: String, spec: FaultSpec) throws {
    #expect(try FaultSpec(text) == spec)
  }

  @Test(arguments: [
    "", "cut", "cut=", "cut=-1", "cut=1:", "cut=1:2:3", "stall=x", "status=", "status=99", "status=600", "status=50x",
    "status=200", "status=503:x", "status=503:1:", "status=503:1:a\r\nb", "new-tag=", "ignore-range=1", "weak-tag=",
    "shift-range=", "shift-range=99999999999999999999", "encoding=", "encoding=a b", "no-length=1", "melt",
  ])
  func `anything else is refused with the known forms`(text: String) {
    let error = #expect(throws: FaultSpecError.self) { try FaultSpec(text) }
    #expect(error?.description.hasPrefix("unknown fault '\(text)'; known: cut=BYTES[:TIMES], ") == true)
  }

  @Test func `random texts are read or refused, never worse`() throws {
    let pieces = ["cut", "stall", "status", "new-tag", "shift-range", "encoding", "=", ":", "-", "9", "503", "\0", "é"]
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let text = random.text(of: pieces, maxCount: 6)
      guard let spec = try? FaultSpec(text) else { continue }
      #expect(text.contains("=") || spec.times == nil, "SEED=\(seed)")
    }
  }
}

@Suite struct FaultPlanTests {
  @Test func `a cut strikes its times among the bodies that reach it`() throws {
    var server = FileServer(faults: FaultPlan([try FaultSpec("cut=500:2")]))
    let cuts = [get(), get(("Range", "bytes=0-9")), head(), get(("Range", "bytes=100-")), get()].map {
      server.plan($0, for: file, now: now).delivery.cutAfter
    }
    #expect(cuts == [500, nil, nil, 500, nil])
  }

  @Test func `one body meets one fault, in the order given`() throws {
    let specs = ["cut=0:1", "stall=7:1", "cut=9"]
    var server = FileServer(faults: FaultPlan(try specs.map { try FaultSpec($0) }))
    let deliveries = (0..<4).map { _ in server.plan(get(), for: file, now: now).delivery }
    #expect(deliveries.map(\.cutAfter) == [0, nil, 9, 9])
    #expect(deliveries.map(\.stallAfter) == [nil, 7, nil, nil])
  }

  @Test func `a stall without times strikes every body`() throws {
    var server = FileServer(faults: FaultPlan([try FaultSpec("stall=0")]))
    #expect((0..<3).map { _ in server.plan(get(), for: file, now: now).delivery.stallAfter } == [0, 0, 0])
  }

  @Test func `a status comes first and then lets through`() throws {
    var server = FileServer(faults: FaultPlan([try FaultSpec("status=503:1:2"), try FaultSpec("status=429:1")]))
    let answers = (0..<3).map { _ in server.plan(get(), for: file, now: now) }
    #expect(answers.map(\.status) == [503, 429, 200])
    #expect(answers.map { $0.value("Retry-After") } == ["2", nil, nil])
  }

  @Test func `after its bodies the file is another one of the same length`() throws {
    var server = FileServer(faults: FaultPlan([try FaultSpec("new-tag=2")]))
    _ = server.plan(head(), for: file, now: now)
    let answers = (0..<3).map { _ in server.plan(get(("Range", "bytes=0-9")), for: file, now: now) }
    #expect(answers.map(\.delivery.isAltered) == [false, false, true])
    #expect(answers[1].value("ETag") == tag)
    #expect(answers[2].value("ETag") != tag)
    #expect(answers[2].value("Content-Range") == "bytes 0-9/1000")
    let resumed = get(("Range", "bytes=5-"), ("If-Range", tag))
    #expect(server.plan(resumed, for: file, now: now).status == 200)
  }

  @Test func `ignored ranges answer with the whole and promise nothing`() {
    let answer = plan(get(("Range", "bytes=5-")), faults: [FaultSpec(fault: .ignoreRange)])
    #expect(answer.status == 200)
    #expect(answer.body == .file(ByteRange(0, 1000)))
    #expect(answer.value("Accept-Ranges") == nil)
  }

  @Test func `without validators no precondition can hold a date or a tag`() {
    let faults = [FaultSpec(fault: .noValidator)]
    let answer = plan(get(("Range", "bytes=5-")), faults: faults)
    #expect(answer.status == 206)
    #expect(answer.value("ETag") == nil)
    #expect(answer.value("Last-Modified") == nil)
    #expect(plan(get(("Range", "bytes=5-"), ("If-Range", tag)), faults: faults).status == 200)
    #expect(plan(get(("If-Match", "*")), faults: faults).status == 200)
  }

  @Test(
    arguments: [
      (10, "bytes=100-199", "bytes 90-199/1000"), (10, "bytes=5-9", "bytes 0-9/1000"),
      (-10, "bytes=100-199", "bytes 110-199/1000"), (-500, "bytes=100-199", "bytes 199-199/1000"),
    ] as [(Int64, String, String)])
  func `a shifted range says honestly where it starts`(shift: Int64, asked: String, got: String) {
    let answer = plan(get(("Range", asked)), faults: [FaultSpec(fault: .shiftRange(byteCount: shift))])
    #expect(answer.status == 206)
    #expect(answer.value("Content-Range") == got)
    #expect(answer.byteCount == RangeRequestTests.byteCount(of: got))
  }

  @Test func `the coding lie and the missing length are told as asked`() {
    let answer = plan(get(), faults: [FaultSpec(fault: .encoding("gzip")), FaultSpec(fault: .noLength)])
    #expect(answer.value("Content-Encoding") == "gzip")
    #expect(!answer.delivery.statesLength)
    #expect(plan(get(), faults: [FaultSpec(fault: .weakTag)]).value("ETag") == "W/" + tag)
  }

}

extension RangeRequestTests {
  /// The bytes that a Content-Range of `bytes a-b/N` covers.
  static func byteCount(of contentRange: String) -> Int64? {
    let numbers = contentRange.split { !$0.isNumber }.compactMap { Int64($0) }
    return numbers.count == 3 ? numbers[1] - numbers[0] + 1 : nil
  }
}
