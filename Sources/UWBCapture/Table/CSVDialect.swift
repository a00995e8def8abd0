import Foundation

/// What stands between a table's fields, and how its numbers are written: `,` and a decimal point, or, as spreadsheets of many
/// countries write it, `;` or a tab, and then a decimal comma, too.
struct CSVDialect: Hashable, Sendable {
  var separator = UInt8(ascii: ",")

  /// Words for a value that is not there.
  private static let absent: Set<String> = ["", "nan", "na", "n/a", "#n/a", "null", "none", "-", "--"]

  init() {}

  /// Told by the header: of `,`, `;` and tab, what separates most names.
  init(header: String) {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in header.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    for candidate in [UInt8(ascii: ";"), UInt8(ascii: "\t")]
    where counts[candidate, default: 0] > counts[separator, default: 0] { separator = candidate }
  }

  /// What Excel's first line `sep=;` says; `nil` for other lines.
  init?(declaration line: String) {
    let text = line.trimmingCharacters(in: .whitespaces).lowercased()
    guard text.hasPrefix("sep="), text.utf8.count == 5, let last = line.utf8.last else { return nil }
    separator = last
  }

  /// The fields of a line, quotes taken off (RFC 4180).
  func fields(_ line: String) -> [String] {
    var fields = CSVFields()
    var line = line
    line.withUTF8 { split($0, into: &fields) }
    return fields.texts
  }

  /// The same without a string a field; what `fields` held is gone.
  func split(_ line: UnsafeBufferPointer<UInt8>, into fields: inout CSVFields) {
    fields.removeAll()
    guard let start = line.baseAddress, memchr(start, Int32(UInt8(ascii: "\"")), line.count) != nil else {
      return fields.take(line, separator)
    }
    var isQuoted = false
    var index = 0
    while index < line.count {
      let byte = line[index]
      if byte == UInt8(ascii: "\"") {
        if isQuoted, index + 1 < line.count, line[index + 1] == byte {
          fields.bytes.append(byte)
          index += 1
        } else {
          isQuoted.toggle()
        }
      } else if byte == separator, !isQuoted {
        fields.endField()
      } else {
        fields.bytes.append(byte)
      }
      index += 1
    }
    fields.endField()
  }

  /// Whether a first line's fields are values, and no names: a number or a date and time, and numbers.
  func isRow(_ fields: [String]) -> Bool {
    var clock = TableClock()
    guard fields.count > 1, let first = fields.first, clock.seconds(first, self) != nil else { return false }
    let others = fields.dropFirst()
    return others.allSatisfy { number($0) != nil || Self.isAbsent($0) } && others.contains { number($0) != nil }
  }

  /// The number in a field; `nil` for what is none. A decimal comma is one where commas don't separate fields.
  func number(_ field: String) -> Double? {
    let text = field.trimmingCharacters(in: .whitespaces)
    if let value = Double(text) { return value }
    let plain = text.replacing("\u{2212}", with: "-")
    guard separator != UInt8(ascii: ","), plain.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 1,
      !plain.contains(".")
    else { return Double(plain) }
    return Double(plain.replacing(",", with: "."))
  }

  /// Whether a field stands for no value: empty, or one of the usual words for it.
  static func isAbsent(_ field: String) -> Bool {
    absent.contains(field.trimmingCharacters(in: .whitespaces).lowercased())
  }
}

/// A line's fields, one behind the other with a byte between two, in memory that the next line takes again.
struct CSVFields: Sendable {
  var bytes: [UInt8] = []
  private var ends: [Int] = []

  var count: Int { ends.count }
  var texts: [String] { (0..<count).map(text) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func endField() {
    ends.append(bytes.count)
    bytes.append(0)
  }

  mutating func removeLast() { ends.removeLast() }

  /// Takes a line without quotes as it is.
  mutating func take(_ line: UnsafeBufferPointer<UInt8>, _ separator: UInt8) {
    bytes.append(contentsOf: line)
    // Ends are gathered first: appending to an array takes longer than finding one.
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { found in
      var start = 0
      while start < line.count {
        let end = min(start + found.count, line.count)
        let count = Self.find(separator, in: line, start..<end, found)
        ends.append(contentsOf: UnsafeBufferPointer(rebasing: found[..<count]))
        start = end
      }
    }
    ends.append(line.count)
  }

  /// Writes where in `range` the separator stands to `found`, and returns how often it does.
  private static func find(
    _ separator: UInt8, in line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
    _ found: UnsafeMutableBufferPointer<Int>
  ) -> Int {
    let octets = UnsafeRawBufferPointer(line)
    // Eight bytes at a time. The highest bit of a byte of `bits` says that it is a separator.
    let separators = 0x0101_0101_0101_0101 &* UInt64(separator)
    let rest: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    var count = 0
    var start = range.lowerBound
    while start + 8 <= range.upperBound {
      let word = UInt64(littleEndian: octets.loadUnaligned(fromByteOffset: start, as: UInt64.self)) ^ separators
      var bits = ~(((word & rest) &+ rest) | word | rest)
      while bits != 0 {
        found[count] = start + bits.trailingZeroBitCount / 8
        count += 1
        bits &= bits &- 1
      }
      start += 8
    }
    for index in start..<range.upperBound where line[index] == separator {
      found[count] = index
      count += 1
    }
    return count
  }

  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1] + 1)..<ends[index] }

  func append(_ index: Int, to text: inout [UInt8]) { text.append(contentsOf: bytes[range(index)]) }

  func text(_ index: Int) -> String { String(decoding: bytes[range(index)], as: UTF8.self) }

  /// Whether a field holds blanks alone.
  func isBlank(_ index: Int) -> Bool { bytes[range(index)].allSatisfy { $0 == 0x20 || $0 == 0x09 } }

  /// The number in a field that holds one to sixteen hexadecimal digits, and blanks round them.
  func plainHexadecimal(_ index: Int) -> UInt64? {
    let field = bytes.span.extracting(range(index))
    let start = ByteText.skippingBlanks(field, from: 0)
    var end = start
    while end < field.count, ByteText.hexadecimalDigit(field[end]) != nil { end += 1 }
    guard end > start, ByteText.isBlank(field, from: end) else { return nil }
    return ByteText.hexadecimal(field, at: start, count: end - start)
  }

  /// The number in a field, where it is written plainly; a field that is not may hold one all the same.
  func plainNumber(_ index: Int) -> Double? { ByteText.number(bytes.span.extracting(range(index))) }
}
