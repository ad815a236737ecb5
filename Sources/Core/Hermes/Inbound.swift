/// What became of one message.
public enum Inbound<Frame: Sendable & Hashable>: Hashable, Sendable {
  case frame(Frame)
  /// A media that cannot be taken as it is.
  case rejected(MediaRejection)
  /// Passed over, and counted.
  case ignored(IgnoredReason)

  /// - Parameter frame: the frame of a type, nil for a type it does not know.
  static func decode(
    _ message: Result<FrameFields, IgnoredReason>, frame: (String, FrameFields) throws(FrameFault) -> Frame?
  ) -> Inbound {
    let read: FrameFields
    switch message {
    case .failure(let reason): return .ignored(reason)
    case .success(let fields): read = fields
    }
    guard let type = read.fields.string("t") else { return .ignored(.noType) }
    do throws(FrameFault) {
      guard let frame = try frame(type, read) else { return .ignored(.unknownType(type)) }
      return .frame(frame)
    } catch {
      switch error {
      case .field(let name): return .ignored(.badField(type: type, field: name))
      case .media(let rejection): return .rejected(rejection)
      }
    }
  }
}

/// What a decoder of one type stumbles over.
enum FrameFault: Error {
  case field(String)
  case media(MediaRejection)
}

extension MediaFrame {
  static func read(_ message: FrameFields) throws(FrameFault) -> MediaFrame {
    do throws(MediaRejection) {
      return try MediaFrame(message)
    } catch {
      throw .media(error)
    }
  }
}

extension JSONWriter {
  /// An open object whose first field is the frame's type.
  init(type: String) {
    self.init()
    beginObject()
    field("t", type)
  }
}
