import Core
import HermesTransfer
import State

@MainActor
enum ShowCommand {
  static func run(_ context: CommandContext) throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let ids = try reader.ids(context.settings.operands)
    var objects: [TransferObject] = []
    var lines: [String] = []
    for record in try reader.records(.ids(ids)) {
      let attempts: [AttemptRecord]
      let media: MediaUploadRecord?
      do throws(StateError) {
        attempts = try reader.store?.attempts(of: record.id) ?? []
        media = record.kind == .media ? try reader.store?.media(of: record.id) : nil
      } catch {
        throw error.failure
      }
      let snapshot = TransferSnapshot(record)
      objects.append(TransferObject(snapshot, attempts: attempts, media: media))
      if !lines.isEmpty { lines.append("") }
      lines += aligned(facts(snapshot, record) + (media.map(facts) ?? [])) + table(attempts)
    }
    if context.settings.isOn(.json) { try context.printJSON(objects) } else { context.console.results(lines) }
    return .success
  }

  private static func facts(_ snapshot: TransferSnapshot, _ record: TransferRecord) -> [(String, String?)] {
    [
      ("id", snapshot.id.text), ("kind", snapshot.kind.rawValue), ("state", snapshot.state.rawValue),
      ("reason", snapshot.reason?.rawValue), ("next try", snapshot.nextTry.map { Timestamp.plain($0) }),
      ("url", snapshot.url), ("path", snapshot.path),
      ("done", "\(snapshot.bytesDone) of \(snapshot.bytesTotal.map(String.init) ?? "?") bytes"),
      ("attempts", String(snapshot.attempts)),
      ("fetched again", snapshot.bytesRefetched > 0 ? "\(snapshot.bytesRefetched) bytes" : nil),
      ("etag", record.entityTag), ("last modified", record.lastModified), ("sha-256", snapshot.sha256),
      ("created", Timestamp.plain(snapshot.createdAt)), ("finished", snapshot.finishedAt.map { Timestamp.plain($0) }),
      ("error", snapshot.failure.map { "\($0.message) (\($0.code.rawValue), exit \($0.exitStatus.rawValue))" }),
    ]
  }

  private static func facts(_ media: MediaUploadRecord) -> [(String, String?)] {
    [
      ("sent as", "\(media.mediaKind), \(media.mime)"), ("name", media.fileName), ("caption", media.caption),
      ("profile", media.profile), ("gateway", media.session.gateway), ("device", media.session.device),
      ("media id", media.wireID),
      ("parts", "\(media.partsAcknowledged.byteCount) read, of \(media.partByteCount) bytes"),
      ("sent again", media.isResent ? "once, the first outcome was unknown" : nil),
    ]
  }

  private static func aligned(_ facts: [(String, String?)]) -> [String] {
    let shown = facts.compactMap { name, value in value.map { (name, $0) } }
    let width = shown.map(\.0.count).max() ?? 0
    return shown.map { DisplayWidth.pad($0.0, to: width) + "  " + DisplayWidth.printable($0.1) }
  }

  private static func table(_ attempts: [AttemptRecord]) -> [String] {
    guard !attempts.isEmpty else { return [] }
    let seconds = { (value: Double) in "\((value * 1000).rounded() / 1000)" }
    let heading = [
      "attempt", "dns", "connect", "tls", "first byte", "total", "bytes", "rate", "status", "reused", "error",
    ]
    let rows = attempts.map { attempt in
      [
        String(attempt.number), seconds(attempt.dns), seconds(attempt.connect), seconds(attempt.tls),
        seconds(attempt.firstByte), seconds(attempt.total), String(attempt.byteCount),
        Quantity.rate(attempt.bytesPerSecond), attempt.httpStatus.map(String.init) ?? "-",
        attempt.isReused ? "yes" : "no", attempt.error ?? "",
      ]
    }
    let widths = heading.indices.map { column in ([heading] + rows).map { $0[column].count }.max() ?? 0 }
    return [""]
      + ([heading] + rows).map { row in
        row.indices.map { column in DisplayWidth.pad(row[column], to: widths[column]) }.joined(separator: "  ")
      }
  }
}
