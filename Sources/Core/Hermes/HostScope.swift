/// How far away a host is, as far as its name or address tells.
public enum HostScope: Hashable, Sendable {
  /// This machine.
  case loopback
  /// Addresses that only a network of one's own has: RFC 1918, 3927, 4193, 4291 §2.5.6, 6598.
  case privateNetwork
  case publicNetwork
  /// Only resolving it can tell.
  case name

  /// - Parameter host: a name, an IPv4 address in any form that resolvers take, or an IPv6 address, in brackets or not.
  public init(host: String) {
    let text = host.hasSuffix(".") ? host.dropLast().lowercased() : host.lowercased()
    if text == "localhost" || text.hasSuffix(".localhost") {
      self = .loopback
    } else if let groups = IPv6Text.groups(text) {
      self = Self.scope(groups)
    } else if let address = IPv4Text.address(text) {
      self = Self.scope(address)
    } else {
      self = .name
    }
  }

  public var isPrivate: Bool { self == .loopback || self == .privateNetwork }

  private static func scope(_ address: UInt32) -> HostScope {
    switch (address >> 24, address >> 16 & 0xff) {
    // 0.0.0.0 reaches this machine.
    case (127, _), (0, _): .loopback
    case (10, _), (192, 168), (169, 254), (172, 16...31), (100, 64...127): .privateNetwork
    default: .publicNetwork
    }
  }

  private static func scope(_ groups: [UInt16]) -> HostScope {
    let low = UInt32(groups[6]) << 16 | UInt32(groups[7])
    if groups[0..<6].allSatisfy({ $0 == 0 }) {
      // `::` and `::1`; the rest are IPv4 addresses in a form long given up (RFC 4291 §2.5.5.1).
      return low <= 1 ? .loopback : scope(low)
    }
    // IPv4 within IPv6: mapped, and translated by NAT64 (RFC 6052).
    let isMapped = groups[0..<5].allSatisfy { $0 == 0 } && groups[5] == 0xffff
    let isTranslated = groups[0] == 0x64 && groups[1] == 0xff9b && groups[2..<6].allSatisfy { $0 == 0 }
    if isMapped || isTranslated { return scope(low) }
    switch groups[0] {
    case 0xfc00...0xfdff, 0xfe80...0xfeff: return .privateNetwork
    default: return .publicNetwork
    }
  }
}

/// IPv4 addresses as inet_aton(3) reads them: one to four numbers, decimal, octal or hexadecimal.
enum IPv4Text {
  static func address(_ text: String) -> UInt32? {
    let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(pieces.count) else { return nil }
    var address: UInt64 = 0
    for (index, piece) in pieces.enumerated() {
      guard let number = number(piece) else { return nil }
      // The last number fills the bytes that are left.
      let byteCount = index == pieces.count - 1 ? 5 - pieces.count : 1
      guard number < 1 << UInt64(8 * byteCount) else { return nil }
      address = address << UInt64(8 * byteCount) | number
    }
    return UInt32(address)
  }

  private static func number(_ piece: Substring) -> UInt64? {
    guard piece.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false, !piece.contains("+") else { return nil }
    if piece.hasPrefix("0x") { return piece.count == 2 ? 0 : UInt64(piece.dropFirst(2), radix: 16) }
    return UInt64(piece, radix: piece.hasPrefix("0") ? 8 : 10)
  }
}

/// IPv6 addresses (RFC 4291 §2.2), with or without brackets and zone.
enum IPv6Text {
  static func groups(_ text: String) -> [UInt16]? {
    var rest = text[...]
    if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
    rest = rest.prefix { $0 != "%" }
    guard rest.contains(":") else { return nil }
    guard let gap = rest.firstRange(of: "::") else {
      let all = pieces(rest)
      return all?.count == 8 ? all : nil
    }
    guard let before = pieces(rest[..<gap.lowerBound]), let after = pieces(rest[gap.upperBound...]),
      before.count + after.count <= 7
    else { return nil }
    return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
  }

  private static func pieces(_ text: Substring) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    for piece in text.split(separator: ":", omittingEmptySubsequences: false) {
      if piece.contains("."), piece.endIndex == text.endIndex, let address = IPv4Text.address(String(piece)) {
        groups += [UInt16(address >> 16), UInt16(address & 0xffff)]
      } else {
        guard (1...4).contains(piece.utf8.count), piece.allSatisfy(\.isHexDigit), let group = UInt16(piece, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}
