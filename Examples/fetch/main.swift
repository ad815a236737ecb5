import HermesTransfer

// usage: fetch URL FOLDER STATE-FOLDER
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3 else {
  print("usage: fetch URL FOLDER STATE-FOLDER")
  throw TransferFailure(.usage, "three arguments are needed")
}

let engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: arguments[2]))
// The same request again, after a crash or a reboot, goes on where it stopped.
let accepted = try await engine.download([DownloadRequest(url: arguments[0], folder: arguments[1])])
print("accepted \(accepted.map(\.id))")

while let events = await engine.nextEvents() {
  for event in events {
    switch event.kind {
    case .completed: print("completed", event.snapshot.path ?? "")
    case .failed: print("failed", event.snapshot.failure?.message ?? "")
    case .progress: print(event.snapshot.bytesDone, "of", event.snapshot.bytesTotal ?? -1)
    default: break
    }
  }
}
