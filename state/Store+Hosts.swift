/// What servers taught about how many connections they take.
extension Store {
  /// The servers remembered; the memory that ends last stays.
  static let hostsKept = 1_000

  /// Remembers that a server answered 429 or 503 to more connections than these, until a time in seconds since 1970.
  public func remember(origin: String, connections: Int, until: Double) throws(StateError) {
    try database.transaction { () throws(StateError) in
      try database.run("INSERT OR REPLACE INTO hosts (origin, connections, until) VALUES (?, ?, ?)") {
        $0.bind(origin)
        $0.bind(connections)
        $0.bind(until)
      }
      try database.run(Self.trimHosts) { $0.bind(Self.hostsKept) }
    }
  }

  /// The limits that hold now, by origin (`https://host:port`).
  public func connectionLimits(now: Double) throws(StateError) -> [String: Int] {
    let limits = try database.rows("SELECT origin, connections FROM hosts WHERE until > ?", { $0.bind(now) }) {
      ($0.text(), Int($0.integer()))
    }
    return Dictionary(limits) { _, later in later }
  }

  private static let trimHosts = """
    DELETE FROM hosts WHERE origin IN (SELECT origin FROM hosts ORDER BY until DESC LIMIT -1 OFFSET ?)
    """
}
