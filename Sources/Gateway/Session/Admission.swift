/// What is known of a client when its connection is handed over.
struct Admission: Equatable, Sendable {
  /// What it showed in the request; the hello may show more.
  let shownTokens: [String]
  /// One of them is nobody's.
  let isRefused: Bool
}
