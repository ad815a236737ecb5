import Core
import Posix
import WebSocket

extension Session {
  /// What a client who must not come in is told.
  func refuse(_ reason: String) { close(.policyViolation, reason) }

  /// Begins the end: our close frame goes out, and the other side has a moment to answer it.
  func close(_ code: CloseCode, _ reason: String, within limit: Duration? = nil) {
    guard phase == .greeting || phase == .open else { return }
    log("closes with \(code): \(reason)")
    codec.close(code, reason: reason)
    phase = .closing(until: Clocks.monotonic() + (limit ?? limits.close).nanoseconds)
  }

  /// Drops the connection so that the other side sees a reset.
  func drop() {
    log("drops the connection")
    // Should the system refuse, the connection ends all the same, only more politely.
    do throws(Errno) { try connection.socket.resetOnClose() } catch {}
    phase = .over
  }

  /// Lets the drill's faults strike at a moment; whether one did.
  func meet(_ moment: SessionFault.Moment) -> Bool {
    switch hall.faults.withLock({ $0.strike(at: moment) }) {
    case nil: return false
    case .drop: drop()
    case .close(let code): close(CloseCode(rawValue: code), "closed by the drill")
    case .blackhole:
      log("falls silent")
      phase = .blackhole
    }
    return true
  }

  func takeMail() {
    let mail = mailbox.take()
    switch mail.order {
    case .stop:
      if phase == .blackhole { phase = .over }
      close(.goingAway, "the gateway stops", within: .seconds(1))
    case .replaced:
      if phase == .blackhole { phase = .over }
      close(CloseCode(rawValue: 4409), "replaced by a newer connection of this device")
    case nil: break
    }
    if mail.lostCount > 0 { log("loses \(mail.lostCount) announcements: the client does not read") }
    for announcement in mail.announcements { queue.append(.media(announcement), due: 0) }
  }

  /// Does what the time has come for.
  func meetDeadlines(_ now: Int64) {
    switch phase {
    case .greeting where begunAt + limits.hello.nanoseconds <= now:
      refuse("no hello within \(limits.hello.components.seconds) s")
    case .closing(let moment) where moment <= now: phase = .over
    case .greeting, .open: keepAlive(now)
    case .closing, .blackhole, .over: break
    }
    for (id, card) in cards where card.until <= now {
      cards[id] = nil
      reply(.promptDone(PromptDoneFrame(id: id, hasExpired: true)), due: now)
    }
  }

  private func keepAlive(_ now: Int64) {
    if lastByteAt + limits.deadAfter.nanoseconds <= now {
      log("lost: no byte for \(limits.deadAfter.components.seconds) s")
      phase = .over
    } else if !isPinged, lastByteAt + limits.pingAfter.nanoseconds <= now {
      isPinged = true
      codec.ping([])
    }
  }

  /// Announcements that the client has perhaps not read, in their order.
  var unheard: [Announcement] {
    unconfirmed.map(\.announcement) + [media?.announcement].compactMap(\.self) + queue.announcements
      + mailbox.take().announcements
  }
}
