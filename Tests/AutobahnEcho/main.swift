// The client that the Autobahn|Testsuite examines: asks how many cases there are, plays each, echoing every message, and
// has the report written. usage: autobahn-echo PORT AGENT
import Crypto
import Glibc
import WebSocket

final class Echo: WebSocketSink {
  private let descriptor: Int32
  private let codec: WebSocketCodec
  private let echoes: Bool
  private var kind = MessageKind.text
  private var message: [UInt8] = []
  private(set) var lastMessage: [UInt8] = []

  init?(port: UInt16, target: String, echoes: Bool) {
    self.echoes = echoes
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var random = SecureRandom()
    codec = WebSocketCodec(role: .client, limits: WebSocketLimits(maxMessageByteCount: 32 << 20)) {
      UInt32(truncatingIfNeeded: random.next())
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    let outcome = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard outcome == 0, var bytes = open("127.0.0.1:\(port)", target) else {
      close(descriptor)
      return nil
    }
    bytes.withUnsafeMutableBytes { if !$0.isEmpty { codec.receive($0, self) } }
  }

  private func open(_ host: String, _ target: String) -> [UInt8]? {
    var handshake = ClientHandshake(host: host, target: target)
    guard write(handshake.request) else { return nil }
    while let bytes = read() {
      switch handshake.receive(bytes) {
      case nil: continue
      case .accepted(_, let rest): return rest
      case .refused, .invalid: return nil
      }
    }
    return nil
  }

  /// Plays on until the connection has ended.
  func run() {
    flush()
    while var bytes = read() {
      bytes.withUnsafeMutableBytes { codec.receive($0, self) }
      flush()
      if codec.failure != nil { shutdown(descriptor, Int32(SHUT_WR)) }
    }
    close(descriptor)
  }

  private func flush() {
    while !codec.output.isEmpty {
      let bytes = Array(codec.output)
      guard write(bytes) else { return }
      codec.outputConsumed(bytes.count)
    }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  private func read() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    return count > 0 ? Array(chunk[..<count]) : nil
  }

  func messageBegan(_ kind: MessageKind) {
    self.kind = kind
    message = []
  }
  func messageReceived(_ bytes: UnsafeRawBufferPointer) { message += bytes }
  func messageEnded() {
    lastMessage = message
    guard echoes, !codec.isCloseSent else { return }
    var offset = 0
    repeat {
      codec.sendFragment(kind) { writer in
        offset += writer.append(message, from: offset)
        return offset == message.count
      }
      flush()
    } while offset < message.count
  }
  func pingReceived(_ payload: [UInt8]) {}
  func pongReceived(_ payload: [UInt8]) {}
  func closeReceived(_ code: CloseCode, reason: String) {}
}

func fail(_ message: String, status: Int32) -> Never {
  let line = Array("autobahn-echo: \(message)\n".utf8)
  _ = line.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  exit(status)
}

guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[1]) else {
  fail("usage: autobahn-echo PORT AGENT", status: 2)
}
let agent = CommandLine.arguments[2]

/// The server may still be starting.
func caseCount() -> Int? {
  for _ in 0..<300 {
    if let echo = Echo(port: port, target: "/getCaseCount", echoes: false) {
      echo.run()
      return Int(String(decoding: echo.lastMessage, as: UTF8.self))
    }
    usleep(100_000)
  }
  return nil
}

guard let count = caseCount(), count > 0 else {
  fail("nobody answers on port \(port)", status: 1)
}
for number in 1...count { Echo(port: port, target: "/runCase?case=\(number)&agent=\(agent)", echoes: true)?.run() }
Echo(port: port, target: "/updateReports?agent=\(agent)", echoes: false)?.run()
