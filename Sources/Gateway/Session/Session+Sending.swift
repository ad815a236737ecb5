import Core
import Posix
import WebSocket

extension Session {
  /// Writes what the socket takes now; not more than a few rounds, so that reading is not kept waiting.
  func write(_ now: Int64) throws(Errno) {
    for _ in 0..<Self.roundCount {
      fill(now)
      guard unsafe !codec.output.isEmpty else { break }
      guard let count = try unsafe connection.socket.send(codec.output) else { return }
      codec.outputConsumed(count)
    }
    if case .closing = phase, unsafe codec.output.isEmpty { finish() }
  }

  private static let roundCount = 8

  /// Everything is out, our close frame too: an answer is waited for if it has not come. The rest of what the client
  /// sends is read and dropped meanwhile: a socket that is closed with bytes unread is reset, close frame and all.
  private func finish() { connection.socket.finishSending() }

  /// Moves what waits into the codec, as far as there is room and its time has come.
  private func fill(_ now: Int64) {
    while codec.fragmentRoom > 0, phase == .open {
      if let media {
        send(media)
      } else if frameOffset < frame.count {
        sendFrame()
      } else if !take(queue.popDue(now: now)) {
        return
      }
    }
  }

  private func take(_ content: SessionQueue.Content?) -> Bool {
    switch content {
    case nil: return false
    case .frame(let bytes): frame = bytes
    case .ready(let bytes):
      frame = bytes
      isReadyFrame = true
    case .media(let announcement): begin(announcement)
    }
    return true
  }

  private func sendFrame() {
    codec.sendFragment(.text) { writer in
      frameOffset += writer.append(frame, from: frameOffset)
      return frameOffset == frame.count
    }
    guard frameOffset == frame.count else { return }
    (frame, frameOffset) = ([], 0)
    if isReadyFrame {
      isReadyFrame = false
      _ = meet(.ready)
    }
  }

  /// Short media go in parts, long ones as a URL.
  private func begin(_ announcement: Announcement) {
    let options = hall.options
    let parts = OutgoingMedia.partCount(announcement.media, partByteCount: options.partByteCount)
    guard announcement.media.byteCount <= options.inlineByteCount, parts <= MediaFrame.maxParts else {
      frame = announcement.frame(url: hall.url(of: announcement, for: device?.id ?? "")).encoded
      confirm(announcement)
      log("announces \(announcement.media.name) by URL")
      return
    }
    do throws(Errno) {
      guard let file = try hall.tree.open(announcement.media.path) else { throw .notFound }
      let order = hall.faults.withLock { $0.order(ofParts: parts) }
      media = OutgoingMedia(announcement, file, partByteCount: options.partByteCount, order: order)
      log("sends \(announcement.media.name) in \(order.count) parts")
    } catch {
      log("cannot send \(announcement.media.name): \(error)")
    }
  }

  private func send(_ media: OutgoingMedia) {
    do throws(Errno) {
      try media.writeFragment(to: codec)
      guard media.isDone else { return }
      self.media = nil
      confirm(media.announcement)
    } catch {
      // Half a message is out, and its rest is not to be had.
      self.media = nil
      close(.internalError, "cannot read \(media.announcement.media.name): \(error)")
    }
  }

  /// Pongs come in the order of pings, so the one behind a medium shows that all before it was read.
  private func confirm(_ announcement: Announcement) {
    barrier += 1
    unconfirmed.append((barrier, announcement))
    codec.ping(Array("media \(barrier)".utf8))
  }

  func pongReceived(_ payload: [UInt8]) {
    let text = String(decoding: payload, as: UTF8.self)
    guard text.hasPrefix("media "), let reached = Int(text.dropFirst(6)) else { return }
    unconfirmed.removeAll { $0.barrier <= reached }
  }

  /// Queues a frame.
  func reply(_ frame: ServerFrame, due: Int64? = nil) { queue.append(.frame(frame.encoded), due: due ?? replyDue) }

  /// Queues the complaint that something was not done.
  func complain(_ code: String, _ message: String) {
    log("\(code): \(message)")
    reply(.error(ErrorFrame(code: code, message: message)))
  }
}
