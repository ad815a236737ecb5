/// Reads one JSON message in pieces of any size (RFC 8259).
///
/// Small fields become values; the text of the top-level string `data` is handed on as it comes, its escapes resolved,
/// so that a message costs no more memory than the piece at hand. Keys may stand in any order.
public struct FrameReader: Sendable {
  /// How much one message may make us keep. What is over is ignored as a whole.
  public struct Limits: Sendable, Hashable {
    public var maxDepth = 64
    /// Keys and values together.
    public var maxNodeCount = 65_536
    /// Of all texts together, `data` not counted.
    public var maxTextByteCount = 4 << 20

    public init() {}
  }

  /// The field whose text is streamed.
  public static let streamedKey = "data"

  enum State: Sendable, Hashable {
    case start
    case keyOrEnd, key, colon, value, valueOrEnd, commaOrEnd
    case string, escape, hexadecimal
    case literal, number
    case end
    case failed(IgnoredReason)
  }

  /// What the string being read is.
  enum Use: Sendable { case key, value, data }

  /// An object or array that is not yet closed.
  struct Level: Sendable {
    var isObject: Bool
    var fields: [String: JSONValue] = [:]
    var items: [JSONValue] = []
    var key = ""
  }

  let limits: Limits
  var state = State.start
  var use = Use.value
  var levels: [Level] = []
  var fields: [String: JSONValue] = [:]
  var nodeCount = 0
  var textByteCount = 0
  /// The text of the key, string, number or word being read.
  var text: [UInt8] = []
  var escapeValue: UInt32 = 0
  var escapeDigitCount = 0
  /// The first half of a surrogate pair, while the second is still to come.
  var highSurrogate: UInt32?
  var dataCount = 0
  var dataByteCount = 0

  public init(limits: Limits = Limits()) { self.limits = limits }

  /// A new message begins; whatever was left of the one before is forgotten.
  public mutating func messageBegan() {
    let kept = limits
    text.removeAll(keepingCapacity: text.capacity <= 65_536)
    let buffer = text
    self = FrameReader(limits: kept)
    text = buffer
  }

  /// Reads the message's next bytes; `data` is called with pieces of the streamed text, valid for the call only.
  public mutating func read(_ bytes: Span<UInt8>, data: (Span<UInt8>) -> Void) {
    var index = 0
    while index < bytes.count {
      switch state {
      case .failed: return
      case .string: index = readString(bytes, from: index, data: data)
      case .escape:
        readEscape(bytes[index], data: data)
        index += 1
      case .hexadecimal:
        readHexadecimal(bytes[index], data: data)
        index += 1
      case .literal, .number: index = readWord(bytes, from: index)
      default:
        readStructure(bytes[index])
        index += 1
      }
    }
  }

  /// The message is over: its fields, or why it is none.
  public mutating func messageEnded() -> Result<FrameFields, IgnoredReason> {
    switch state {
    case .failed(let reason): .failure(reason)
    case .end: .success(FrameFields(fields: fields, dataByteCount: dataCount > 0 ? dataByteCount : nil))
    default: .failure(.notObject)
    }
  }

  mutating func fail(_ reason: IgnoredReason = .notObject) { state = .failed(reason) }
}

/// The fields of one message.
public struct FrameFields: Sendable, Hashable {
  public var fields: [String: JSONValue]
  /// The UTF-8 bytes of the text that was streamed; nil when there was none.
  public var dataByteCount: Int?

  public init(fields: [String: JSONValue], dataByteCount: Int? = nil) {
    self.fields = fields
    self.dataByteCount = dataByteCount
  }
}

/// Why a message is passed over; the connection stays.
public enum IgnoredReason: Error, Sendable, Hashable {
  case notObject
  case noType
  case unknownType(String)
  case badField(type: String, field: String)
  /// Too deep, too many fields, or too long texts.
  case tooBig

  public var message: String {
    switch self {
    case .notObject: "a message that is no JSON object"
    case .noType: "a message without a type"
    // Whatever stands there came from outside.
    case .unknownType(let name): "a message of the unknown type \(name.prefix(40).debugDescription)"
    case .badField(let type, let field): "a \(type) without a proper \(field)"
    case .tooBig: "a message with too much in it"
    }
  }
}
