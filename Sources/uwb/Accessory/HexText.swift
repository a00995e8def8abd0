/// Bytes as people write them down: hexadecimal digits, with spaces, colons, commas, hyphens or 0x between them or none.
enum HexText {
  /// The bytes; `nil` for anything else, an odd number of digits included.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var digits: [UInt8] = []
    var rest = Substring(text)
    while let first = rest.first {
      if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
        rest.removeFirst(2)
        continue
      }
      rest.removeFirst()
      if let digit = first.hexDigitValue, first.isASCII {
        digits.append(UInt8(digit))
      } else if !first.isWhitespace, !":,-<>".contains(first) {
        return nil
      }
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static func string(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// A number in so many digits.
  static func string<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> String {
    string((0..<Value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> Value($0 * 8)) })
  }
}
