/// Bytes as people compare them.
public enum Hexadecimal {
  /// Two lower-case digits a byte.
  public static func text(of bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let characters = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: characters, as: UTF8.self)
  }
}

/// The SHA-256 of bytes in lower-case hexadecimal digits.
public func sha256Hexadecimal(of bytes: [UInt8]) -> String {
  let digest = Digest(.sha256)
  digest.update(bytes)
  return digest.finishHexadecimal()
}

/// The SHA-256 of a text's UTF-8 in lower-case hexadecimal digits.
public func sha256Hexadecimal(of text: String) -> String { sha256Hexadecimal(of: Array(text.utf8)) }
