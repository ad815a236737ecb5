public import Core

/// Media that come in parts, so that a restart goes on with the parts that are there.
///
/// Each part is a row of its own: a list of them in one row would be written anew with every part, and a thousand parts
/// would cost a million entries.
extension Store {
  /// Makes room for media of which the first part comes, in place of an earlier assembly of the same ID; gives the record
  /// with its number.
  public func begin(_ assembly: AssemblyRecord) throws(StateError) -> AssemblyRecord {
    try database.transaction { () throws(StateError) in
      try database.run("DELETE FROM assemblies WHERE id_digest = ? AND gateway = ? AND device = ?") {
        $0.bind(assembly.idDigest)
        $0.bind(assembly.session)
      }
      try database.run(Self.insertAssembly) { assembly.bind(to: $0) }
      var begun = assembly
      begun.number = try database.integer("SELECT last_insert_rowid()")
      for part in assembly.parts { try insert(part, of: begun.number) }
      return begun
    }
  }

  /// Records parts whose bytes the kernel has. It survives any crash of the process; a power cut may forget the newest,
  /// or keep a part whose bytes are lost: see `AssemblyRecord.bootID`.
  public func add(_ parts: [HeldPart], to number: Int64, at now: Double) throws(StateError) {
    try database.transaction { () throws(StateError) in
      // One that was dropped meanwhile stays dropped.
      let found = try database.run("UPDATE assemblies SET updated_at = ? WHERE number = ?") {
        $0.bind(now)
        $0.bind(number)
      }
      guard found > 0 else { return }
      for part in parts { try insert(part, of: number) }
    }
  }

  /// Writes an assembly and its parts as they are now: it starts anew, or what an earlier start of the machine left was
  /// looked through. To be called before bytes of the part file are given up.
  public func rewrite(_ assembly: AssemblyRecord) throws(StateError) {
    try database.transaction { () throws(StateError) in
      let found = try database.run(Self.updateAssembly) {
        assembly.bind(to: $0)
        $0.bind(assembly.number)
      }
      try database.run("DELETE FROM assembly_parts WHERE assembly = ?") { $0.bind(assembly.number) }
      guard found > 0 else { return }
      for part in assembly.parts { try insert(part, of: assembly.number) }
    }
  }

  /// Records which name the whole, synced file is about to be given; when this returns it survives a power cut. Whatever
  /// crash comes then, `finish` can be made up for: a file of that name and inode is ours.
  public func promise(_ number: Int64, _ promise: AssemblyRecord.Promise) throws(StateError) {
    try database.transaction(durably: true) { () throws(StateError) in
      try database.run("UPDATE assemblies SET path = ?, sha256 = ?, file_inode = ? WHERE number = ?") {
        $0.bind(promise.path)
        $0.bind(promise.sha256)
        $0.bind(Int64(bitPattern: promise.inode))
        $0.bind(number)
      }
    }
  }

  /// Puts what came in place of its assembly; when this returns it survives a power cut.
  public func finish(_ number: Int64, _ received: ReceivedRecord) throws(StateError) {
    try database.transaction(durably: true) { () throws(StateError) in
      try delete(number)
      try insert(received)
    }
  }

  /// Forgets assemblies. Their part files are the caller's, to be removed before.
  public func drop(_ numbers: [Int64]) throws(StateError) {
    guard !numbers.isEmpty else { return }
    try database.transaction { () throws(StateError) in
      for number in numbers { try delete(number) }
    }
  }

  /// The assembly of one media, with its parts; nil when there is none.
  public func assembly(of session: SessionKey, idDigest: String) throws(StateError) -> AssemblyRecord? {
    try assemblies("\(Self.selectAssemblies) WHERE id_digest = ? AND gateway = ? AND device = ?") {
      $0.bind(idDigest)
      $0.bind(session)
    }.first
  }

  /// The assemblies of a session, or of all, with their parts; those that got their last part longest ago first.
  public func assemblies(of session: SessionKey? = nil) throws(StateError) -> [AssemblyRecord] {
    let all = try assemblies("\(Self.selectAssemblies) ORDER BY updated_at, number") { _ in }
    return session.map { session in all.filter { $0.session == session } } ?? all
  }

  /// Assemblies that nothing was added to since a moment, and the oldest of more than `keeping`: to be given up, each by
  /// removing its part file and then by `drop`.
  public func surplusAssemblies(idleSince moment: Double, keeping count: Int) throws(StateError) -> [AssemblyRecord] {
    try assemblies(Self.selectSurplus) {
      $0.bind(moment)
      $0.bind(count)
    }
  }

  private func assemblies(_ sql: String, _ bind: (Statement) -> Void) throws(StateError) -> [AssemblyRecord] {
    try database.reading { () throws(StateError) in
      var found = try database.rows(sql, bind) { AssemblyRecord(row: $0) }
      for index in found.indices { found[index].parts = try parts(of: found[index].number) }
      return found
    }
  }

  private func parts(of number: Int64) throws(StateError) -> [HeldPart] {
    try database.rows(Self.selectParts, { $0.bind(number) }) {
      HeldPart(part: Int($0.integer()), start: $0.integer(), byteCount: $0.integer(), tag: $0.text())
    }
  }

  private func insert(_ part: HeldPart, of number: Int64) throws(StateError) {
    try database.run(Self.insertPart) {
      $0.bind(number)
      $0.bind(part.part)
      $0.bind(part.start)
      $0.bind(part.byteCount)
      $0.bind(part.tag)
    }
  }

  private func delete(_ number: Int64) throws(StateError) {
    try database.run("DELETE FROM assemblies WHERE number = ?") { $0.bind(number) }
  }

  static let selectAssemblies = "SELECT \(AssemblyRecord.columns), number FROM assemblies"
  static let selectSurplus = """
    \(selectAssemblies) WHERE updated_at < ?
      OR number IN (SELECT number FROM assemblies ORDER BY updated_at DESC, number DESC LIMIT -1 OFFSET ?)
    ORDER BY updated_at, number
    """
  static let selectParts = """
    SELECT part, start, byte_count, tag FROM assembly_parts WHERE assembly = ? ORDER BY part
    """
  private static let insertAssembly = """
    INSERT INTO assemblies (\(AssemblyRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let updateAssembly = """
    UPDATE assemblies SET (\(AssemblyRecord.columns)) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE number = ?
    """
  private static let insertPart = """
    INSERT OR REPLACE INTO assembly_parts (assembly, part, start, byte_count, tag) VALUES (?, ?, ?, ?, ?)
    """
}
