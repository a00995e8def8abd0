import Foundation

/// Walks through the bytes of one JSON value (RFC 8259) without strings and without a tree: fields are matched and
/// numbers read where they lie. It allocates for strings and for numbers of more than 19 digits alone.
///
/// Every function stays inside the bytes, passes white space before what it reads, and says with `nil` or `false` that
/// something else stands there; the walk is over then.
struct JSONCursor {
  /// A field's name as it stands between its quotes. Valid as long as the bytes are.
  struct Key {
    fileprivate let bytes: UnsafeRawBufferPointer

    /// The rest of the name behind `prefix`; `nil` where it begins otherwise.
    func without(_ prefix: StaticString) -> Key? {
      guard prefix.utf8CodeUnitCount <= bytes.count, let base = bytes.baseAddress,
        memcmp(base, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
      else { return nil }
      return Key(bytes: UnsafeRawBufferPointer(rebasing: bytes[prefix.utf8CodeUnitCount...]))
    }

    /// As it stands, escapes and all.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func matches(_ name: StaticString) -> Bool {
      guard name.utf8CodeUnitCount == bytes.count, let base = bytes.baseAddress else { return false }
      return memcmp(base, name.utf8Start, bytes.count) == 0
    }
  }

  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether nothing but white space is left.
  mutating func isAtEnd() -> Bool { peek() == nil }

  /// Whether an object comes next.
  mutating func isObject() -> Bool { peek() == 0x7B }

  /// Reads an object; `body` has to read each field's value, and says whether it could.
  ///
  /// - Returns: whether the object is whole and all values could be read.
  mutating func object(_ body: (Key, inout JSONCursor) -> Bool) -> Bool {
    guard skip(0x7B) else { return false }
    if skip(0x7D) { return true }
    repeat {
      guard skip(0x22), let name = stringBody(), skip(0x3A),
        body(Key(bytes: UnsafeRawBufferPointer(rebasing: bytes[name.range])), &self)
      else { return false }
    } while skip(0x2C)
    return skip(0x7D)
  }

  /// Reads an array; `body` has to read each element, and says whether it could.
  mutating func array(_ body: (inout JSONCursor) -> Bool) -> Bool {
    guard skip(0x5B) else { return false }
    if skip(0x5D) { return true }
    repeat {
      guard body(&self) else { return false }
    } while skip(0x2C)
    return skip(0x5D)
  }

  /// Passes one value of any kind.
  mutating func skipValue() -> Bool {
    guard let first = peek() else { return false }
    switch first {
    case 0x22:
      position += 1
      return stringBody() != nil
    case 0x7B, 0x5B:
      var depth = 0
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        switch byte {
        case 0x22: guard stringBody() != nil else { return false }
        case 0x7B, 0x5B: depth += 1
        case 0x7D, 0x5D:
          depth -= 1
          if depth == 0 { return true }
        default: break
        }
      }
      return false
    default:
      return bareword() > 0
    }
  }

  /// A string, its escapes resolved.
  mutating func string() -> String? {
    guard skip(0x22), let body = stringBody() else { return nil }
    guard body.hasEscapes else { return String(decoding: bytes[body.range], as: UTF8.self) }
    let quoted = Data(bytes[body.range.lowerBound - 1..<body.range.upperBound + 1])
    return (try? JSONSerialization.jsonObject(with: quoted, options: .fragmentsAllowed)) as? String
  }

  mutating func bool() -> Bool? {
    if literal("true") { return true }
    return literal("false") ? false : nil
  }

  /// An array of numbers in `range`, at most `limit` of them.
  mutating func numbers(in range: ClosedRange<Double>, limit: Int = 64) -> [Double]? {
    var numbers: [Double] = []
    let isWhole = array { cursor in
      guard numbers.count < limit, let number = cursor.number(in: range) else { return false }
      numbers.append(number)
      return true
    }
    return isWhole ? numbers : nil
  }

  /// A number in `range`.
  mutating func number(in range: ClosedRange<Double>) -> Double? {
    number().flatMap { range.contains($0) ? $0 : nil }
  }

  /// An integer in `range`.
  mutating func integer(in range: ClosedRange<Int>) -> Int? {
    integer(Int.self).flatMap { range.contains($0) ? $0 : nil }
  }

  /// What stored samples are multiplied by.
  mutating func scale() -> Float? {
    float().flatMap { CaptureLimits.scale.contains(abs($0)) ? $0 : nil }
  }

  /// A finite number. Up to 19 digits and small powers of ten, which is what programs write, it is exact arithmetic;
  /// what is longer goes to the library. Both round correctly.
  mutating func number() -> Double? {
    guard let scan = scanNumber() else { return nil }
    if !scan.isCut, scan.mantissa < 1 << 53, abs(scan.exponent) <= 22 {
      let magnitude = Double(scan.mantissa)
      let power = Self.powersOfTen[abs(scan.exponent)]
      let value = scan.exponent < 0 ? magnitude / power : magnitude * power
      return scan.isNegative ? -value : value
    }
    guard let value = Double(String(decoding: bytes[scan.range], as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// A finite number, rounded once to single precision.
  mutating func float() -> Float? {
    let start = position
    guard let value = number() else { return nil }
    // A double that lies half way between two floats may have been rounded there: then the text decides.
    guard value.bitPattern & 0x1FFF_FFFF == 0x1000_0000 || Float(value).isSubnormal else {
      let float = Float(value)
      return float.isFinite ? float : nil
    }
    position = start
    guard let scan = scanNumber(), let float = Float(String(decoding: bytes[scan.range], as: UTF8.self)) else {
      return nil
    }
    return float.isFinite ? float : nil
  }

  /// An integer; `1.0` and `1e3` are integers, too.
  mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
    let start = position
    guard let scan = scanNumber() else { return nil }
    if !scan.isCut, scan.exponent == 0 {
      if !scan.isNegative { return Value(exactly: scan.mantissa) }
      guard let magnitude = Int64(exactly: scan.mantissa) else { return nil }
      return Value(exactly: -magnitude)
    }
    position = start
    return number().flatMap { Value(exactly: $0) }
  }

  /// A complex number in a string, as Python writes it: `"(12-7j)"`, parentheses, exponents and a part of zero as they come.
  mutating func complex() -> (real: Float, imaginary: Float)? {
    if let sample = wholeComplex() { return sample }
    guard skip(0x22) else { return nil }
    let isEnclosed = skip(0x28)
    guard let first = signedFloat() else { return nil }
    var sample: (real: Float, imaginary: Float) = (first, 0)
    if skip(0x6A) {
      sample = (0, first)
    } else if position < bytes.count, bytes[position] == 0x2B || bytes[position] == 0x2D {
      guard let second = signedFloat(), skip(0x6A) else { return nil }
      sample.imaginary = second
    }
    guard !isEnclosed || skip(0x29), skip(0x22) else { return nil }
    return sample
  }

  /// The same of whole numbers in parentheses, which is what a chip's samples are; passes nothing where something else stands.
  private mutating func wholeComplex() -> (real: Float, imaginary: Float)? {
    guard peek() == 0x22 else { return nil }
    var place = position + 1
    guard place < bytes.count, bytes[place] == 0x28 else { return nil }
    place += 1
    guard let real = wholeNumber(at: &place), place < bytes.count else { return nil }
    let sign = bytes[place]
    guard sign == 0x2B || sign == 0x2D else { return nil }
    place += 1
    guard place < bytes.count, bytes[place] != 0x2D, let imaginary = wholeNumber(at: &place), place + 3 <= bytes.count,
      bytes[place] == 0x6A, bytes[place + 1] == 0x29, bytes[place + 2] == 0x22
    else { return nil }
    position = place + 3
    return (real, sign == 0x2D ? -imaginary : imaginary)
  }

  /// An integer of at most seven digits: exact in single precision.
  @inline(__always)
  private func wholeNumber(at place: inout Int) -> Float? {
    let isNegative = place < bytes.count && bytes[place] == 0x2D
    if isNegative { place += 1 }
    let first = place
    var value: Int32 = 0
    while place < bytes.count, place < first + 7 {
      let digit = bytes[place] &- 0x30
      guard digit <= 9 else { break }
      value = value * 10 + Int32(digit)
      place += 1
    }
    guard place > first else { return nil }
    return isNegative ? -Float(value) : Float(value)
  }

  /// A number that may begin with a plus.
  private mutating func signedFloat() -> Float? {
    if peek() == 0x2B {
      position += 1
      guard position < bytes.count, bytes[position] != 0x2D else { return nil }
    }
    return float()
  }

  /// Whether the next value is no number though one might stand there: `null`, or the `nan` and `inf` of C.
  mutating func skipAbsentNumber() -> Bool {
    guard let first = peek() else { return false }
    let isSigned = first == 0x2D && position + 1 < bytes.count
    let letter = (isSigned ? bytes[position + 1] : first) | 0x20
    guard letter == 0x6E || letter == 0x69 else { return false }
    return bareword() > 0
  }

  /// Reads a field's value; `null` leaves it absent, and so does the `NaN` that Python writes.
  ///
  /// - Returns: whether it could be read.
  mutating func read<Value>(_ field: inout Value?, _ value: (inout JSONCursor) -> Value?) -> Bool {
    if skipAbsentNumber() { return true }
    field = value(&self)
    return field != nil
  }

  // MARK: -

  private struct Number {
    var mantissa: UInt64 = 0
    var exponent = 0
    var isNegative = false
    /// Whether there were more digits than the mantissa holds.
    var isCut = false
    var range = 0..<0
  }

  private static let powersOfTen: [Double] = (0...22).map { pow(10, Double($0)) }

  private mutating func scanNumber() -> Number? {
    guard peek() != nil else { return nil }
    var number = Number()
    let start = position
    if bytes[position] == 0x2D {
      number.isNegative = true
      position += 1
    }
    let digits = scanDigits(&number, isFraction: false)
    guard digits > 0 else { return nil }
    if position < bytes.count, bytes[position] == 0x2E {
      position += 1
      guard scanDigits(&number, isFraction: true) > 0 else { return nil }
    }
    if position < bytes.count, bytes[position] | 0x20 == 0x65 {
      position += 1
      var isNegative = false
      if position < bytes.count, bytes[position] == 0x2D || bytes[position] == 0x2B {
        isNegative = bytes[position] == 0x2D
        position += 1
      }
      let first = position
      var exponent = 0
      while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
        if exponent < 100_000 { exponent = exponent * 10 + Int(bytes[position] - 0x30) }
        position += 1
      }
      guard position > first else { return nil }
      number.exponent += isNegative ? -exponent : exponent
    }
    number.range = start..<position
    return number
  }

  private mutating func scanDigits(_ number: inout Number, isFraction: Bool) -> Int {
    let first = position
    while position < bytes.count {
      let digit = bytes[position] &- 0x30
      guard digit <= 9 else { break }
      if number.mantissa < 1_000_000_000_000_000_000 {
        number.mantissa = number.mantissa * 10 + UInt64(digit)
        if isFraction { number.exponent -= 1 }
      } else {
        number.isCut = true
      }
      position += 1
    }
    return position - first
  }

  private mutating func peek() -> UInt8? {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      position += 1
    }
    return nil
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  // What stands from here to the closing quote, which is passed.
  private mutating func stringBody() -> (range: Range<Int>, hasEscapes: Bool)? {
    let start = position
    var hasEscapes = false
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 0x22 { return (start..<position - 1, hasEscapes) }
      if byte == 0x5C {
        hasEscapes = true
        position += 1
      }
    }
    return nil
  }

  private mutating func literal(_ text: StaticString) -> Bool {
    guard peek() != nil, position + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  private mutating func bareword() -> Int {
    let first = position
    while position < bytes.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x0A, 0x0D, 0x09, 0x22, 0x3A].contains(bytes[position]) {
      position += 1
    }
    return position - first
  }
}
