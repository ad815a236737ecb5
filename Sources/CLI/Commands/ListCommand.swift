import Core
import HermesTransfer
import State

@MainActor
enum ListCommand {
  static func run(_ context: CommandContext) throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let prefixes = context.settings.operands.map { $0.lowercased() }
    let states = context.settings.texts(.state)
    let snapshots = try reader.records().filter { record in
      (prefixes.isEmpty || prefixes.contains { record.id.text.hasPrefix($0) })
        && (states.isEmpty || states.contains(record.state.rawValue))
    }.map { TransferSnapshot($0) }
    if context.settings.isOn(.json) {
      try context.printJSON(snapshots.map { TransferObject($0) })
    } else {
      context.console.results(TransferTable.lines(of: snapshots, columns: context.surroundings.outputColumns()))
    }
    return .success
  }
}

/// The table of `list`: one line a transfer, never wider than the window.
enum TransferTable {
  static func lines(of snapshots: [TransferSnapshot], columns: Int?) -> [String] {
    guard !snapshots.isEmpty else { return [] }
    let rows = snapshots.map(row)
    let heading = ["ID", "STATE", "DONE", "SIZE", "NAME"]
    let widths = (0..<4).map { column in
      ([heading] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
    }
    return ([heading] + rows).map { row in
      let left = (0..<4).map { column in
        let gap = String(repeating: " ", count: widths[column] - DisplayWidth.of(row[column]))
        // Figures stand to the right, words to the left.
        return column == 2 || column == 3 ? gap + row[column] : row[column] + gap
      }.joined(separator: "  ")
      return fitted(left + "  ", row[4], into: columns)
    }
  }

  /// The folder goes before the name does.
  private static func fitted(_ left: String, _ path: String, into columns: Int?) -> String {
    guard let columns, DisplayWidth.of(left + path) > columns else { return left + path }
    return DisplayWidth.fit(left + (path.split(separator: "/").last ?? ""), into: columns)
  }

  private static func row(_ snapshot: TransferSnapshot) -> [String] {
    let state = snapshot.reason.map { "\(snapshot.state.rawValue): \($0.rawValue)" } ?? snapshot.state.rawValue
    let percent = snapshot.bytesTotal.map { total in
      total == 0 ? "100 %" : "\(min(100, snapshot.bytesDone * 100 / total)) %"
    }
    let done = snapshot.state.isSuccess ? "100 %" : percent ?? Quantity.bytes(snapshot.bytesDone)
    let size = snapshot.bytesTotal.map { Quantity.bytes($0) } ?? "?"
    return [snapshot.id.text, state, done, size, DisplayWidth.printable(snapshot.path ?? snapshot.name)]
  }
}
