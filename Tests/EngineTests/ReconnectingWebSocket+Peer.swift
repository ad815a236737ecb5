import HermesTransfer
import TestKit

/// To be connected to the peer, with delays of milliseconds.
func socket(_ peer: ScriptedPeer, _ change: (inout ReconnectingWebSocket.Configuration) -> Void = { _ in }) throws
  -> ReconnectingWebSocket
{
  try socket(peer.url(), change)
}

func socket(_ url: String, _ change: (inout ReconnectingWebSocket.Configuration) -> Void = { _ in }) throws
  -> ReconnectingWebSocket
{
  var configuration = ReconnectingWebSocket.Configuration(url: url)
  configuration.policy.firstSeconds = 0.005
  configuration.policy.maxSeconds = 0.02
  change(&configuration)
  return try ReconnectingWebSocket(configuration)
}

/// The next texts; fewer when it gives up.
func texts(_ socket: ReconnectingWebSocket, _ count: Int) async -> [String] {
  var texts: [String] = []
  for await event in socket.events {
    if case .text(let text) = event { texts.append(text) }
    if case .stateChanged(.failed) = event { break }
    if texts.count == count { break }
  }
  return texts
}

/// Why it waits, so many times.
func losses(_ socket: ReconnectingWebSocket, _ count: Int) async -> [(afterSeconds: Double, failure: TransferFailure)] {
  var losses: [(Double, TransferFailure)] = []
  for await event in socket.events {
    if case .stateChanged(.reconnecting(let seconds, let failure)) = event { losses.append((seconds, failure)) }
    if losses.count == count { break }
  }
  return losses
}

/// Why it gave up.
func failure(_ socket: ReconnectingWebSocket) async -> TransferFailure? {
  for await event in socket.events { if case .stateChanged(.failed(let failure)) = event { return failure } }
  return nil
}
