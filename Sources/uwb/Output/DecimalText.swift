extension [UInt8] {
  /// Appends a number in plain decimal notation, rounded half away from zero, never in exponent form.
  ///
  /// Numbers whose digits do not fit 63 bits are written as Swift writes them.
  mutating func appendDecimal(_ value: Double, places: Int) {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded(.toNearestOrAwayFromZero)
    guard abs(scaled) < 9e18 else {
      append(contentsOf: "\(value)".utf8)
      return
    }
    var rest = UInt64(abs(scaled))
    if scaled < 0 { append(UInt8(ascii: "-")) }
    let start = count
    var written = 0
    repeat {
      if written == places, places > 0 { append(UInt8(ascii: ".")) }
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      written += 1
    } while rest > 0 || written <= places
    self[start...].reverse()
  }
}

extension String {
  /// A number with so many decimal places, as `appendDecimal` writes it; `absent` where there is none, or none that is finite.
  init(decimal value: Double?, places: Int, absent: String = "–") {
    guard let value, value.isFinite else {
      self = absent
      return
    }
    var bytes: [UInt8] = []
    bytes.appendDecimal(value, places: places)
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Blanks behind, to at least `width` characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

  /// Blanks before, to at least `width` characters.
  func indented(to width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}
