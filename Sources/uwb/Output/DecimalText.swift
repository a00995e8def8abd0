import UWBCapture

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
    // From the last digit to the first.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24 + places) { text in
      var rest = UInt64(abs(scaled))
      var first = text.count
      var written = 0
      repeat {
        if written == places, places > 0 {
          first -= 1
          text[first] = UInt8(ascii: ".")
        }
        first -= 1
        text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
        written += 1
      } while rest > 0 || written <= places
      if scaled < 0 {
        first -= 1
        text[first] = UInt8(ascii: "-")
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: text[first...]))
    }
  }

  /// Appends a number in plain decimal notation with so many significant digits, or as many more as stand before the point.
  mutating func appendDecimal(_ value: Double, digits: Int) {
    var (size, places) = (abs(value), 0)
    var least = 1.0
    for _ in 1..<digits { least *= 10 }
    while size > 0, size < least, places < 18 {
      size *= 10
      places += 1
    }
    appendDecimal(value, places: places)
  }

  /// Appends a field of CSV (RFC 4180), quoted where it holds a comma or a quote. A table is looked at on terminals, too: what
  /// steers one is written out.
  mutating func appendCSV(_ text: String) {
    let text = text.printable()
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) else {
      return append(contentsOf: text.utf8)
    }
    append(contentsOf: "\"\(text.replacing("\"", with: "\"\""))\"".utf8)
  }
}

extension String {
  /// A number with so many decimal places, as `appendDecimal` writes it; `absent` where there is none, or none that is finite.
  init(decimal value: Double?, places: Int, absent: String = "–") {
    self.init(value, absent) { $0.appendDecimal($1, places: places) }
  }

  /// The same with so many significant digits.
  init(decimal value: Double?, digits: Int, absent: String = "–") {
    self.init(value, absent) { $0.appendDecimal($1, digits: digits) }
  }

  private init(_ value: Double?, _ absent: String, _ append: (inout [UInt8], Double) -> Void) {
    guard let value, value.isFinite else {
      self = absent
      return
    }
    var bytes: [UInt8] = []
    append(&bytes, value)
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Blanks behind, to at least `width` characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

  /// Blanks before, to at least `width` characters.
  func indented(to width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}
