import Foundation
import UWBTypes

/// A table's rows, field by field under the columns that were found: numbers in SI units, times, addresses. Every reader of tables takes them
/// from here. It is a class: as a struct inside a reader it was copied for each call.
final class TableRows {
  struct BadField: Error {
    var column: Int
    var problem: String
  }

  // One reader owns the rows and never calls them while they run: checks at run time would find nothing, field by field.
  @exclusivity(unchecked) private(set) var table: CSVTable
  let found: TableColumns.Found
  @exclusivity(unchecked) private(set) var row = CSVTable.Row()
  @exclusivity(unchecked) private var clock: TableClock
  private let hexadecimalPeers: Bool

  /// - Throws: `CaptureError` for a stream without a header, or one that lacks a column that the user named.
  init(_ source: ByteSource, columns: TableColumns = TableColumns()) throws {
    let table = try CSVTable(source)
    var found: TableColumns.Found
    do {
      found = try columns.resolve(table.header)
    } catch {
      throw CaptureError(
        file: source.name, place: "header", problem: "there is no column “\(error.name)”",
        remedy: "Its columns are: \(table.header.joined(separator: ", ")).")
    }
    if !table.hasNames, columns.names.isEmpty {
      found[.time] = TableColumns.Column(index: 0, factor: 1, hasUnit: false)
    }
    (self.table, self.found) = (table, found)
    clock = TableClock(unit: found[.time].flatMap { $0.hasUnit ? $0.factor : nil })
    let peer = found[.peer].map { TableColumns.parse(table.header[$0.index]).name }
    hexadecimalPeers = peer.map { ["peer", "address", "mac", "macaddress"].contains($0) } ?? false
  }

  var header: [String] { table.header }
  var bytesRead: Int { table.bytesRead }
  /// `milliseconds`, … where numbers are too large for seconds and nothing says their unit.
  var assumedTimeUnit: String? { clock.assumedUnit }

  func next() throws -> Bool { try table.next(into: &row) }
  func countTooLong(in skipped: inout SkippedInput) { table.countTooLong(in: &skipped) }
  var isWhole: Bool { row.count == table.header.count }
  var fieldCountComplaint: String { table.fieldCountComplaint(row) }
  func complaint(_ error: BadField) -> String { row.complaint(error.column, table.header, error.problem) }

  func isPresent(_ quantity: TableQuantity) -> Bool { found[quantity].map { row.isPresent($0.index) } ?? false }

  /// The number in SI units; `nil` where there is none.
  func number(
    _ column: TableColumns.Column?, in range: ClosedRange<Double>
  ) throws(BadField) -> Double? {
    guard let column else { return nil }
    guard let value = row.number(column.index), value.isFinite || row.isPresent(column.index) else {
      if row.isPresent(column.index) { throw BadField(column: column.index, problem: "is not a number") }
      return nil
    }
    let scaled = value * column.factor
    guard range.contains(scaled) else { throw BadField(column: column.index, problem: "is out of range") }
    return scaled
  }

  /// A number that has to be there, by its magnitude as it is written.
  func required(_ column: TableColumns.Column, within limit: Double) throws(BadField) -> Double {
    guard let value = row.number(column.index), abs(value) <= limit else {
      throw BadField(column: column.index, problem: "is out of range or no number")
    }
    return value * column.factor
  }

  func number(_ quantity: TableQuantity, in range: ClosedRange<Double>) throws(BadField) -> Double? {
    try number(found[quantity], in: range)
  }

  /// The same; `nil` for what is no number or out of range.
  func usable(_ column: TableColumns.Column?, in range: ClosedRange<Double>) -> Double? {
    guard let column, let value = row.number(column.index) else { return nil }
    let scaled = value * column.factor
    return range.contains(scaled) ? scaled : nil
  }

  func count(_ column: TableColumns.Column?) -> Int? {
    usable(column, in: 0...1e6).map { Int($0, within: 0...1_000_000) }
  }

  /// Three numbers; `nil` where one of them, or its column, is missing.
  func triple(_ columns: [TableColumns.Column], in range: ClosedRange<Double>) -> SIMD3<Double>? {
    guard columns.count == 3, let x = usable(columns[0], in: range), let y = usable(columns[1], in: range),
      let z = usable(columns[2], in: range)
    else { return nil }
    return SIMD3(x, y, z)
  }

  /// s, on the table's own clock.
  func time() throws(BadField) -> Double? {
    guard let column = found[.time] else { return nil }
    var time = row.plainNumber(column.index).map { clock.seconds($0) }
    if time == nil {
      guard row.isPresent(column.index) else { return nil }
      time = clock.seconds(row, column.index)
    }
    guard let time, TableClock.range.contains(time) else {
      throw BadField(column: column.index, problem: "is not a time (seconds or ISO 8601)")
    }
    return time
  }

  /// A radio's address: hexadecimal in columns that say so, with `0x`, or between colons; else a number, or a name that ends in one (`A12`).
  func address(_ quantity: TableQuantity) throws(BadField) -> DeviceAddress? {
    guard let column = found[quantity] else { return nil }
    let isHexadecimal = quantity == .peer && hexadecimalPeers
    if isHexadecimal, column.index < row.count, let value = row.cells.plainHexadecimal(column.index) {
      return DeviceAddress(rawValue: value)
    }
    if !isHexadecimal, let number = row.plainNumber(column.index) {
      guard number >= 0, number < 0x1p64, number == Double(UInt64(number)) else {
        throw BadField(column: column.index, problem: "is not an address, 0 to 2⁶⁴−1")
      }
      return DeviceAddress(rawValue: UInt64(number))
    }
    let text = row.text(column.index)
    guard let address = Self.address(text, isHexadecimal: isHexadecimal) else {
      throw BadField(column: column.index, problem: "is not an address")
    }
    return address
  }

  static func address(_ text: String, isHexadecimal: Bool = false) -> DeviceAddress? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
    if isHexadecimal || digits.count < text.count || text.contains(":") {
      return DeviceAddress(digits.filter { $0 != ":" && $0 != "-" })
    }
    if let number = Double(text) { return UInt64(exactly: number).map(DeviceAddress.init(rawValue:)) }
    return UInt64(String(text.reversed().prefix { $0.isNumber }.reversed())).map(DeviceAddress.init(rawValue:))
  }
}
