/// A frame from client to gateway.
public enum ClientFrame: Hashable, Sendable {
  case hello(HelloFrame)
  case text(TextFrame)
  /// The recording's bytes travel beside it.
  case audio(AudioFrame)
  case media(MediaFrame)
  case prompt(PromptAnswer)
  /// Which parts of the media are there already? Asked only of gateways that said they answer.
  case mediaStatus(id: String)
}

/// The first frame after the upgrade.
public struct HelloFrame: Hashable, Sendable {
  public static let version: Int64 = 1

  /// Nil when the token went in the request's header only.
  public var token: Secret?
  public var device: DeviceIdentity
  public var user: [String: JSONValue]

  public init(token: Secret?, device: DeviceIdentity, user: [String: JSONValue] = [:]) {
    self.token = token
    self.device = device
    self.user = user
  }
}

/// Who connects; gateways bind tokens to the ID.
public struct DeviceIdentity: Hashable, Sendable {
  public var id: String
  public var name: String
  public var platform: String
  public var appVersion: String

  public init(id: String, name: String, platform: String, appVersion: String) {
    self.id = id
    self.name = name
    self.platform = platform
    self.appVersion = appVersion
  }
}

/// A message to the agent, or a slash command.
public struct TextFrame: Hashable, Sendable {
  public var id: String
  public var text: String

  public init(id: String, text: String) {
    self.id = id
    self.text = text
  }
}

/// A recording in one frame.
public struct AudioFrame: Hashable, Sendable {
  public var id: String
  public var format: AudioFormat
  public var text: String?

  public init(id: String, format: AudioFormat, text: String? = nil) {
    self.id = id
    self.format = format
    self.text = text
  }

  /// What is written around the recording's base64.
  public var shell: FrameShell {
    var writer = JSONWriter(type: "audio")
    writer.field("id", id)
    writer.field("format", format.rawValue)
    writer.field("text", text)
    return FrameShell(closing: writer)
  }
}

/// The user's choice on a card.
public struct PromptAnswer: Hashable, Sendable {
  public static let otherOption = "other"

  public let promptID: String
  /// Lower case.
  public let optionID: String
  public let text: String?

  /// Nil when there is nothing to choose, or `other` comes without words of its own.
  public init?(promptID: String, optionID: String, text: String? = nil) {
    let option = optionID.lowercased()
    let isBlank = text?.allSatisfy(\.isWhitespace) ?? true
    guard !promptID.isEmpty, !option.isEmpty, option != Self.otherOption || !isBlank else { return nil }
    self.promptID = promptID
    self.optionID = option
    self.text = text
  }
}

extension ClientFrame {
  /// The frame's text; audio and media come with empty data, `shell` is for theirs.
  public var encoded: [UInt8] {
    var writer: JSONWriter
    switch self {
    case .hello(let frame): writer = frame.writer
    case .text(let frame):
      writer = JSONWriter(type: "text")
      writer.field("id", frame.id)
      writer.field("text", frame.text)
    case .audio(let frame): return frame.shell.head + frame.shell.tail
    case .media(let frame): return frame.hasData ? frame.shell.head + frame.shell.tail : frame.encoded
    case .prompt(let answer):
      writer = JSONWriter(type: "prompt")
      writer.field("prompt_id", answer.promptID)
      writer.field("option_id", answer.optionID)
      writer.field("text", answer.text)
    case .mediaStatus(let id):
      writer = JSONWriter(type: "media_status")
      writer.field("id", id)
    }
    writer.endObject()
    return writer.bytes
  }

  /// What a message from a client says.
  public static func decode(_ message: Result<FrameFields, IgnoredReason>) -> Inbound<ClientFrame> {
    Inbound.decode(message) { type, message throws(FrameFault) in
      let fields = message.fields
      switch type {
      case "hello": return .hello(HelloFrame(fields))
      case "text": return .text(TextFrame(id: try need("id"), text: try need("text")))
      case "audio":
        guard let format = AudioFormat(rawValue: try need("format")) else { throw .field("format") }
        guard message.dataByteCount != nil else { throw .field("data") }
        return .audio(AudioFrame(id: try need("id"), format: format, text: fields.string("text")))
      case "media": return .media(try MediaFrame.read(message))
      case "prompt":
        let answer = PromptAnswer(
          promptID: try need("prompt_id"), optionID: try need("option_id"), text: fields.string("text"))
        guard let answer else { throw .field("text") }
        return .prompt(answer)
      case "media_status": return .mediaStatus(id: try need("id"))
      default: return nil
      }
      func need(_ name: String) throws(FrameFault) -> String {
        guard let text = fields.string(name) else { throw .field(name) }
        return text
      }
    }
  }
}

extension HelloFrame {
  fileprivate var writer: JSONWriter {
    var writer = JSONWriter(type: "hello")
    writer.field("v", Self.version)
    writer.field("token", token?.exposed)
    writer.key("device")
    writer.beginObject()
    writer.field("id", device.id)
    writer.field("name", device.name)
    writer.field("platform", device.platform)
    writer.field("app_version", device.appVersion)
    writer.endObject()
    writer.key("user")
    writer.write(.object(user))
    return writer
  }

  /// A hello is judged by who answers it: what is missing is empty.
  fileprivate init(_ fields: [String: JSONValue]) {
    let device = fields["device"]?.object ?? [:]
    token = fields.string("token").map(Secret.init)
    self.device = DeviceIdentity(
      id: device.string("id") ?? "", name: device.string("name") ?? "", platform: device.string("platform") ?? "",
      appVersion: device.string("app_version") ?? "")
    user = fields["user"]?.object ?? [:]
  }
}
