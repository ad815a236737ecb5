/// Announced URLs that work a number of times only, for drills.
struct ExpiringLinks: Sendable {
  private var links: [String: Link] = [:]
  private var count = 0

  private struct Link {
    var requestsLeft: Int64
    let announcement: Announcement
    let device: String
    var isReported = false
  }

  enum Verdict: Equatable {
    case valid
    /// It is over; the announcement is to be told again, under another URL, the first time this is seen.
    case expired(Announcement?, device: String)
  }

  /// A new link's name.
  mutating func add(_ announcement: Announcement, for device: String, requests: Int64) -> String {
    count += 1
    links["\(count)"] = Link(requestsLeft: requests, announcement: announcement, device: device)
    return "\(count)"
  }

  /// What a request with this name meets; names that are none never expire.
  mutating func use(_ name: String) -> Verdict {
    guard var link = links[name] else { return .valid }
    defer { links[name] = link }
    guard link.requestsLeft > 0 else {
      defer { link.isReported = true }
      return .expired(link.isReported ? nil : link.announcement, device: link.device)
    }
    link.requestsLeft -= 1
    return .valid
  }
}
