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

  func fields(_ line: String) -> [String] {
    var line = line
    return line.withUTF8 { fields($0) }
  }

  /// The fields of a line, quotes taken off (RFC 4180).
  func fields(_ line: UnsafeBufferPointer<UInt8>) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    while index < line.count {
      let byte = line[index]
      if byte == UInt8(ascii: "\"") {
        if isQuoted, index + 1 < line.count, line[index + 1] == byte {
          field.append(byte)
          index += 1
        } else {
          isQuoted.toggle()
        }
      } else if byte == separator, !isQuoted {
        fields.append(String(decoding: field, as: UTF8.self))
        field.removeAll(keepingCapacity: true)
      } else {
        field.append(byte)
      }
      index += 1
    }
    fields.append(String(decoding: field, as: UTF8.self))
    return fields
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
