import Core
import HermesTransfer
import Posix
import State

/// `cancel` and `remove`: by ourselves where no process works on the transfer, else by asking the one that does.
@MainActor
struct Ending {
  static let answerSeconds = 10.0
  static let pollMilliseconds = 100

  let context: CommandContext
  let store: Store

  init(_ context: CommandContext) throws(TransferFailure) {
    self.context = context
    let folder = try context.stateFolder
    do throws(StateError) { store = try Store(folder: folder) } catch { throw error.failure }
  }

  /// After this the transfer is cancelled, without a partial; one that has ended already is left as it is.
  func cancel(_ id: TransferID) async throws(TransferFailure) {
    do throws(StateError) {
      guard var record = try store.record(id), !record.state.isFinal else { return }
      if try store.livingOwners()[id] != nil { return try await ask(id) }
      try dropLeftovers(of: record, keepsSecrets: true)
      record.state = .cancelled
      record.reason = nil
      record.nextTry = nil
      record.partName = nil
      record.synced = RangeSet()
      record.finishedAt = Clocks.wallClock()
      try store.update([record], durably: true)
    } catch {
      throw error.failure
    }
  }

  func dropLeftovers(of record: TransferRecord, keepsSecrets: Bool = false) throws(StateError) {
    do throws(TransferFailure) {
      try Leftovers.remove(of: record, stateFolder: store.folder, keepsSecrets: keepsSecrets)
    } catch {
      // The row must not stay because of a partial that cannot be reached: say so and go on.
      context.console.note(error.message)
    }
  }

  private func ask(_ id: TransferID) async throws(StateError) {
    guard try store.want(.cancel, for: id) else { return }
    let limit = Clocks.wallClock() + Self.answerSeconds
    while Clocks.wallClock() < limit {
      guard let record = try store.record(id), !record.state.isFinal else { return }
      await pause(milliseconds: Self.pollMilliseconds)
    }
    context.console.note("\(id) will be cancelled as soon as its process answers")
  }
}

@MainActor
enum CancelCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let ids = try reader.chosen { !$0.state.isFinal }
    guard !ids.isEmpty else { return .success }
    let ending = try Ending(context)
    for id in ids { try await ending.cancel(id) }
    return .success
  }
}

@MainActor
enum RemoveCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let isAll = context.settings.isOn(.all)
    var ids: [TransferID] = []
    for id in try reader.chosen(where: { _ in true }) {
      if isAll, try reader.isOwned(id) { continue }
      ids.append(id)
    }
    guard !ids.isEmpty else { return .success }
    let ending = try Ending(context)
    for id in ids { try await ending.cancel(id) }
    do throws(StateError) {
      for record in try ending.store.records(.ids(ids)) { try ending.dropLeftovers(of: record) }
      try ending.store.remove(ids)
    } catch {
      throw error.failure
    }
    return .success
  }
}
