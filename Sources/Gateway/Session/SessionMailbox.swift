import Posix

/// What other threads want of a session; posting never waits for the session.
final class SessionMailbox: Sendable {
  /// Ends the session.
  enum Order: Equatable, Sendable {
    /// The gateway stops.
    case stop
    /// The same device has connected again.
    case replaced
  }

  struct Mail: Sendable {
    var announcements: [Announcement] = []
    var order: Order?
    /// Announcements that were thrown away because too many waited.
    var lostCount = 0
  }

  let wakeUp: WakeUp
  private let limit: Int
  private let mail = Guarded(Mail())

  /// - Parameter limit: announcements that may wait; with more the oldest goes.
  init(limit: Int) throws(Errno) {
    wakeUp = try WakeUp()
    self.limit = limit
  }

  func post(_ announcement: Announcement) {
    mail.withLock { mail in
      mail.announcements.append(announcement)
      guard mail.announcements.count > limit else { return }
      mail.announcements.removeFirst()
      mail.lostCount += 1
    }
    wakeUp.signal()
  }

  func order(_ order: Order) {
    mail.withLock { $0.order = $0.order ?? order }
    wakeUp.signal()
  }

  /// Everything that came since it was asked last.
  func take() -> Mail {
    mail.withLock { mail in
      defer { mail = Mail() }
      return mail
    }
  }
}
