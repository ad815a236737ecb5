extension ResponsePlan {
  /// Faults of the head: what the answer says it is.
  mutating func applyHead(_ fault: Fault, to request: RequestHead, activeCount: Int) {
    switch fault {
    case .status(let code, let retryAfter, let text):
      replace(status: code, text: text)
      set("Retry-After", retryAfter)
    case .redirect(let place, let code):
      replace(status: code, text: "over there\n")
      set("Location", place)
    case .html200: replace(status: 200, text: "<html>please log in</html>\n\n\n", mediaType: "text/html")
    case .auth401(let expected):
      guard expected == nil || request["authorization"] != expected else { return }
      replace(status: 401, text: "who are you\n")
      set("WWW-Authenticate", "Basic realm=\"test\"")
    case .refuseAbove(let count, let code):
      if activeCount > count { replace(status: code, text: "too many\n") }
    case .headRefused:
      if request.method == "HEAD" { replace(status: 403, text: "no\n") }
    case .encoding(let name): set("Content-Encoding", name)
    case .header(let name, let value): set(name, value)
    case .disposition(let value): set("Content-Disposition", value)
    case .noAcceptRanges: set("Accept-Ranges", nil)
    case .brokenStatusLine: isStatusLineBroken = true
    default: break
    }
  }

  /// Faults of framing and of the line: how the answer travels.
  mutating func applyLine(_ fault: Fault) {
    switch fault {
    case .chunked(let terminated): framing = .chunked(terminated: terminated)
    case .noLength: framing = .untilClose
    case .http10:
      version = "HTTP/1.0"
      set("Accept-Ranges", nil)
    case .longBody(let count):
      body.append(.literal([UInt8](repeating: 0x58, count: Int(count))))
      extraByteCount = count
    case .cut(let count): ending = .cut(after: count)
    case .reset(let count): ending = .reset(after: count)
    case .stall(let count): ending = .stall(after: count)
    case .silence: ending = .silence
    case .refuse: ending = .refuse
    case .drip(let rate): bytesPerSecond = rate
    case .flip(let offset): flippedOffsets.append(offset)
    default: break
    }
  }
}
