import Core
import TestKit
import Testing

@Suite struct SimulatedLifeTests {
  @Test func `thousands of lives end with one whole version, or none`() {
    var endings: [String: Int] = [:]
    for seed in Seeds.fromEnvironment(count: 5_000) {
      var life = SimulatedLife(seed: seed)
      life.run()
      endings[life.ending, default: 0] += 1
      guard let fault = life.fault else { continue }
      var told = SimulatedLife(seed: seed, isTold: true)
      told.run()
      let story = told.story.suffix(60).joined(separator: "\n")
      Issue.record("SEED=\(seed): \(fault), after \(life.events) events and \(life.lives) lives\n\(story)")
      return
    }
    guard endings.values.reduce(0, +) > 100 else { return }
    // A world in which next to nothing succeeds proves nothing.
    #expect(endings["finished", default: 0] > endings.values.reduce(0, +) / 2, "\(endings)")
  }
}
