import Core
import HermesTransfer
import Posix
import State

/// The transfers of the state as the commands name and show them.
@MainActor
struct StateReader {
  let context: CommandContext
  /// Nil when there is no state yet.
  let store: Store?

  init(_ context: CommandContext) throws(TransferFailure) {
    self.context = context
    let folder = try context.stateFolder
    do throws(StateError) { store = try Store(readingFolder: folder) } catch { throw error.failure }
  }

  /// Every record, or those that the filter takes; unfinished ones that no process runs are shown as paused.
  func records(_ filter: RecordFilter = .all) throws(TransferFailure) -> [TransferRecord] {
    guard let store else { return [] }
    do throws(StateError) {
      let owners = try store.livingOwners()
      return try store.records(filter).map { Self.shown($0, isOwned: owners[$0.id] != nil) }
    } catch {
      throw error.failure
    }
  }

  private static func shown(_ record: TransferRecord, isOwned: Bool) -> TransferRecord {
    guard !isOwned, !record.state.isFinal, record.state != .paused else { return record }
    var record = record
    record.state = .paused
    record.reason = nil
    record.nextTry = nil
    return record
  }

  func isOwned(_ id: TransferID) throws(TransferFailure) -> Bool {
    guard let store else { return false }
    do throws(StateError) { return try store.livingOwners()[id] != nil } catch { throw error.failure }
  }

  /// The transfer that each text begins; a text that fits none or several is an error.
  func ids(_ texts: [String]) throws(TransferFailure) -> [TransferID] {
    var ids: [TransferID] = []
    for text in texts {
      let found: [TransferID]
      do throws(StateError) { found = try store?.ids(withPrefix: text.lowercased()) ?? [] } catch {
        throw error.failure
      }
      guard let id = found.first else {
        throw TransferFailure(.usage, "no transfer \(text)", hint: "hermes-transfer list shows them")
      }
      guard found.count == 1 else {
        let candidates = found.prefix(5).map(\.text).joined(separator: ", ")
        throw TransferFailure(.usage, "\(text) fits \(found.count) transfers: \(candidates)")
      }
      if !ids.contains(id) { ids.append(id) }
    }
    return ids
  }

  /// Uploads over sessions, by the profile that each was given to.
  func media(_ ids: [TransferID]) throws(TransferFailure) -> [(profile: String, ids: [TransferID])] {
    guard !ids.isEmpty, let store else { return [] }
    let found: [MediaUpload]
    do throws(StateError) { found = try store.media(ids) } catch { throw error.failure }
    let groups = Dictionary(grouping: found, by: \.media.profile)
    return groups.keys.sorted().map { ($0, (groups[$0] ?? []).map(\.record.id)) }
  }

  /// The transfers that the operands name, or with `--all` those that `isMeant` takes.
  func chosen(where isMeant: (TransferRecord) -> Bool) throws(TransferFailure) -> [TransferID] {
    if context.settings.isOn(.all) {
      guard context.settings.operands.isEmpty else {
        throw TransferFailure(.usage, "--all and an ID exclude each other")
      }
      return try records().filter(isMeant).map(\.id)
    }
    guard !context.settings.operands.isEmpty else {
      throw TransferFailure(
        .usage, "an ID is missing", hint: "hermes-transfer list shows them; --all means every one")
    }
    return try ids(context.settings.operands)
  }
}
