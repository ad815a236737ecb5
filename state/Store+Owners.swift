public import Core

/// What another process asks of the process that works on a transfer; the later in this list, the stronger.
public enum Wanted: String, Sendable, CaseIterable {
  case pause, cancel, remove
}

/// Which process works on which transfer. A transfer belongs to one process at most, and a process that ended, in
/// whatever way, owns nothing.
extension Store {
  /// Makes transfers a process's own, all or none: answers those that a living other process holds, and then has taken
  /// none. What was wanted of an earlier owner is forgotten. IDs without a record are passed over.
  public func claim(
    _ ids: [TransferID], owner: OwnerToken
  ) throws(StateError) -> [TransferID: OwnerToken] {
    try database.transaction { () throws(StateError) in
      let held = try holders(of: ids, butFor: owner)
      guard held.isEmpty else { return held }
      for id in ids {
        try database.run("UPDATE transfers SET owner = ? WHERE id = ?") {
          $0.bind(owner.text)
          $0.bind(id.text)
        }
        try database.run("DELETE FROM wanted WHERE transfer = ?") { $0.bind(id.text) }
      }
      return [:]
    }
  }

  /// Lets go of everything a process owns, and of what is still wanted of it.
  public func release(owner: OwnerToken) throws(StateError) {
    try database.transaction { () throws(StateError) in
      try database.run("DELETE FROM wanted WHERE transfer IN (SELECT id FROM transfers WHERE owner = ?)") {
        $0.bind(owner.text)
      }
      try database.run("UPDATE transfers SET owner = NULL WHERE owner = ?") { $0.bind(owner.text) }
    }
  }

  /// Lets go of transfers that the caller owns: those it has finished.
  public func release(_ ids: [TransferID]) throws(StateError) {
    guard !ids.isEmpty else { return }
    try database.transaction { () throws(StateError) in
      for id in ids {
        try database.run("UPDATE transfers SET owner = NULL WHERE id = ?") { $0.bind(id.text) }
        try database.run("DELETE FROM wanted WHERE transfer = ?") { $0.bind(id.text) }
      }
    }
  }

  /// The transfers that living processes work on now.
  public func livingOwners() throws(StateError) -> [TransferID: OwnerToken] {
    let owned = try database.rows("SELECT id, owner FROM transfers WHERE owner IS NOT NULL") {
      (id: $0.text(), owner: $0.text())
    }
    return try living(owned)
  }

  /// Asks the owner of a transfer for something; false, and nothing recorded, when no process owns it. An older wish
  /// stays when it is the stronger one. Whether the owner lives is the caller's to find out.
  public func want(_ wanted: Wanted, for id: TransferID) throws(StateError) -> Bool {
    try database.transaction { () throws(StateError) in
      let isOwned = try database.integer("SELECT count(*) FROM transfers WHERE id = ? AND owner IS NOT NULL") {
        $0.bind(id.text)
      }
      guard isOwned > 0 else { return false }
      let older = try database.first("SELECT what FROM wanted WHERE transfer = ?", { $0.bind(id.text) }) { $0.text() }
      guard wanted.strength >= older.flatMap(Wanted.init)?.strength ?? 0 else { return true }
      try database.run("INSERT OR REPLACE INTO wanted (transfer, what) VALUES (?, ?)") {
        $0.bind(id.text)
        $0.bind(wanted.rawValue)
      }
      return true
    }
  }

  /// What is wanted of a process, oldest transfer first; each wish is told once. Without one it costs a look, no write.
  public func takeWanted(owner: OwnerToken) throws(StateError) -> [(TransferID, Wanted)] {
    guard try !wanted(of: owner).isEmpty else { return [] }
    return try database.transaction { () throws(StateError) in
      let taken = try wanted(of: owner)
      for (id, _) in taken { try database.run("DELETE FROM wanted WHERE transfer = ?") { $0.bind(id.text) } }
      return taken
    }
  }

  private func wanted(of owner: OwnerToken) throws(StateError) -> [(TransferID, Wanted)] {
    let path = database.path
    return try database.rows(Self.selectWanted, { $0.bind(owner.text) }) { row throws(StateError) in
      let (id, what) = (row.text(), row.text())
      guard let transfer = TransferID(id), let wanted = Wanted(rawValue: what) else {
        throw .corrupt(path: path, detail: "'\(what.prefix(40))' is wanted of transfer \(id.prefix(40))")
      }
      return (transfer, wanted)
    }
  }

  static let selectWanted = """
    SELECT w.transfer, w.what FROM transfers t JOIN wanted w ON w.transfer = t.id WHERE t.owner = ? ORDER BY t.number
    """

  /// Living processes other than `owner` that hold some of the transfers.
  private func holders(
    of ids: [TransferID], butFor owner: OwnerToken
  ) throws(StateError) -> [TransferID: OwnerToken] {
    var owned: [(id: String, owner: String)] = []
    for id in ids {
      let holder = try database.first("SELECT owner FROM transfers WHERE id = ?", { $0.bind(id.text) }) {
        $0.optionalText()
      }
      if let text = holder.flatMap(\.self), text != owner.text { owned.append((id.text, text)) }
    }
    return try living(owned)
  }

  /// Asks about each process once: a daemon may own thousands of transfers.
  private func living(_ owned: [(id: String, owner: String)]) throws(StateError) -> [TransferID: OwnerToken] {
    var alive: [String: OwnerToken?] = [:]
    var living: [TransferID: OwnerToken] = [:]
    for (id, text) in owned {
      if alive[text] == nil { alive[text] = .some(try livingOwner(text)) }
      if let token = alive[text].flatMap(\.self), let id = TransferID(id) { living[id] = token }
    }
    return living
  }

  private func livingOwner(_ text: String) throws(StateError) -> OwnerToken? {
    guard let token = OwnerToken(text), try OwnerLock.isAlive(token, folder: folder) else { return nil }
    return token
  }
}

extension Wanted {
  fileprivate var strength: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
