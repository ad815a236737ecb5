/// What gateways taught about how large a part they take.
extension Store {
  /// The gateways remembered; those learned last stay.
  static let partSizesKept = 1_000

  /// Remembers that a gateway takes parts of this size and refused larger ones.
  public func remember(gateway: String, partByteCount: Int, at now: Double) throws(StateError) {
    try database.transaction { () throws(StateError) in
      try database.run("INSERT OR REPLACE INTO part_sizes (gateway, byte_count, learned_at) VALUES (?, ?, ?)") {
        $0.bind(gateway)
        $0.bind(partByteCount)
        $0.bind(now)
      }
      try database.run(Self.trimPartSizes) { $0.bind(Self.partSizesKept) }
    }
  }

  /// The size of the parts that a gateway is known to take; nil when it never refused any.
  public func partByteCount(gateway: String) throws(StateError) -> Int? {
    try database.first("SELECT byte_count FROM part_sizes WHERE gateway = ?", { $0.bind(gateway) }) {
      Int($0.integer())
    }
  }

  private static let trimPartSizes = """
    DELETE FROM part_sizes
    WHERE gateway IN (SELECT gateway FROM part_sizes ORDER BY learned_at DESC LIMIT -1 OFFSET ?)
    """
}
