import Core

/// A complete file in the media folder.
struct StoredMedia: Equatable, Sendable {
  /// Its name below the media folder, with the folders before it.
  let path: [String]
  let kind: MediaKind
  let mime: String
  let caption: String?
  let byteCount: Int64

  var name: String { path.last ?? "" }
}

/// What became of a part.
enum PartOutcome: Equatable, Sendable {
  /// It is held; more are missing.
  case held
  /// It was held already.
  case repeated
  /// It was held with other bytes: the medium begins anew with this part.
  case restarted
  case complete(CompletedMedia)
}

/// A medium of which every part came.
struct CompletedMedia: Equatable, Sendable {
  let media: StoredMedia
  /// Lower-case hexadecimal.
  let sha256: String
  /// How many parts it came in.
  let parts: Int
  /// The same bytes had come under this id before: no second file was made.
  var isRepeated: Bool
}

/// Why a part is not taken.
enum PartRefusal: Error, Equatable {
  case media(MediaRejection)
  /// The disk or the folder does not take it.
  case storage(String)
}

/// Which medium of whom.
struct MediaKey: Hashable, Sendable {
  let device: String
  let id: String
}
