import Core
import HermesTransfer

/// The requests of a `download` command in their order: the URLs that were typed, then the lists, as they are read.
@MainActor
final class RequestFeed {
  private let template: RequestTemplate
  private var typed: [String]
  private var lists: [(path: String, reader: ListReader)]
  /// A line that stands twice is one transfer, in whichever batches it comes.
  private var seen: Set<ListedKey> = []

  private struct ListedKey: Hashable {
    let url: String
    let name: String?
  }

  /// Opens the lists; what cannot be opened is an error before anything is fetched.
  init(_ context: CommandContext, _ template: RequestTemplate) throws(TransferFailure) {
    self.template = template
    typed = context.settings.operands
    lists = []
    for path in context.settings.texts(.inputFile) {
      lists.append((path, try ListReader(path: path, surroundings: context.surroundings)))
    }
    for (index, url) in typed.enumerated() {
      guard let failure = Self.invalid(url) else { continue }
      // A text that is no URL may hold a secret all the same: it is told by its place.
      let place = typed.count > 1 ? "cannot use URL \(index + 1) of \(typed.count): " : ""
      throw TransferFailure(failure.code, place + failure.message, hint: failure.hint)
    }
  }

  /// The next requests, and what is wrong with lines among them; nil after the last.
  func next() async throws(TransferFailure) -> (requests: [DownloadRequest], refused: [TransferFailure])? {
    if !typed.isEmpty {
      let urls = typed
      typed = []
      return (urls.filter { seen.insert(ListedKey(url: $0, name: nil)).inserted }.map { template.request($0) }, [])
    }
    while let (path, reader) = lists.first {
      if let batch = try await reader.next() { return requests(of: batch, path) }
      lists.removeFirst()
    }
    return nil
  }

  /// A line that is no URL is told and passed over: of ten thousand the others are still wanted.
  private func requests(of batch: [ListedURL], _ path: String) -> ([DownloadRequest], [TransferFailure]) {
    var requests: [DownloadRequest] = []
    var refused: [TransferFailure] = []
    for entry in batch where seen.insert(ListedKey(url: entry.url, name: entry.name)).inserted {
      if let failure = Self.invalid(entry.url) {
        refused.append(
          TransferFailure(
            failure.code, "cannot use line \(entry.line) of \(path): \(failure.message)", hint: failure.hint))
      } else {
        requests.append(template.request(entry.url, name: entry.name))
      }
    }
    return (requests, refused)
  }

  private static func invalid(_ url: String) -> TransferFailure? {
    do throws(WebURL.Invalid) {
      _ = try WebURL(url)
      return nil
    } catch {
      return error.failure
    }
  }
}
