import TestKit
import Testing

@testable import Core

@Suite struct FrameTests {
  private func read(_ text: String) -> Result<FrameFields, IgnoredReason> {
    FrameReaderTests.read(Array(text.utf8)).result
  }

  private func server(_ text: String) -> Inbound<ServerFrame> { ServerFrame.decode(read(text)) }
  private func client(_ text: String) -> Inbound<ClientFrame> { ClientFrame.decode(read(text)) }

  // MARK: On the wire

  static let device = DeviceIdentity(id: "d1", name: "box", platform: "linux", appVersion: "1.0")

  static let clientFrames: [(frame: ClientFrame, text: String)] = [
    (
      .hello(HelloFrame(token: Secret("s+e"), device: device)),
      #"{"t":"hello","v":1,"token":"s+e","device":{"id":"d1","name":"box","platform":"linux","app_version":"1.0"},"user":{}}"#
    ),
    (
      .hello(HelloFrame(token: nil, device: device, user: ["name": .string("M")])),
      #"{"t":"hello","v":1,"device":{"id":"d1","name":"box","platform":"linux","app_version":"1.0"},"user":{"name":"M"}}"#
    ),
    (.text(TextFrame(id: "u", text: "a \"b\"\n")), #"{"t":"text","id":"u","text":"a \"b\"\n"}"#),
    (.audio(AudioFrame(id: "u", format: .ogg)), #"{"t":"audio","id":"u","format":"ogg","data":""}"#),
    (
      .media(MediaFrame(id: "u", kind: .document, mime: "text/plain", part: 1, parts: 3, fileName: "a.txt")),
      #"{"t":"media","id":"u","kind":"document","mime":"text/plain","part":1,"parts":3,"filename":"a.txt","data":""}"#
    ),
    (
      .prompt(PromptAnswer(promptID: "p", optionID: "ALLOW")!), #"{"t":"prompt","prompt_id":"p","option_id":"allow"}"#
    ),
    (
      .prompt(PromptAnswer(promptID: "p", optionID: "other", text: "no")!),
      #"{"t":"prompt","prompt_id":"p","option_id":"other","text":"no"}"#
    ),
    (.mediaStatus(id: "u"), #"{"t":"media_status","id":"u"}"#),
  ]

  @Test(arguments: clientFrames) func `a client's frame is written and read back`(frame: ClientFrame, text: String) {
    #expect(String(decoding: frame.encoded, as: UTF8.self) == text)
    #expect(client(text) == .frame(frame))
  }

  static let serverFrames: [(frame: ServerFrame, text: String)] = [
    (.ready(ReadyFrame()), #"{"t":"ready"}"#),
    (.ready(ReadyFrame(avatarURL: "/a.png")), #"{"t":"ready","avatar_url":"/a.png"}"#),
    (
      .ready(ReadyFrame(media: MediaExtension(partByteCount: 3_145_728, maxByteCount: 512, resumes: true))),
      #"{"t":"ready","v":1,"media":{"part_size":3145728,"max_bytes":512,"resume":true}}"#
    ),
    (.typing(isOn: true), #"{"t":"typing"}"#), (.typing(isOn: false), #"{"t":"typing","stop":true}"#),
    (.message(MessageFrame(id: "m", text: "hi")), #"{"t":"message","id":"m","text":"hi"}"#),
    (
      .message(MessageFrame(id: "m", text: "hi", isEdit: true, isFinal: true)),
      #"{"t":"message","id":"m","text":"hi","edit":true,"final":true}"#
    ),
    (
      .prompt(
        PromptFrame(id: "p", kind: "clarify", text: "?", options: [.init(id: "a", label: "A", isDangerous: true)])),
      #"{"t":"prompt","id":"p","kind":"clarify","text":"?","options":[{"id":"a","label":"A","style":"danger"}]}"#
    ),
    (.promptDone(PromptDoneFrame(id: "p", optionID: "a")), #"{"t":"prompt_done","id":"p","option_id":"a"}"#),
    (.promptDone(PromptDoneFrame(id: "p", hasExpired: true)), #"{"t":"prompt_done","id":"p","expired":true}"#),
    (
      .media(MediaFrame(id: "m", kind: .image, mime: "image/png", caption: "c", hasData: false, url: "/media/a")),
      #"{"t":"media","id":"m","kind":"image","mime":"image/png","part":0,"parts":1,"caption":"c","url":"/media/a"}"#
    ),
    (.avatar(.speaking), #"{"t":"avatar","state":"speaking"}"#),
    (.error(ErrorFrame(code: "x", message: "y")), #"{"t":"error","code":"x","message":"y"}"#),
    (
      .error(ErrorFrame(code: "x", message: "y", isFatal: true)),
      #"{"t":"error","code":"x","message":"y","fatal":true}"#
    ),
    (
      .mediaStatus(MediaStatusFrame(id: "m", parts: 9, held: RangeSet([ByteRange(0, 2), ByteRange(8, 9)]))),
      #"{"t":"media_status","id":"m","parts":9,"have":[[0,1],[8,8]]}"#
    ),
    (
      .mediaDone(MediaDoneFrame(id: "m", byteCount: 5, sha256: String(repeating: "a0", count: 32))),
      "{\"t\":\"media_done\",\"id\":\"m\",\"bytes\":5,\"sha256\":\"\(String(repeating: "a0", count: 32))\"}"
    ),
  ]

  @Test(arguments: serverFrames) func `a gateway's frame is written and read back`(frame: ServerFrame, text: String) {
    #expect(String(decoding: frame.encoded, as: UTF8.self) == text)
    #expect(server(text) == .frame(frame))
  }

  @Test func `base64 fits between a shell's head and tail, and its length is foretold`() {
    let frame = MediaFrame(id: "u", kind: .image, mime: "image/png")
    let message = frame.shell.head + Array("QUI=".utf8) + frame.shell.tail
    #expect(message.count == frame.shell.messageByteCount(carrying: 2))
    let (result, data) = FrameReaderTests.read(message)
    #expect(ClientFrame.decode(result) == .frame(.media(frame)))
    #expect(data == Array("QUI=".utf8))
    #expect(try! result.get().dataByteCount == 4)
  }

  // MARK: What may be missing

  @Test func `fields may be missing where the protocol says so`() {
    #expect(
      server(#"{"t":"prompt","id":"p","options":[{"id":"a"},{"label":"x"},7]}"#)
        == .frame(.prompt(PromptFrame(id: "p", kind: "", text: "", options: [.init(id: "a", label: "a")]))))
    #expect(server(#"{"t":"error","code":7}"#) == .frame(.error(ErrorFrame(code: "7", message: ""))))
    #expect(server(#"{"t":"error"}"#) == .frame(.error(ErrorFrame(code: "unknown", message: ""))))
    #expect(server(#"{"t":"ready","v":2,"x":{"y":[1]},"media":7}"#) == .frame(.ready(ReadyFrame())))
    #expect(
      server(#"{"t":"ready","media":{"part_size":-1,"max_bytes":"x","resume":1}}"#)
        == .frame(.ready(ReadyFrame(media: MediaExtension()))))
    #expect(server(#"{"t":"typing","stop":false}"#) == .frame(.typing(isOn: true)))
    #expect(
      client(#"{"t":"hello"}"#)
        == .frame(.hello(HelloFrame(token: nil, device: .init(id: "", name: "", platform: "", appVersion: "")))))
  }

  static let ignored: [(text: String, reason: IgnoredReason)] = [
    ("[1]", .notObject), ("{", .notObject), ("{}", .noType), (#"{"t":7}"#, .noType), (#"{"t":null}"#, .noType),
    (#"{"t":"deliver"}"#, .unknownType("deliver")), (#"{"T":"ready"}"#, .noType),
    (#"{"t":"Ready"}"#, .unknownType("Ready")),
    (#"{"t":"message","text":"x"}"#, .badField(type: "message", field: "id")),
    (#"{"t":"message","id":"x","text":7}"#, .badField(type: "message", field: "text")),
    (#"{"t":"avatar","state":"dancing"}"#, .badField(type: "avatar", field: "state")),
    (#"{"t":"media_done","id":"x","bytes":1,"sha256":"xyz"}"#, .badField(type: "media_done", field: "sha256")),
    (#"{"t":"media_done","id":"x","bytes":-1}"#, .badField(type: "media_done", field: "bytes")),
    (#"{"t":"media_status","id":"x","parts":3,"have":[[0,3]]}"#, .badField(type: "media_status", field: "have")),
    (#"{"t":"media_status","id":"x","parts":3,"have":[[2,1]]}"#, .badField(type: "media_status", field: "have")),
    (#"{"t":"media_status","id":"x","parts":9223372036854775807}"#, .badField(type: "media_status", field: "parts")),
  ]

  @Test(arguments: ignored) func `what cannot be understood is ignored, with a reason`(
    text: String, reason: IgnoredReason
  ) {
    #expect(server(text) == .ignored(reason))
  }

  static let badAnswers: [(text: String, field: String)] = [
    (#"{"t":"prompt","prompt_id":"p","option_id":"other"}"#, "text"),
    (#"{"t":"prompt","prompt_id":"p","option_id":"OTHER","text":" \n"}"#, "text"),
    (#"{"t":"prompt","option_id":"a"}"#, "prompt_id"),
  ]

  @Test(arguments: badAnswers) func `an answer without a choice is none`(text: String, field: String) {
    #expect(client(text) == .ignored(.badField(type: "prompt", field: field)))
  }

  // MARK: Parts

  private func parts(_ fields: String) -> Inbound<ServerFrame> {
    server("{\"t\":\"media\",\"id\":\"m\",\"kind\":\"image\",\"mime\":\"image/png\",\"data\":\"\"\(fields)}")
  }

  @Test func `a part that is missing is 0, parts that are missing are 1`() {
    for (fields, part, count) in [
      ("", 0, 1), (#","parts":2"#, 0, 2), (#","part":0"#, 0, 1), (#","part":null,"parts":null"#, 0, 1),
      (#","part":4095,"parts":4096"#, 4095, 4096), (#","part":1.0,"parts":2e0"#, 1, 2),
    ] {
      let frame = MediaFrame(id: "m", kind: .image, mime: "image/png", part: part, parts: count)
      #expect(parts(fields) == .frame(.media(frame)), "\(fields)")
    }
  }

  static let badParts = [
    #","part":true"#, #","part":false,"parts":1"#, #","part":"0""#, #","parts":"3""#, #","parts":3.5"#,
    #","parts":true"#,
    #","part":-1"#, #","part":1"#, #","part":1,"parts":1"#, #","parts":0"#, #","parts":-3"#, #","parts":4097"#,
    #","part":0.5,"parts":2"#, #","parts":1e99"#, #","part":[0]"#, #","parts":{}"#, #","parts":99999999999999999999"#,
    #","part":9223372036854775807,"parts":9223372036854775807"#,
  ]

  @Test(arguments: badParts) func `T07 part numbers that cannot be reject the media, and pass for no other`(
    fields: String
  ) {
    guard case .rejected(let rejection) = parts(fields) else {
      Issue.record("\(fields) is taken")
      return
    }
    #expect(rejection.id == "m")
    guard case .badParts = rejection.reason else {
      Issue.record("\(rejection.message)")
      return
    }
  }

  @Test func `T08 media without an id are not mixed together but rejected`() {
    for id in ["", #""id":null,"#, #""id":"","#, #""id":7,"#] {
      #expect(server("{\"t\":\"media\",\(id)\"data\":\"\"}") == .rejected(MediaRejection(nil, .noID)))
    }
    let long = String(repeating: "x", count: 513)
    #expect(server("{\"t\":\"media\",\"id\":\"\(long)\",\"data\":\"\"}") == .rejected(MediaRejection(nil, .longID)))
  }

  @Test func `neither data nor a link is empty, data wins over a link, and data must be text`() {
    #expect(server(#"{"t":"media","id":"m"}"#) == .rejected(MediaRejection("m", .empty)))
    #expect(server(#"{"t":"media","id":"m","url":""}"#) == .rejected(MediaRejection("m", .empty)))
    #expect(server(#"{"t":"media","id":"m","data":7,"url":"/a"}"#) == .rejected(MediaRejection("m", .badData)))
    guard case .frame(.media(let both)) = server(#"{"t":"media","id":"m","data":"","url":"/a"}"#) else {
      Issue.record("both are refused")
      return
    }
    #expect(both.hasData)
  }

  @Test func `W46 a media of an unknown kind and type is a document like any other`() {
    #expect(
      server(#"{"t":"media","id":"m","kind":"sheet","url":"/a.xlsx"}"#)
        == .frame(
          .media(MediaFrame(id: "m", kind: .document, mime: "application/octet-stream", hasData: false, url: "/a.xlsx"))
        ))
  }

  @Test(arguments: [(0, 1), (1, 1), (3_145_728, 1), (3_145_729, 2), (6_291_456, 2)]) func `parts are counted upward`(
    byteCount: Int64, count: Int64
  ) {
    #expect(MediaFrame.partCount(byteCount: byteCount, partSize: 3_145_728) == count)
  }
}
