/// A radio's address: an EUI-64, or a 16-bit short address in the low bits.
public struct DeviceAddress: Hashable, Sendable, Codable, RawRepresentable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }
}

extension DeviceAddress: CustomStringConvertible {
  /// Four hexadecimal digits for a short address, sixteen for an EUI-64.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: max(0, (rawValue > 0xFFFF ? 16 : 4) - digits.count)) + digits
  }
}

extension DeviceAddress: LosslessStringConvertible {
  /// Reads hexadecimal digits, at most sixteen; `nil` for anything else.
  public init?(_ description: String) {
    // The digits are checked as well because `UInt64` takes a sign before them.
    guard description.utf8.count <= 16, description.allSatisfy(\.isHexDigit),
      let value = UInt64(description, radix: 16)
    else { return nil }
    self.init(rawValue: value)
  }
}
