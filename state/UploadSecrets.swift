public import Core

/// The URLs that a server gave an upload and, where they are uploads of their own, its parts. Whoever has one may add to
/// the upload, so they are kept as secrets are: in `secrets/ID.upload`, a line each, the number 0 being the whole.
public struct UploadSecrets: Sendable, Hashable {
  public var resource: String?
  /// By the number of the part.
  public var parts: [Int: String] = [:]

  public init(resource: String? = nil, parts: [Int: String] = [:]) {
    self.resource = resource
    self.parts = parts
  }

  public var isEmpty: Bool { resource == nil && parts.isEmpty }

  var bytes: [UInt8] {
    var text = resource.map { "0 \($0)\n" } ?? ""
    for (number, url) in parts.sorted(by: { $0.key < $1.key }) { text += "\(number) \(url)\n" }
    return Array(text.utf8)
  }

  /// A line that this program never writes says nothing.
  init(bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let number = Int(words[0]), number >= 0 else { continue }
      if number == 0 { resource = String(words[1]) } else { parts[number] = String(words[1]) }
    }
  }

  /// A URL as people may see it: who serves it, and the last four characters where that leaves enough unknown.
  public static func redacted(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return "…" }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let path = rest.dropFirst(authority.count)
    let isLong = path.count >= 16 && !path.contains { "?#".contains($0) }
    return "\(url[..<scheme.upperBound])\(host)/…\(isLong ? String(path.suffix(4)) : "")"
  }
}

extension SecretFile {
  /// Writes the URLs of an upload in place of older ones; when this returns they survive a power cut.
  public static func write(_ secrets: UploadSecrets, folder: String, id: TransferID) throws(StateError) {
    try write(secrets.bytes, folder: folder, name: uploadName(id))
  }

  /// The URLs of an upload; empty when there are none.
  public static func uploadSecrets(folder: String, id: TransferID) throws(StateError) -> UploadSecrets {
    UploadSecrets(bytes: try read(folder: folder, name: uploadName(id)) ?? [])
  }

  /// Forgets the URLs of an upload, and leaves its other secrets.
  public static func removeUploadSecrets(folder: String, id: TransferID) throws(StateError) {
    try StateFolder.remove("\(StateFolder(path: folder).secretsPath)/\(uploadName(id))")
  }

  private static func uploadName(_ id: TransferID) -> String { "\(id.text).upload" }
}
