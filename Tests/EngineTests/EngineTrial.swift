import Core
import HermesTransfer
import TestKit
import Testing

@testable import State

/// One engine after the other on one state and one folder, and a server that fails as told.
struct EngineTrial {
  let server = FaultServer()
  let folder = TemporaryFolder("engine")
  let downloads: String

  init() { downloads = folder.folder("downloads") }

  var stateFolder: String { folder.path("state") }

  func engine() throws -> TransferEngine {
    try TransferEngine(configuration: EngineConfiguration(stateFolder: stateFolder))
  }

  func request(_ path: String, name: String = "f", _ change: (inout DownloadRequest) -> Void = { _ in })
    -> DownloadRequest
  {
    var request = DownloadRequest(url: server.url(path), output: "\(downloads)/\(name)")
    request.limits.maxAttempts = 2
    change(&request)
    return request
  }

  /// The state's own file: a second process, as it were.
  func database() throws -> Database { try Database(path: StateFolder(path: stateFolder).databasePath) }

  func store() throws -> Store { try Store(folder: stateFolder) }

  /// Takes events until one is as wished; the last of all when none is.
  func events(of engine: TransferEngine, until isWanted: (TransferEvent) -> Bool = { _ in false }) async
    -> [TransferEvent]
  {
    var all: [TransferEvent] = []
    while let some = await engine.nextEvents() {
      all += some
      if some.contains(where: isWanted) { break }
    }
    return all
  }
}
