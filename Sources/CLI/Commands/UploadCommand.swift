import Core
import HermesTransfer

@MainActor
enum UploadCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let requests = try requests(context)
    return try await MediaSender(try SessionSetup(context)).run(.files(requests))
  }

  private static func requests(_ context: CommandContext) throws(TransferFailure) -> [MediaRequest] {
    let settings = context.settings
    let paths = settings.operands
    for name in [FlagName.name, .mime, .kind] where paths.count > 1 && settings.text(name) != nil {
      throw TransferFailure(.usage, "--\(name.rawValue) is for one file, and there are several")
    }
    return try paths.map { path throws(TransferFailure) in
      var request = MediaRequest(path: context.surroundings.absolute(path))
      request.caption = settings.text(.caption)
      request.kind = settings.text(.kind).flatMap(MediaKind.init)
      request.mime = settings.text(.mime)
      request.name = settings.text(.name)
      request.partByteCount = try partByteCount(settings)
      request.isAtMostOnce = settings.isOn(.atMostOnce)
      request.priority = settings.count(.priority) ?? 5
      if let seconds = settings.seconds(.deadline) { request.deadlineSeconds = seconds }
      return request
    }
  }

  private static func partByteCount(_ settings: Settings) throws(TransferFailure) -> Int? {
    guard let size = settings.byteCount(.partSize) else { return nil }
    guard size >= 3, size <= 12 << 20 else {
      throw TransferFailure(.usage, "--part-size cannot be \(size) bytes", hint: "it is 3 bytes to 12M")
    }
    return Int(size) / 3 * 3
  }
}
