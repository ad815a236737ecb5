internal import CCrypto

/// A digest over bytes that come piece by piece; libcrypto computes it.
///
/// One thread at a time may feed it. `@unchecked Sendable`: it may move to another thread between two pieces.
@safe public final class Digest: @unchecked Sendable {
  public enum Algorithm: Hashable, Sendable, CaseIterable { case sha256, sha512, sha1, md5 }

  public let algorithm: Algorithm
  private let context: OpaquePointer
  private var isFinished = false

  public init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    // EVP_MD_CTX_new fails only without memory, and then nothing of Swift goes on either.
    guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory for a digest") }
    unsafe self.context = context
    // Fails only where a policy forbids the algorithm; libcrypto's default provider has all four.
    let result = unsafe EVP_DigestInit_ex(context, algorithm.implementation, nil)
    precondition(result == 1, "\(algorithm) is not available")
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Takes the next bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    precondition(!isFinished, "a finished digest takes no more bytes")
    let result = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(result == 1, "cannot go on with a digest")
  }

  /// Takes the next bytes.
  public func update(_ bytes: [UInt8]) {
    unsafe bytes.span.withUnsafeBytes { bytes in unsafe update(bytes) }
  }

  /// The digest of all bytes; no more may come.
  public func finish() -> [UInt8] {
    precondition(!isFinished, "a digest is finished twice")
    isFinished = true
    var room = [UInt8](repeating: 0, count: algorithm.byteCount)
    let result = unsafe EVP_DigestFinal_ex(context, &room, nil)
    precondition(result == 1, "cannot finish a digest")
    return room
  }

  /// The digest of all bytes in lower-case hexadecimal digits; no more may come.
  public func finishHexadecimal() -> String { Hexadecimal.text(of: finish()) }
}

extension Digest.Algorithm {
  /// How long such a digest is.
  public var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha512: 64
    case .sha1: 20
    case .md5: 16
    }
  }

  fileprivate var implementation: OpaquePointer? {
    switch self {
    case .sha256: unsafe EVP_sha256()
    case .sha512: unsafe EVP_sha512()
    case .sha1: unsafe EVP_sha1()
    case .md5: unsafe EVP_md5()
    }
  }
}
