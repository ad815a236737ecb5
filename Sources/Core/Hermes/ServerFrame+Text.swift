extension ServerFrame {
  /// The frame's text; media in parts come with empty data, `shell` is for theirs.
  public var encoded: [UInt8] {
    var writer: JSONWriter
    switch self {
    case .ready(let frame): writer = frame.writer
    case .typing(let isOn):
      writer = JSONWriter(type: "typing")
      writer.field("stop", ifTrue: !isOn)
    case .message(let frame): writer = frame.writer
    case .prompt(let frame): writer = frame.writer
    case .promptDone(let frame):
      writer = JSONWriter(type: "prompt_done")
      writer.field("id", frame.id)
      writer.field("option_id", frame.optionID)
      writer.field("expired", ifTrue: frame.hasExpired)
    case .media(let frame): return frame.hasData ? frame.shell.head + frame.shell.tail : frame.encoded
    case .avatar(let state):
      writer = JSONWriter(type: "avatar")
      writer.field("state", state.rawValue)
    case .error(let frame):
      writer = JSONWriter(type: "error")
      writer.field("code", frame.code)
      writer.field("message", frame.message)
      writer.field("fatal", ifTrue: frame.isFatal)
    case .mediaStatus(let frame): writer = frame.writer
    case .mediaDone(let frame):
      writer = JSONWriter(type: "media_done")
      writer.field("id", frame.id)
      writer.field("bytes", frame.byteCount)
      writer.field("sha256", frame.sha256)
    }
    writer.endObject()
    return writer.bytes
  }

  /// What a message from a gateway says.
  public static func decode(_ message: Result<FrameFields, IgnoredReason>) -> Inbound<ServerFrame> {
    Inbound.decode(message) { type, message throws(FrameFault) in
      let fields = message.fields
      switch type {
      case "ready": return .ready(ReadyFrame(fields))
      case "typing": return .typing(isOn: !fields.flag("stop"))
      case "message":
        return .message(
          MessageFrame(
            id: try need("id"), text: try need("text"), isEdit: fields.flag("edit"), isFinal: fields.flag("final")))
      case "prompt":
        return .prompt(
          PromptFrame(
            id: try need("id"), kind: fields.string("kind") ?? "", text: fields.string("text") ?? "",
            options: (fields["options"]?.array ?? []).compactMap(PromptFrame.Option.init)))
      case "prompt_done":
        return .promptDone(
          PromptDoneFrame(
            id: try need("id"), optionID: fields.string("option_id"), hasExpired: fields.flag("expired")))
      case "media": return .media(try MediaFrame.read(message))
      case "avatar":
        guard let state = AvatarState(rawValue: try need("state")) else { throw .field("state") }
        return .avatar(state)
      case "error": return .error(ErrorFrame(fields))
      case "media_status": return .mediaStatus(try MediaStatusFrame.read(fields, id: try need("id")))
      case "media_done": return .mediaDone(try MediaDoneFrame.read(fields, id: try need("id")))
      default: return nil
      }
      func need(_ name: String) throws(FrameFault) -> String {
        guard let text = fields.string(name) else { throw .field(name) }
        return text
      }
    }
  }
}

extension ReadyFrame {
  fileprivate var writer: JSONWriter {
    var writer = JSONWriter(type: "ready")
    writer.field("avatar_url", avatarURL)
    guard let media else { return writer }
    writer.field("v", HelloFrame.version)
    writer.key("media")
    writer.beginObject()
    writer.field("part_size", media.partByteCount)
    writer.field("max_bytes", media.maxByteCount)
    writer.field("resume", ifTrue: media.resumes)
    writer.endObject()
    return writer
  }

  /// Everything but the fields we know is the gateway's own business.
  fileprivate init(_ fields: [String: JSONValue]) {
    avatarURL = fields.string("avatar_url")
    media = fields["media"]?.object.map { media in
      MediaExtension(
        partByteCount: media.integer("part_size").flatMap { $0 > 0 ? Int($0) : nil },
        maxByteCount: media.integer("max_bytes").flatMap { $0 >= 0 ? $0 : nil }, resumes: media.flag("resume"))
    }
  }
}

extension MessageFrame {
  fileprivate var writer: JSONWriter {
    var writer = JSONWriter(type: "message")
    writer.field("id", id)
    writer.field("text", text)
    writer.field("edit", ifTrue: isEdit)
    writer.field("final", ifTrue: isFinal)
    return writer
  }
}

extension PromptFrame {
  fileprivate var writer: JSONWriter {
    var writer = JSONWriter(type: "prompt")
    writer.field("id", id)
    writer.field("kind", kind)
    writer.field("text", text)
    writer.key("options")
    writer.beginArray()
    for option in options {
      writer.beginObject()
      writer.field("id", option.id)
      writer.field("label", option.label)
      writer.field("style", option.isDangerous ? "danger" : nil)
      writer.endObject()
    }
    writer.endArray()
    return writer
  }
}

extension PromptFrame.Option {
  fileprivate init?(_ value: JSONValue) {
    guard let fields = value.object, let id = fields.string("id") else { return nil }
    self.init(id: id, label: fields.string("label"), isDangerous: fields.string("style") == "danger")
  }
}

extension ErrorFrame {
  /// A code may be a number; an error without one is still an error.
  fileprivate init(_ fields: [String: JSONValue]) {
    code = fields.string("code") ?? fields.integer("code").map(String.init) ?? "unknown"
    message = fields.string("message") ?? ""
    isFatal = fields.flag("fatal")
  }
}

extension MediaStatusFrame {
  fileprivate var writer: JSONWriter {
    var writer = JSONWriter(type: "media_status")
    writer.field("id", id)
    writer.field("parts", parts)
    writer.key("have")
    writer.write(.array(held.ranges.map { .array([.integer($0.start), .integer($0.end - 1)]) }))
    return writer
  }

  fileprivate static func read(
    _ fields: [String: JSONValue], id: String
  ) throws(FrameFault) -> MediaStatusFrame {
    guard let parts = fields.integer("parts"), (0...Int64(MediaFrame.maxParts)).contains(parts) else {
      throw .field("parts")
    }
    var held = RangeSet()
    for pair in fields["have"]?.array ?? [] {
      guard let ends = pair.array, ends.count == 2, let first = ends[0].integer, let last = ends[1].integer,
        first >= 0, first <= last, last < parts
      else { throw .field("have") }
      held.insert(ByteRange(first, last + 1))
    }
    return MediaStatusFrame(id: id, parts: Int(parts), held: held)
  }
}

extension MediaDoneFrame {
  fileprivate static func read(
    _ fields: [String: JSONValue], id: String
  ) throws(FrameFault) -> MediaDoneFrame {
    guard let byteCount = fields.integer("bytes"), byteCount >= 0 else { throw .field("bytes") }
    guard let digest = fields.string("sha256")?.lowercased(), digest.utf8.count == 64,
      digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { throw .field("sha256") }
    return MediaDoneFrame(id: id, byteCount: byteCount, sha256: digest)
  }
}
