import Core
import HermesTransfer

/// One event of a session, as one object of `listen --json`.
struct SessionObject: Encodable {
  private var event: String
  private var id: String?
  private var time: String
  private var gateway: String?
  private var state: String?
  private var next_try: String?
  private var error: ErrorObject?
  private var text: String?
  private var is_edit: Bool?
  private var is_final: Bool?
  private var kind: String?
  private var options: [Option]?
  private var option: String?
  private var expired: Bool?
  private var mime: String?
  private var caption: String?
  private var path: String?
  private var bytes: Int64?
  private var sha256: String?
  private var is_duplicate: Bool?
  private var transfer: String?
  private var missing: String?

  struct Option: Encodable {
    let id: String
    let label: String
    let is_dangerous: Bool
  }

  /// Nil for what scripts have no use of.
  init?(_ event: SessionEvent, gateway: String, time: Double) {
    self.time = Timestamp.precise(time)
    self.event = "session"
    switch event {
    case .stateChanged(let state): take(state, gateway)
    case .message(let message):
      self.event = "message"
      (id, text, is_edit, is_final) = (message.id, message.text, message.isEdit, message.isFinal)
    case .prompt(let prompt):
      self.event = "prompt"
      (id, kind, text) = (prompt.id, prompt.kind, prompt.text)
      options = prompt.options.map { Option(id: $0.id, label: $0.label, is_dangerous: $0.isDangerous) }
    case .promptDone(let done):
      self.event = "prompt-done"
      (id, option, expired) = (done.id, done.optionID, done.hasExpired)
    case .typing(let isOn): state = isOn ? "typing" : "typing-stopped"
    case .avatar(let avatar): state = avatar.rawValue
    case .complaint(let frame):
      state = "complaint"
      text = "\(frame.code): \(frame.message)"
    case .messageSent(let id):
      self.event = "sent"
      self.id = id
    case .media(let media): take(media, isDuplicate: false)
    case .duplicate(let media): take(media, isDuplicate: true)
    case .mediaAnnounced(let id, let transfer):
      self.event = "media"
      (self.id, self.transfer) = (id, transfer.text)
    case .mediaFailed(let id, let failure):
      self.event = "media"
      (self.id, error) = (id, ErrorObject(failure))
    case .mediaEmpty(let id):
      self.event = "media"
      (self.id, state) = (id, "media_empty")
    case .mediaIncomplete(let id, let missing):
      self.event = "media"
      (self.id, state, self.missing) = (id, "media_incomplete", missing.description)
    case .mediaRestarted: return nil
    }
  }

  private mutating func take(_ state: SessionState, _ gateway: String) {
    self.gateway = gateway
    switch state {
    case .idle: self.state = "idle"
    case .connecting: self.state = "connecting"
    case .connected: self.state = "connected"
    case .reconnecting(let nextTry, let failure):
      self.state = "reconnecting"
      next_try = Timestamp.precise(nextTry)
      error = ErrorObject(failure)
    case .failed(let failure):
      self.state = "failed"
      error = ErrorObject(failure)
    }
  }

  private mutating func take(_ media: ReceivedMedia, isDuplicate: Bool) {
    event = "media"
    (id, kind, mime, caption) = (media.id, media.kind.rawValue, media.mime, media.caption)
    (path, bytes, sha256, is_duplicate) = (media.path, media.byteCount, media.sha256, isDuplicate)
  }
}
