/// Brackets, commas, words and numbers.
extension FrameReader {
  mutating func readStructure(_ byte: UInt8) {
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d: return
    default: break
    }
    switch state {
    case .start: byte == UInt8(ascii: "{") ? openLevel(isObject: true) : fail()
    case .keyOrEnd, .key:
      if byte == UInt8(ascii: "\"") { return beginString(.key) }
      byte == UInt8(ascii: "}") && state == .keyOrEnd ? closeLevel() : fail()
    case .colon: byte == UInt8(ascii: ":") ? state = .value : fail()
    case .valueOrEnd: byte == UInt8(ascii: "]") ? closeLevel() : beginValue(byte)
    case .value: beginValue(byte)
    case .commaOrEnd: readComma(byte)
    default: fail()
    }
  }

  private mutating func readComma(_ byte: UInt8) {
    let isObject = levels[levels.count - 1].isObject
    switch byte {
    case UInt8(ascii: ","): state = isObject ? .key : .value
    case UInt8(ascii: "}"): isObject ? closeLevel() : fail()
    case UInt8(ascii: "]"): isObject ? fail() : closeLevel()
    default: fail()
    }
  }

  private mutating func beginValue(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): openLevel(isObject: true)
    case UInt8(ascii: "["): openLevel(isObject: false)
    case UInt8(ascii: "\""):
      beginString(levels.count == 1 && levels[0].key == Self.streamedKey ? .data : .value)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): beginWord(.number, byte)
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): beginWord(.literal, byte)
    default: fail()
    }
  }

  private mutating func openLevel(isObject: Bool) {
    guard levels.count < limits.maxDepth, countNode() else { return fail(.tooBig) }
    levels.append(Level(isObject: isObject))
    state = isObject ? .keyOrEnd : .valueOrEnd
  }

  private mutating func closeLevel() {
    let level = levels.removeLast()
    guard !levels.isEmpty else {
      fields = level.fields
      return state = .end
    }
    store(level.isObject ? .object(level.fields) : .array(level.items))
  }

  /// A value is whole: into the object or array it stands in. Of equal keys the last one counts.
  mutating func store(_ value: JSONValue) {
    let last = levels.count - 1
    if levels[last].isObject {
      levels[last].fields[levels[last].key] = value
    } else {
      levels[last].items.append(value)
    }
    state = .commaOrEnd
  }

  mutating func countNode() -> Bool {
    nodeCount += 1
    return nodeCount <= limits.maxNodeCount
  }

  // MARK: Words

  private mutating func beginWord(_ kind: State, _ byte: UInt8) {
    guard countNode() else { return fail(.tooBig) }
    text.removeAll(keepingCapacity: true)
    text.append(byte)
    state = kind
  }

  /// No word and no number that means anything is longer.
  static let maxWordByteCount = 400

  mutating func readWord(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        text.append(bytes[index])
        index += 1
      default:
        endWord()
        return index
      }
      guard text.count <= Self.maxWordByteCount else {
        fail(.tooBig)
        return index
      }
    }
    return index
  }

  private mutating func endWord() {
    if state == .number {
      guard let number = JSONNumber.value(text) else { return fail() }
      return store(number)
    }
    switch text {
    case Array("true".utf8): store(.bool(true))
    case Array("false".utf8): store(.bool(false))
    case Array("null".utf8): store(.null)
    default: fail()
    }
  }
}

/// JSON's grammar of numbers, which is narrower than what Swift reads.
enum JSONNumber {
  static func value(_ text: [UInt8]) -> JSONValue? {
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = digits(&rest)
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
    let isInteger = rest.isEmpty
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard !digits(&rest).isEmpty else { return nil }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      guard !digits(&rest).isEmpty else { return nil }
    }
    guard rest.isEmpty else { return nil }
    let string = String(decoding: text, as: UTF8.self)
    if isInteger, let number = Int64(string) { return .integer(number) }
    return Double(string).map { .number($0) }
  }

  private static func digits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits
  }
}
