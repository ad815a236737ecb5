import Glibc

/// SplitMix64: the same numbers for the same seed, on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Whether a thing that happens once in `count` times happens now.
  public mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// One of the items, which must not be empty.
  public mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &self)] }

  /// That many bytes of any value.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }

  /// Up to `maxCount` pieces in a row, as hostile as the pieces are; now and then any scalar between them.
  public mutating func text(of pieces: [String], maxCount: Int) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...maxCount, using: &self) {
      if oneIn(8), let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10ffff, using: &self)) {
        text.unicodeScalars.append(scalar)
      } else {
        text += pick(pieces)
      }
    }
    return text
  }
}

/// Which seeds a seeded test runs with: `SEEDS=10000` for how many, `SEED=42` to play one again.
public enum Seeds {
  /// From 0 on, `count` of them unless the environment says otherwise.
  public static func fromEnvironment(count: Int) -> [UInt64] {
    if let seed = number("SEED") { return [seed] }
    return Array(0..<(number("SEEDS") ?? UInt64(count)))
  }

  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}
