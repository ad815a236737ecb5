import Core
import TestKit
import Testing

@Suite struct SimulatedSessionTests {
  @Test func `thousands of uploads are sent when they were read, delivered when they are whole, and never torn`() {
    var endings: [String: Int] = [:]
    for seed in Seeds.fromEnvironment(count: 2_000) {
      var life = SimulatedSession(seed: seed)
      life.run()
      endings[life.ending, default: 0] += 1
      guard let fault = life.fault else { continue }
      var told = SimulatedSession(seed: seed, isTold: true)
      told.run()
      let story = told.story.suffix(60).joined(separator: "\n")
      Issue.record("SEED=\(seed): \(fault), after \(life.events) events and \(life.lives) lives\n\(story)")
      return
    }
    let count = endings.values.reduce(0, +)
    guard count > 100 else { return }
    // A world in which next to nothing succeeds, or nothing goes wrong, proves nothing.
    #expect(endings["sent", default: 0] + endings["delivered", default: 0] > count / 2, "\(endings)")
    #expect(endings["uncertain", default: 0] > 0 && endings["source-changed", default: 0] > 0, "\(endings)")
    #expect(endings["unfinished", default: 0] < count / 20, "\(endings)")
  }
}

@Suite struct SimulatedInboxTests {
  @Test func `thousands of inboxes hold whole files, none of them twice, and nothing half done`() {
    var (saved, incomplete, rejected, duplicates) = (0, 0, 0, 0)
    let seeds = Seeds.fromEnvironment(count: 1_000)
    for seed in seeds {
      var life = SimulatedInbox(seed: seed)
      life.run()
      saved += life.saved
      incomplete += life.incomplete
      rejected += life.rejected
      duplicates += life.duplicates
      guard let fault = life.fault else { continue }
      var told = SimulatedInbox(seed: seed, isTold: true)
      told.run()
      let story = told.story.suffix(80).joined(separator: "\n")
      Issue.record("SEED=\(seed): \(fault), after \(life.events) events and \(life.lives) lives\n\(story)")
      return
    }
    guard seeds.count > 100 else { return }
    #expect(saved > seeds.count && incomplete > 100 && rejected > 100 && duplicates > 100)
  }
}
