import Core
import Posix

/// All sessions of a gateway, each on a thread of its own, and what they share.
final class SessionHall: Sendable {
  let options: GatewayOptions
  let tokens: TokenBook
  let shelf: MediaShelf
  let tree: MediaTree
  let faults: Guarded<SessionFaultPlan>
  let log: SessionLog?
  private let links = Guarded(ExpiringLinks())
  private let state = Guarded(State())
  private let housekeeping = Condition()
  private let isStopping = Guarded(false)

  private struct State {
    var sessions: [Int: Seat] = [:]
    /// Threads that have done their work; joined by whoever comes next.
    var ended: [Thread] = []
    var count = 0
    var isStopping = false
    var housekeeper: Thread?
    /// Announcements that devices have perhaps not got before they left.
    var unheard: [String: [Announcement]] = [:]
  }

  private struct Seat {
    let mailbox: SessionMailbox
    var thread: Thread?
    var device: String?
  }

  init(_ options: GatewayOptions, tokens: TokenBook, tree: MediaTree) throws(Errno) {
    self.options = options
    self.tokens = tokens
    self.tree = tree
    shelf = try MediaShelf(folder: options.mediaFolder, limits: options.limits)
    faults = Guarded(SessionFaultPlan(options.faults))
    log = options.isQuiet ? nil : SessionLog()
  }

  /// Whether one more can be let in.
  var hasRoom: Bool {
    state.withLock { !$0.isStopping && $0.sessions.count < options.limits.sessionCount }
  }

  /// Begins a session; the connection is closed when there is no room for it any more.
  func open(_ connection: UpgradedConnection, _ admission: Admission) {
    do throws(Errno) {
      let mailbox = try SessionMailbox(limit: options.limits.waitingCount)
      let ended = state.withLock { state in
        defer { state.ended = [] }
        guard !state.isStopping, state.sessions.count < options.limits.sessionCount else { return state.ended }
        state.count += 1
        let number = state.count
        state.sessions[number] = Seat(mailbox: mailbox)
        // Inside the lock: the thread must be known before it can end.
        state.sessions[number]?.thread = Thread(name: "session \(number)") { [self] in
          run(number, connection, admission, mailbox)
        }
        if state.housekeeper == nil { state.housekeeper = Thread(name: "media") { [self] in keepHouse() } }
        return state.ended
      }
      for thread in ended { thread.join() }
    } catch {
      log?.write(0, nil, "cannot begin a session: \(error)")
    }
  }

  private func run(_ number: Int, _ connection: UpgradedConnection, _ admission: Admission, _ mailbox: SessionMailbox) {
    let session = Session(number, connection, admission, mailbox, self)
    session.run()
    state.withLock { state in
      guard let seat = state.sessions.removeValue(forKey: number) else { return }
      if let thread = seat.thread { state.ended.append(thread) }
      guard let device = seat.device else { return }
      keep(session.unheard, for: device, &state)
    }
  }

  /// What a session could not tell is told by the device's newer one, or its next.
  private func keep(_ unheard: [Announcement], for device: String, _ state: inout State) {
    guard !unheard.isEmpty else { return }
    if let newer = state.sessions.values.first(where: { $0.device == device }) {
      for announcement in unheard { newer.mailbox.post(announcement) }
    } else if state.unheard[device] != nil || state.unheard.count < options.limits.sessionCount {
      let all = unheard + (state.unheard[device] ?? [])
      state.unheard[device] = all.suffix(options.limits.waitingCount)
    }
  }

  /// Ends every session and joins every thread; media that are not complete are gone afterwards.
  func stop() {
    let (seats, ended, housekeeper) = state.withLock { state in
      defer { state.ended = [] }
      state.isStopping = true
      return (Array(state.sessions.values), state.ended, state.housekeeper)
    }
    for seat in seats { seat.mailbox.order(.stop) }
    isStopping.withLock { $0 = true }
    housekeeping.withLock { housekeeping.signal() }
    for thread in seats.compactMap(\.thread) + ended { thread.join() }
    housekeeper?.join()
    shelf.discardAll()
  }

  private func keepHouse() {
    housekeeping.withLock {
      while !isStopping.withLock({ $0 }) {
        _ = housekeeping.wait(untilMonotonic: shelf.discardIdle(now: Clocks.monotonic()))
      }
    }
  }
}

extension SessionHall {
  /// A device is known by now: its older sessions end, and what it may have missed is told again.
  func enter(_ number: Int, device: String) -> [Announcement] {
    state.withLock { state in
      for seat in state.sessions.values where seat.device == device { seat.mailbox.order(.replaced) }
      state.sessions[number]?.device = device
      return state.unheard.removeValue(forKey: device) ?? []
    }
  }

  /// Tells devices of a medium: who sent it when there is an echo, all others when there is sharing.
  func announce(_ media: StoredMedia, from device: String) {
    let announcement = Announcement(media)
    let seats = state.withLock { Array($0.sessions.values) }
    for seat in seats {
      guard let other = seat.device else { continue }
      if other == device ? options.echoes : options.sharesWithAll { seat.mailbox.post(announcement) }
    }
  }

  /// The URL under which a device may fetch a medium.
  func url(of announcement: Announcement, for device: String) -> String {
    let path = announcement.media.path.map(PercentCoding.encode).joined(separator: "/")
    let url = "\(options.baseURL ?? "")/media/\(path)"
    guard let requests = faults.withLock({ $0.nextURLRequestCount() }) else { return url }
    return url + "?link=\(links.withLock { $0.add(announcement, for: device, requests: requests) })"
  }

  /// Whether an announced URL still works; one that has just expired is announced again.
  func permits(link: String) -> Bool {
    guard case .expired(let announcement, let device) = links.withLock({ $0.use(link) }) else { return true }
    if let announcement {
      let seats = state.withLock { state in state.sessions.values.filter { $0.device == device } }
      for seat in seats { seat.mailbox.post(announcement) }
    }
    return false
  }
}
