/// What a request sends after its head.
public enum CurlBody: Hashable, Sendable {
  /// Nothing, and no length either.
  case none
  /// These bytes; an empty array says `Content-Length: 0`.
  case bytes([UInt8])
  /// What the owner's `bodyWanted` gives: so many bytes, or chunks until it gives none.
  case source(byteCount: Int64?)
  /// multipart/form-data with a length of its own, its file from the owner's `bodyWanted`.
  case form([CurlFormPart])
}

/// One part of a form.
public enum CurlFormPart: Hashable, Sendable {
  case field(name: String, value: String)
  /// At most one of a form. Its name goes out as UTF-8, a quote in it as %22; nil media type leaves it to libcurl's
  /// list of endings.
  case file(name: String, fileName: String, mediaType: String?, byteCount: Int64)
}

/// What an owner has for a body that goes out.
public enum BodySupply: Hashable, Sendable {
  /// So many bytes of the room are filled. 0 ends a body of unknown length, and is an error before the end of any other.
  case bytes(Int)
  /// It is asked again after `CurlLoop.resume`, or not at all when an answer of 300 or above comes.
  case pause
  /// The transfer ends without an error of its own, its connection too.
  case stop
}
