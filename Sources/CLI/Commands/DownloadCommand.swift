import Core
import HermesTransfer
import Posix

@MainActor
enum DownloadCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let template = try RequestTemplate(context, secrets: Secrets(context))
    let requests = try requests(context, template)
    guard let first = requests.first else {
      throw TransferFailure(.usage, "nothing to download", hint: "hermes-transfer download URL…, or -i FILE")
    }
    if context.settings.text(.output) != nil, requests.count > 1 {
      throw TransferFailure(
        .usage, "--output names one file, there are \(requests.count) URLs",
        hint: "--directory puts several files into a folder")
    }
    let runner = Runner(context)
    if context.settings.text(.output) == "-" { return try await runner.stream(first) }
    return try await runner.run { engine throws(TransferFailure) in _ = try await engine.download(requests) }
  }

  private static func requests(
    _ context: CommandContext, _ template: RequestTemplate
  ) throws(TransferFailure) -> [DownloadRequest] {
    var requests = context.settings.operands.map { template.request($0) }
    for path in context.settings.texts(.inputFile) {
      for entry in try list(path, context) {
        do throws(WebURL.Invalid) {
          _ = try WebURL(entry.url)
        } catch {
          throw TransferFailure(.usage, "cannot use line \(entry.line) of \(path): \(error.message)")
        }
        requests.append(template.request(entry.url, name: entry.name))
      }
    }
    return requests
  }

  private static func list(_ path: String, _ context: CommandContext) throws(TransferFailure) -> [ListedURL] {
    var parser = URLListParser()
    var lines: [[UInt8]] = []
    var entries: [ListedURL] = []
    do throws(Errno) {
      var reader =
        path == "-" ? LineReader.standardInput() : LineReader(try Files.openToRead(context.surroundings.absolute(path)))
      while let line = try reader.next() { lines.append(line) }
    } catch {
      throw TransferFailure(.localFile, "cannot read \(path): \(error)")
    }
    for line in lines { entries += try parser.feed(line + [10]) }
    return entries
  }
}
