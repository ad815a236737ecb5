import Core
import State
import TestKit
import Testing

struct AttemptTests {
  let folder = TemporaryFolder("state")

  @Test func `attempts come back as they were written, in order`() throws {
    let store = try Store(folder: folder.path)
    try store.insert([.sample(1), .sample(2)])
    let attempts = (1...3).map { AttemptRecord.sample($0, of: .sample(1)) }
    try store.add([attempts[2], attempts[0], .sample(1, of: .sample(2)), attempts[1]])
    #expect(try store.attempts(of: .sample(1)) == attempts)
    #expect(try store.attempts(of: .sample(3)) == [])
  }

  @Test func `the newest fifty of a transfer are kept`() throws {
    let store = try Store(folder: folder.path)
    try store.insert([.sample(1), .sample(2)])
    try store.add([.sample(1, of: .sample(2))])
    try store.add((1...120).map { .sample($0, of: .sample(1)) })
    #expect(try store.attempts(of: .sample(1)).map(\.number) == Array(71...120))
    #expect(try store.attempts(of: .sample(2)).count == 1)
  }

  @Test func `an attempt that is told again replaces the first telling`() throws {
    let store = try Store(folder: folder.path)
    try store.insert([.sample(1)])
    var attempt = AttemptRecord.sample(1, of: .sample(1))
    try store.add([attempt])
    attempt.byteCount = 5
    try store.add([attempt])
    #expect(try store.attempts(of: .sample(1)) == [attempt])
  }

  @Test func `attempts go with their transfer`() throws {
    let store = try Store(folder: folder.path)
    try store.insert([.sample(1), .sample(2)])
    try store.add([.sample(1, of: .sample(1)), .sample(1, of: .sample(2))])
    try store.remove([.sample(1)])
    try store.add([.sample(2, of: .sample(1)), .sample(2, of: .sample(2))])
    #expect(try store.attempts(of: .sample(1)) == [])
    #expect(try store.attempts(of: .sample(2)).count == 2)
  }
}

struct HostTests {
  let folder = TemporaryFolder("state")

  @Test func `a limit holds until its time, and the newest counts`() throws {
    let store = try Store(folder: folder.path)
    try store.remember(origin: "https://a.example:443", connections: 8, until: 100)
    try store.remember(origin: "https://a.example:443", connections: 2, until: 200)
    try store.remember(origin: "https://b.example:443", connections: 1, until: 150)
    #expect(try store.connectionLimits(now: 120) == ["https://a.example:443": 2, "https://b.example:443": 1])
    #expect(try store.connectionLimits(now: 150) == ["https://a.example:443": 2])
    #expect(try store.connectionLimits(now: 200) == [:])
  }

  @Test func `a thousand servers are remembered, those whose limit ends last`() throws {
    let store = try Store(folder: folder.path)
    for number in 0..<1_010 { try store.remember(origin: "o\(number)", connections: 1, until: Double(number)) }
    let limits = try store.connectionLimits(now: -1)
    #expect(limits.count == 1_000)
    #expect(limits["o9"] == nil)
    #expect(limits["o10"] == 1)
  }
}
