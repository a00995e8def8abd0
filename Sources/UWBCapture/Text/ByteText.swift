import Foundation

/// Reads numbers and fields out of a line's bytes, without strings and without a locale.
///
/// Every function takes the line and positions in it, stays inside it, and gives `nil` where it finds something else.
enum ByteText {
  /// Whether `text` stands at `position`.
  static func matches(_ text: StaticString, in line: Span<UInt8>, at position: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard position >= 0, position + length <= line.count else { return false }
    return text.withUTF8Buffer { expected in
      for index in 0..<length where line[position + index] != expected[index] { return false }
      return true
    }
  }

  /// Whether one of the texts stands in the line.
  static func contains(anyOf texts: [StaticString], in line: Span<UInt8>) -> Bool {
    for text in texts where end(of: text, in: line) != nil { return true }
    return false
  }

  /// Where what follows the first `text` at or after `start` begins.
  static func end(of text: StaticString, in line: Span<UInt8>, from start: Int = 0) -> Int? {
    let length = text.utf8CodeUnitCount
    guard start >= 0, length > 0 else { return nil }
    return line.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var position = start
      while position + length <= bytes.count {
        let count = bytes.count - length + 1 - position
        guard let found = memchr(base + position, Int32(text.utf8Start.pointee), count) else { return nil }
        position = UnsafeRawPointer(found) - base + length
        if memcmp(found, text.utf8Start, length) == 0 { return position }
        position -= length - 1
      }
      return nil
    }
  }

  /// Where the first `text` at or after `start` begins.
  static func start(of text: StaticString, in line: Span<UInt8>, from start: Int = 0) -> Int? {
    end(of: text, in: line, from: start).map { $0 - text.utf8CodeUnitCount }
  }

  /// Where the last `text` begins.
  static func lastStart(of text: StaticString, in line: Span<UInt8>) -> Int? {
    var last: Int?
    var position = 0
    while let found = start(of: text, in: line, from: position) {
      last = found
      position = found + 1
    }
    return last
  }

  /// Whether what stands before `position` may be a log's prefix (a time, a node's name): nothing, or text that ends in
  /// a blank or one of `: > | )`. Anything else is a record that lost its end.
  static func isPrefix(_ line: Span<UInt8>, before position: Int) -> Bool {
    guard position > 0 else { return true }
    return [0x20, 0x09, 0x3A, 0x3E, 0x7C, 0x29].contains(line[position - 1])
  }

  /// The value of exactly `count` hexadecimal digits (at most 16) at `position`.
  static func hexadecimal(_ line: Span<UInt8>, at position: Int, count: Int) -> UInt64? {
    guard position >= 0, count <= 16, position + count <= line.count else { return nil }
    var value: UInt64 = 0
    for index in position..<position + count {
      guard let digit = hexadecimalDigit(line[index]) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  /// Appends the octets that pairs of hexadecimal digits from `start` on stand for.
  ///
  /// - Returns: where the first pair is that is none.
  static func appendOctets(_ line: Span<UInt8>, from start: Int, to octets: inout [UInt8]) -> Int {
    var position = start
    withUnsafeTemporaryAllocation(byteCount: (line.count - start) / 2, alignment: 1) { read in
      var count = 0
      line.withUnsafeBytes { line in
        func word(_ position: Int) -> UInt64 {
          UInt64(littleEndian: line.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
        // Eight digits, and where these are some, sixteen at a time.
        while position + 8 <= line.count, let four = eightOctets(SIMD2(word(position), zeros)) {
          read.storeBytes(of: UInt32(truncatingIfNeeded: four), toByteOffset: count, as: UInt32.self)
          count += 4
          position += 8
          while position + 16 <= line.count, let eight = eightOctets(SIMD2(word(position), word(position + 8))) {
            read.storeBytes(of: eight, toByteOffset: count, as: UInt64.self)
            count += 8
            position += 16
          }
        }
        while position + 1 < line.count, let high = hexadecimalDigit(line[position]),
          let low = hexadecimalDigit(line[position + 1])
        {
          read[count] = UInt8(truncatingIfNeeded: high << 4 | low)
          count += 1
          position += 2
        }
      }
      octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: read[..<count]))
    }
    return position
  }

  /// The eight octets of sixteen hexadecimal digits, the first digit in the lowest byte; `nil` where one is none.
  ///
  /// Values are taken from each byte's lowest bits, and then written as digits again: what differs was no digit.
  @inline(__always) private static func eightOctets(_ text: SIMD2<UInt64>) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let letters = text &>> 6 & ones
    let values = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &<< 3 &+ letters
    let isLetter = (values &+ 0x0606_0606_0606_0606) &>> 4 & ones
    // 0x27 lie between the digits and the small letters: 32 + 8 − 1.
    let written = values &+ zeros &+ isLetter &<< 5 &+ isLetter &<< 3 &- isLetter
    let wrong = (values & 0xF0F0_F0F0_F0F0_F0F0) | (written ^ (text | isLetter &<< 5))
    guard wrong.x | wrong.y == 0 else { return nil }
    let pairs = unsafeBitCast(values, to: SIMD8<UInt16>.self)
    return unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: pairs &<< 4 | pairs &>> 8), to: UInt64.self)
  }

  /// Eight digits 0.
  private static let zeros: UInt64 = 0x3030_3030_3030_3030

  static func hexadecimalDigit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30)
    case 0x41...0x46: UInt64(byte - 0x41 + 10)
    case 0x61...0x66: UInt64(byte - 0x61 + 10)
    default: nil
    }
  }

  /// A signed decimal number at `position` (`-12.345`, at most 15 digits, no exponent) and where it ends.
  ///
  /// The value is the correctly rounded one: digits and power of ten are both exact in a `Double`.
  static func decimal(_ line: Span<UInt8>, at position: Int) -> (value: Double, end: Int)? {
    var position = position
    guard position < line.count else { return nil }
    let isNegative = line[position] == 0x2D
    if isNegative { position += 1 }
    var digits = 0
    var mantissa = 0.0
    var divisor = 1.0
    var hasPoint = false
    while position < line.count {
      let byte = line[position]
      if byte == 0x2E, !hasPoint {
        hasPoint = true
      } else if (0x30...0x39).contains(byte) {
        digits += 1
        guard digits <= 15 else { return nil }
        mantissa = mantissa * 10 + Double(byte - 0x30)
        if hasPoint { divisor *= 10 }
      } else {
        break
      }
      position += 1
    }
    guard digits > 0 else { return nil }
    let magnitude = mantissa / divisor
    return (isNegative ? -magnitude : magnitude, position)
  }

  /// The number that a whole field is, blanks round it passed over: at most 19 digits, and no exponent. `nil` for what is written in
  /// another way.
  ///
  /// The value is the correctly rounded one: whole numbers are rounded once, and other digits and their power of ten are both exact.
  static func number(_ field: Span<UInt8>) -> Double? {
    field.withUnsafeBufferPointer { number($0) }
  }

  private static func number(_ field: UnsafeBufferPointer<UInt8>) -> Double? {
    var position = 0
    func skipBlanks() {
      while position < field.count, field[position] == 0x20 || field[position] == 0x09 { position += 1 }
    }
    var mantissa: UInt64 = 0
    // A number of more than 19 digits wraps; it is refused below.
    func takeDigits() -> Int {
      let start = position
      while position + 8 <= field.count, let eight = eightDigits(UnsafeRawBufferPointer(field), position) {
        mantissa = mantissa &* 100_000_000 &+ eight
        position += 8
      }
      while position < field.count {
        let digit = field[position] &- 0x30
        guard digit < 10 else { break }
        mantissa = mantissa &* 10 &+ UInt64(digit)
        position += 1
      }
      return position - start
    }
    skipBlanks()
    guard position < field.count else { return nil }
    let isNegative = field[position] == 0x2D
    if isNegative { position += 1 }
    var digits = takeDigits()
    let whole = mantissa
    let point = position
    var decimals = 0
    if position < field.count, field[position] == 0x2E {
      position += 1
      decimals = takeDigits()
      digits += decimals
    }
    skipBlanks()
    guard position == field.count, (1...19).contains(digits), decimals == 0 || mantissa <= 1 << 53 else { return nil }
    // Whole numbers are often written as 12.0, and a division takes as long as the digits.
    let isWhole = decimals == 0 || decimals == 1 && field[point + 1] == 0x30
    let magnitude = isWhole ? Double(whole) : Double(mantissa) / powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }

  /// The number that the eight decimal digits at `position` make; `nil` where one is none.
  /// (D. Lemire 2018, "Quickly parsing eight digits".)
  private static func eightDigits(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64? {
    let text = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    // A digit's high half is 3, and adding 6 to its low half doesn't change that.
    let highHalves: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    let threes: UInt64 = 0x3030_3030_3030_3030
    guard text & highHalves == threes, (text &+ 0x0606_0606_0606_0606) & highHalves == threes else { return nil }
    let digits = text &- threes
    let twos = (digits &* 10 &+ (digits >> 8)) & 0x00FF_00FF_00FF_00FF
    let fours = (twos &* 100 &+ (twos >> 16)) & 0x0000_FFFF_0000_FFFF
    return (fours &* 10_000 &+ (fours >> 32)) & 0xFFFF_FFFF
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
  ]

  /// A signed decimal integer at `position` (at most 9 digits) and where it ends.
  static func integer(_ line: Span<UInt8>, at position: Int) -> (value: Int, end: Int)? {
    var position = position
    guard position < line.count else { return nil }
    let isNegative = line[position] == 0x2D
    if isNegative { position += 1 }
    let first = position
    var value = 0
    while position < line.count, (0x30...0x39).contains(line[position]) {
      guard position - first < 9 else { return nil }
      value = value * 10 + Int(line[position] - 0x30)
      position += 1
    }
    return position > first ? (isNegative ? -value : value, position) : nil
  }

  /// The first position at or after `position` that holds no blank.
  static func skippingBlanks(_ line: Span<UInt8>, from position: Int) -> Int {
    var position = position
    while position < line.count, line[position] == 0x20 || line[position] == 0x09 { position += 1 }
    return position
  }

  /// Whether nothing but blanks follows from `position` on.
  static func isBlank(_ line: Span<UInt8>, from position: Int) -> Bool {
    skippingBlanks(line, from: position) == line.count
  }

  /// The line as text; bytes that are no UTF-8 become replacement characters.
  static func string(_ line: Span<UInt8>, limit: Int) -> String {
    line.withUnsafeBufferPointer { String(decoding: $0.prefix(limit), as: UTF8.self) }
  }
}
