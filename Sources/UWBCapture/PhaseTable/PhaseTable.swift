import Foundation
import UWBTypes

/// A table of phase differences of arrival, CSV with a header: what chips without channel impulse responses (NXP SR150)
/// hand over. One row, one exchange.
///
/// Columns are found by name (`PhaseTableColumns`): `PDoA1`, `PDoA2`, … are needed; `Real Azimuth`, `Real Elevation`,
/// `NLOS`, `Distance`, `AoA1`, `AoA2` and others are taken where they are there; `Azimuth` and `Elevation` alone are the chip's own
/// angles, never the truth. Angles are degrees, distances centimetres, times as `TableClock` reads them, unless the name ends in
/// another unit (`_rad`, `_m`, `(mm)`, `_ms`). The distance 65535, which stands for none, is absent. Without a time column
/// every row is at time 0.
///
/// A row with another number of fields than the header is counted as `fieldCount`, one with a field that is no number or out
/// of range as `badField`; both are passed over. A number that is not there is absent.
public struct PhaseTable: CaptureReader {
  public let header: CaptureHeader
  public private(set) var skipped = SkippedInput()
  private var table: CSVTable
  private let columns: [PhaseTableColumns.Quantity: PhaseTableColumns.Column]
  private let phases: [PhaseTableColumns.Column]
  private var count = 0
  private var firstTime: Double?
  private var clock = TableClock()

  /// - Throws: `CaptureError` where the header names no phase difference, or lacks a column that `columns` names.
  public init(_ source: ByteSource, columns: PhaseTableColumns = PhaseTableColumns()) throws {
    table = try CSVTable(source)
    do {
      self.columns = try columns.resolve(table.header)
    } catch {
      throw CaptureError(
        file: source.name, place: "header", problem: "there is no column “\(error.name)”",
        remedy: "Its columns are: \(table.header.joined(separator: ", ")).")
    }
    let found = self.columns
    header = CaptureHeader(
      format: "phase-table", profile: RadioName.ideal, notes: Self.notes(columns: found, header: table.header))
    phases = PhaseTableColumns.Quantity.phases.map { found[$0] }.prefix { $0 != nil }.compactMap { $0 }
    guard !phases.isEmpty else {
      throw CaptureError(
        file: source.name, place: "header", problem: "no column holds a phase difference",
        remedy: "Name it with --columns \"phase1=HEADER\"; the columns are: \(table.header.joined(separator: ", ")).")
    }
  }

  /// Whether the stream begins with a header that names a phase difference.
  static func recognise(_ bytes: Span<UInt8>) -> CaptureFormat.Recognition {
    var start = 0
    for index in 0..<bytes.count where bytes[index] == 0x0A {
      var end = index
      while end > start, bytes[end - 1] == 0x0D || bytes[end - 1] == 0x20 { end -= 1 }
      defer { start = index + 1 }
      if end == start || bytes[start] == UInt8(ascii: "#") { continue }
      guard end - start < 4096 else { return .no }
      let line = bytes.extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      if CSVDialect(declaration: line) != nil { continue }
      let names = CSVDialect(header: line).fields(line).map { PhaseTableColumns.parse($0).name }
      let usual = PhaseTableColumns.Quantity.phase1.usualNames
      return names.count > 1 && names.contains { usual.contains($0) } ? .yes : .no
    }
    return bytes.count < 4096 ? .undecided : .no
  }

  /// What was assumed of columns whose names don't say it.
  private static func notes(
    columns: [PhaseTableColumns.Quantity: PhaseTableColumns.Column], header: [String]
  ) -> [String] {
    [(PhaseTableColumns.Quantity.chipAzimuth, "azimuth"), (.chipElevation, "elevation")].compactMap { quantity, name in
      guard let column = columns[quantity], PhaseTableColumns.parse(header[column.index]).name == name else {
        return nil
      }
      return "the column “\(header[column.index])” is taken for the chip's own angle; if it is the true one, give "
        + "--columns \"\(name)=\(header[column.index])\""
    }
  }

  public var bytesRead: Int { table.bytesRead }

  public mutating func next() throws -> RangingExchange? {
    while true {
      let row = try table.next()
      table.countTooLong(in: &skipped)
      guard let row else { return nil }
      guard row.fields.count == table.header.count else {
        skipped.add("fieldCount", at: table.fieldCountComplaint(row))
        continue
      }
      do {
        let exchange = try exchange(row)
        count += 1
        return exchange
      } catch {
        skipped.add("badField", at: row.complaint(error.column, table.header, error.problem))
      }
    }
  }

  private struct BadField: Error {
    var column: Int
    var problem: String
  }

  /// The number in a column in SI units; `nil` where there is none.
  private func number(
    _ column: PhaseTableColumns.Column?, _ row: CSVTable.Row, in range: ClosedRange<Double>
  ) throws(BadField) -> Double? {
    guard let column, row.isPresent(column.index) else { return nil }
    guard let value = row.number(column.index) else {
      throw BadField(column: column.index, problem: "is no number")
    }
    let scaled = value * column.unit
    guard range.contains(scaled) else { throw BadField(column: column.index, problem: "is out of range") }
    return scaled
  }

  private func number(
    _ quantity: PhaseTableColumns.Quantity, _ row: CSVTable.Row, in range: ClosedRange<Double>
  ) throws(BadField) -> Double? {
    try number(columns[quantity], row, in: range)
  }

  private mutating func exchange(_ row: CSVTable.Row) throws(BadField) -> RangingExchange {
    var differences: [Double] = []
    for phase in phases {
      if let value = try number(phase, row, in: -2.01 * .pi...2.01 * .pi) {
        differences.append(value)
      } else if !row.fields[phase.index].allSatisfy(\.isWhitespace) {
        throw BadField(column: phase.index, problem: "is no phase difference")
      }
    }
    let time = try time(row) ?? 0
    let start = firstTime ?? time
    var exchange = RangingExchange(
      index: count, time: max(0, time - start), peer: try peer(row), poll: RangingMessage(),
      chipReport: ChipReport(
        distance: try distance(row), azimuth: try number(.chipAzimuth, row, in: -.pi...(.pi)),
        elevation: try number(.chipElevation, row, in: -.pi...(.pi))),
      // Some of the differences say nothing without the others.
      phaseDifferences: differences.count == phases.count ? differences : [])
    let truth = GroundTruth(
      distance: try number(.trueDistance, row, in: 0...1e6), azimuth: try number(.azimuth, row, in: -.pi...(.pi)),
      elevation: try number(.elevation, row, in: -.pi / 2...(.pi / 2)), isLineOfSight: try lineOfSight(row))
    if truth != GroundTruth() { exchange.truth = truth }
    firstTime = start
    return exchange
  }

  private mutating func time(_ row: CSVTable.Row) throws(BadField) -> Double? {
    guard let column = columns[.time], row.isPresent(column.index) else { return nil }
    guard let value = clock.seconds(row.fields[column.index], row.dialect) else {
      throw BadField(column: column.index, problem: "is no time (seconds or ISO 8601)")
    }
    // What no number could be read from has no unit.
    let scaled = row.number(column.index) == nil ? value : value * column.unit
    guard scaled >= 0, TableClock.range.contains(scaled) else {
      throw BadField(
        column: column.index, problem: "is out of range in seconds; call the column time_ms if it holds milliseconds")
    }
    return scaled
  }

  private func distance(_ row: CSVTable.Row) throws(BadField) -> Double? {
    guard let column = columns[.distance] else { return nil }
    if row.number(column.index) == 65535 { return nil }
    return try number(column, row, in: -1e3...1e6)
  }

  private func lineOfSight(_ row: CSVTable.Row) throws(BadField) -> Bool? {
    guard let column = columns[.nlos] else { return nil }
    guard row.isPresent(column.index) else { return nil }
    switch row.fields[column.index].trimmingCharacters(in: .whitespaces).lowercased() {
    // A chip says 255 where it can't tell.
    case "255", "unknown": return nil
    case "0", "false", "los", "0.0": return true
    case "1", "true", "nlos", "1.0": return false
    default: throw BadField(column: column.index, problem: "is neither 0 (LOS) nor 1 (NLOS)")
    }
  }

  private func peer(_ row: CSVTable.Row) throws(BadField) -> DeviceAddress {
    guard let column = columns[.peer] else { return DeviceAddress(rawValue: 0) }
    let text = row.fields[column.index].trimmingCharacters(in: .whitespaces)
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard let address = DeviceAddress(digits.filter { $0 != ":" && $0 != "-" }) else {
      throw BadField(column: column.index, problem: "is no hexadecimal address")
    }
    return address
  }
}
