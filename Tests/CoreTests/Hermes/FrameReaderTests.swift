import TestKit
import Testing

@testable import Core

@Suite struct FrameReaderTests {
  /// Reads a message cut into pieces of the given size.
  static func read(
    _ bytes: [UInt8], pieceSize: Int = .max, limits: FrameReader.Limits = FrameReader.Limits()
  ) -> (result: Result<FrameFields, IgnoredReason>, data: [UInt8]) {
    var reader = FrameReader(limits: limits)
    return read(bytes, pieceSize: pieceSize, with: &reader)
  }

  static func read(
    _ bytes: [UInt8], pieceSize: Int, with reader: inout FrameReader
  ) -> (result: Result<FrameFields, IgnoredReason>, data: [UInt8]) {
    var data: [UInt8] = []
    reader.messageBegan()
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + min(pieceSize, bytes.count))
      reader.read(bytes[start..<end].span) { piece in for index in piece.indices { data.append(piece[index]) } }
      start = end
    }
    return (reader.messageEnded(), data)
  }

  private func fields(_ text: String, pieceSize: Int = .max) -> [String: JSONValue]? {
    try? Self.read(Array(text.utf8), pieceSize: pieceSize).result.get().fields
  }

  static let objects: [(text: String, fields: [String: JSONValue])] = [
    ("{}", [:]), (" \t\r\n{ } \n", [:]),
    (#"{"t":"x"}"#, ["t": .string("x")]),
    (#" { "t" : "x" , "n" : 1 } "#, ["t": .string("x"), "n": .integer(1)]),
    (
      #"{"a":[1,-2,0,-0],"b":{"c":[],"d":{}},"e":null,"f":true,"g":false}"#,
      [
        "a": .array([.integer(1), .integer(-2), .integer(0), .integer(0)]),
        "b": .object(["c": .array([]), "d": .object([:])]), "e": .null, "f": .bool(true), "g": .bool(false),
      ]
    ),
    (
      #"{"a":[[[1]],{"b":[2]}]}"#,
      ["a": .array([.array([.array([.integer(1)])]), .object(["b": .array([.integer(2)])])])]
    ),
    (
      #"{"a":3.5,"b":1e2,"c":-1.25E-2,"d":3.0}"#,
      ["a": .number(3.5), "b": .number(100), "c": .number(-0.0125), "d": .number(3)]
    ),
    (
      #"{"a":9223372036854775807,"b":9223372036854775808}"#,
      ["a": .integer(.max), "b": .number(9_223_372_036_854_775_808)]
    ),
    // Escapes: all of them, pairs of surrogates, and halves, which keep their place.
    (#"{"a":"\"\\\/\b\f\n\r\t"}"#, ["a": .string("\"\\/\u{8}\u{c}\n\r\t")]),
    (#"{"\u0061":"\u00e9\u20AC\ud83d\ude00"}"#, ["a": .string("é€😀")]),
    (
      #"{"a":"\ud83d","b":"\ude00x","c":"\ud83d\n","d":"\ud83d\ud83d\ude00","e":"\ud83dx"}"#,
      [
        "a": .string("\u{fffd}"), "b": .string("\u{fffd}x"), "c": .string("\u{fffd}\n"), "d": .string("\u{fffd}😀"),
        "e": .string("\u{fffd}x"),
      ]
    ),
    ("{\"a\":\"日本 👩🏽‍🚀\u{7f}\"}", ["a": .string("日本 👩🏽‍🚀\u{7f}")]),
    // Of equal keys the last one counts.
    (#"{"a":1,"a":2}"#, ["a": .integer(2)]),
    // Only the top level's `data` is streamed.
    (#"{"x":{"data":"eA=="}}"#, ["x": .object(["data": .string("eA==")])]),
    (#"{"data":null}"#, ["data": .null]), (#"{"data":7}"#, ["data": .integer(7)]),
    (#"{"data":["x"]}"#, ["data": .array([.string("x")])]),
  ]

  @Test(arguments: objects) func `an object is read, in pieces of any size`(
    text: String, expected: [String: JSONValue]
  ) {
    for size in [.max, 1, 2, 3, 7] { #expect(fields(text, pieceSize: size) == expected, "pieces of \(size)") }
  }

  static let broken = [
    "", " ", "[]", "\"t\"", "1", "null", "{", "{\"t\"", "{\"t\":", "{\"t\":\"x\"", "{\"t\":\"x", "{]", "[}",
    "{\"a\":[1}",
    "{\"a\":{\"b\":1]}", "{}x", "{}{}", "{,}", "{\"a\":1,}", "{\"a\":[1,]}", "{\"a\":[,1]}", "{a:1}", "{'a':1}",
    "{\"a\" 1}", "{\"a\":}", "{\"a\":01}", "{\"a\":-}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}",
    "{\"a\":1e+}",
    "{\"a\":0x1}", "{\"a\":1-2}", "{\"a\":tru}", "{\"a\":True}", "{\"a\":nul}", "{\"a\":NaN}", "{\"a\":Infinity}",
    "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"line\nline\"}", "{\"a\":\"\0\"}",
    "{\"a\":1 2}",
    "{\"a\":\"b\"\"c\":1}", "\u{feff}{}", "{\"data\":\"a\",\"data\":\"b\"}", "{\"data\":\"a\nb\"}",
  ]

  @Test(arguments: broken) func `what is no JSON object is ignored`(text: String) {
    for size in [.max, 1, 3] {
      #expect(Self.read(Array(text.utf8), pieceSize: size).result == .failure(.notObject), "pieces of \(size)")
    }
  }

  @Test func `bytes that are no UTF-8 make no text`() {
    let bad: [[UInt8]] = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]
    for bytes in bad {
      let message = Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)
      #expect(Self.read(message).result == .failure(.notObject))
    }
  }

  @Test func `the text of data is streamed wherever it stands, escapes resolved`() throws {
    let long = String(repeating: "QUJD", count: 5_000)
    for (text, data) in [
      (#"{"data":"QUJD","id":"1"}"#, "QUJD"), (#"{"id":"1","data" : "QUJD"}"#, "QUJD"),
      (#"{"id":"1","data":"Q\/\u002b\u003D"}"#, "Q/+="), (#"{"data":"","id":"1"}"#, ""),
      ("{\"data\":\"\(long)\",\"id\":\"1\"}", long), (#"{"\u0064ata":"QUJD","id":"1"}"#, "QUJD"),
    ] {
      for size in [.max, 1, 5, 64, 1_000] {
        let (result, got) = Self.read(Array(text.utf8), pieceSize: size)
        #expect(got == Array(data.utf8))
        #expect(try result.get() == FrameFields(fields: ["id": .string("1")], dataByteCount: data.utf8.count))
      }
    }
  }

  @Test func `W11 a long data field costs no more memory than the piece at hand`() {
    var reader = FrameReader()
    reader.messageBegan()
    var count = 0
    reader.read(Array("{\"data\":\"".utf8).span) { count += $0.count }
    let piece = [UInt8](repeating: UInt8(ascii: "A"), count: 16_384)
    for _ in 0..<1_280 { reader.read(piece.span) { count += $0.count } }
    #expect(count == 20 << 20)
    #expect(reader.text.capacity <= 65_536)
  }

  @Test func `too deep, too many and too long are too big, and the next message is read`() {
    var limits = FrameReader.Limits()
    limits.maxDepth = 4
    limits.maxNodeCount = 20
    limits.maxTextByteCount = 50
    var reader = FrameReader(limits: limits)
    let long = String(repeating: "x", count: 51)
    for text in [
      #"{"a":{"b":{"c":{"d":{}}}}}"#, #"{"a":[[[[1]]]]}"#,
      "{\"a\":[\(Array(repeating: "1", count: 20).joined(separator: ","))]}",
      "{\"a\":\"\(long)\"}", "{\"\(long)\":1}", "{\"a\":\(String(repeating: "1", count: 500))}",
      "{\"a\":\"\(long.dropFirst(2))\\ud83d\"}",
    ] {
      #expect(Self.read(Array(text.utf8), pieceSize: 16, with: &reader).result == .failure(.tooBig), "\(text)")
      #expect((try? Self.read(Array("{}".utf8), pieceSize: 1, with: &reader).result.get()) != nil)
    }
    #expect((try? Self.read(Array(#"{"a":{"b":{"c":{}}}}"#.utf8), pieceSize: 3, with: &reader).result.get()) != nil)
    // The streamed text is not kept, so it does not count.
    #expect((try? Self.read(Array("{\"data\":\"\(long)\"}".utf8), pieceSize: 3, with: &reader).result.get()) != nil)
  }

  // MARK: Fuzz

  private func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 3 ? 5 : 7), using: &random) {
    case 0: return .null
    case 1: return .bool(random.oneIn(2))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
    case 3: return .number(Double.random(in: -1e6...1e6, using: &random).rounded() / 64 + 0.015625)
    case 4: return .string(random.text(of: ["a", "\"", "\\", "\n", "\u{1}", "é", "😀", "/"], maxCount: 12))
    case 5: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      var fields: [String: JSONValue] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        fields[random.text(of: ["t", "id", "\"", "ü"], maxCount: 3)] = value(&random, depth: depth + 1)
      }
      return .object(fields)
    }
  }

  @Test func `what is written is read back, however it is cut`() {
    for seed in Seeds.fromEnvironment(count: 2_000) {
      var random = SeededRandom(seed: seed)
      var fields: [String: JSONValue] = ["t": .string("x")]
      for number in 0..<Int.random(in: 0...5, using: &random) { fields["k\(number)"] = value(&random, depth: 0) }
      let text = JSONWriter.encoded(.object(fields))
      let size = Int.random(in: 1...40, using: &random)
      let read = try? Self.read(text, pieceSize: size).result.get().fields
      #expect(read == fields, "SEED=\(seed) pieces of \(size): \(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test func `whatever comes, the reader answers the same for every way it is cut`() {
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\"t\":", "\"data\":\"", "\\u", "\\ud83d", "\\ude00", "12", "-", ".5",
      "e9",
      "true", "null", " ", "\n", "\u{0}", "QUJD", "\"id\":\"1\"", "{\"t\":\"media\",", "é",
    ]
    for seed in Seeds.fromEnvironment(count: 5_000) {
      var random = SeededRandom(seed: seed)
      var text = Array(random.text(of: pieces, maxCount: 24).utf8)
      if random.oneIn(2) { text = Array("{\"a\":".utf8) + text + Array("}".utf8) }
      if !text.isEmpty, random.oneIn(3) {
        text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let whole = Self.read(text)
      let cut = Self.read(text, pieceSize: Int.random(in: 1...9, using: &random))
      #expect(
        whole.result == cut.result && (whole.data == cut.data || cut.data.isEmpty == whole.data.isEmpty), "SEED=\(seed)"
      )
      _ = (ServerFrame.decode(whole.result), ClientFrame.decode(whole.result))
    }
  }
}
