import Foundation
import UWBTypes

/// Reads the tables that `CSVWriter` wrote, also after a spreadsheet had them: each exchange's rows become the line that ndjson
/// has for it, and `NDJSONReader` judges that. `skipped` counts as there, lines are the table's.
///
/// A table names neither the radio nor the antennas. Cost: about that of the text, in strings. Memory is one exchange, its rows
/// at most 2 MB long each.
struct CSVCapture: CaptureReader {
  private static let longestRow = 2 << 20
  private var reader: NDJSONReader

  /// - Throws: `CaptureError` where the header lacks a column that every exchange has.
  init(_ source: ByteSource) throws {
    var rows = try CSVExchangeRows(CSVTable(source, longest: Self.longestRow), file: source.name)
    var isFirst = true
    reader = NDJSONReader(
      ByteSource(
        name: source.name,
        making: {
          defer { isFirst = false }
          return isFirst ? rows.header : try rows.next()
        }))
  }

  var header: CaptureHeader {
    var header = reader.header
    header.format = "csv"
    return header
  }

  var skipped: SkippedInput { reader.skipped }
  var bytesRead: Int { reader.bytesRead }

  mutating func next() throws -> RangingExchange? { try reader.next() }

  /// Whether the first line names the columns that tell these tables from others.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    let marks: [StaticString] = ["exchange", "time_s", "message", "transmitted_ticks", "received_ticks"]
    guard let end = ByteText.end(of: "\n", in: start) else { return start.count < 4096 ? .undecided : .no }
    let line = start.extracting(..<end)
    return marks.allSatisfy { ByteText.end(of: $0, in: line) != nil } ? .yes : .no
  }
}

/// Turns rows into lines of ndjson, as many lines as there are rows, so that a line has the number of its row.
private struct CSVExchangeRows {
  private static let lists = [
    "first_path_amplitudes", "antenna_phases_rad", "antenna_first_path_taps", "phase_differences_rad",
  ]
  private static let messageFields = [
    "transmitted_ticks", "received_ticks", "first_path_taps", "preamble_count", "received_power_dbm",
    "first_path_power_dbm", "noise_threshold", "first_path_amplitudes", "noise_deviation", "carrier_offset_ppm",
    "time_tracking_offset_ppm", "antenna_phases_rad", "antenna_first_path_taps",
  ]
  private static let note = "a table names neither the radio nor the antennas: dw1000 is assumed (--profile, --array)"

  let header = Array("{\"format\":\"uwb-capture\",\"version\":1,\"notes\":[\"\(note)\"]}\n".utf8)
  private var table: CSVTable
  private let columns: [String: Int]
  /// Columns of the taps' real and imaginary parts.
  private let taps: [(name: String, columns: [Int])]
  private var ahead: CSVTable.Row?
  /// Lines that were handed over.
  private var line = 1

  init(_ table: CSVTable, file: String) throws {
    self.table = table
    columns = Dictionary(
      table.header.enumerated().map { ($0.element.lowercased(), $0.offset) }, uniquingKeysWith: { first, _ in first })
    for name in ["exchange", "time_s", "peer", "initiator", "message"] where columns[name] == nil {
      throw CaptureError(
        file: file, place: "header", problem: "the column “\(name)” is missing",
        remedy: "Keep the columns that uwb convert wrote.")
    }
    var (real, imaginary): ([Int], [Int]) = ([], [])
    while let first = columns["re\(real.count)"], let second = columns["im\(real.count)"] {
      real.append(first)
      imaginary.append(second)
    }
    taps = [("real", real), ("imag", imaginary)]
  }

  /// The next exchange's line, and an empty one for each further row; `nil` at the end.
  mutating func next() throws -> [UInt8]? {
    guard let first = try ahead ?? table.next() else { return nil }
    ahead = nil
    var rows = [first]
    while let row = try table.next() {
      guard text(row, "exchange") == text(first, "exchange"), rows.count < 256 else {
        ahead = row
        break
      }
      rows.append(row)
    }
    let isWhole = rows.allSatisfy { $0.count == table.header.count && $0.isTerminated }
    var text = [UInt8](repeating: 0x0A, count: max(0, first.line - 1 - line))
    if isWhole { append(rows, to: &text) } else { text += "{\"exchange\":".utf8 }
    text += repeatElement(0x0A, count: (rows.last?.line ?? first.line) - first.line + 1)
    line = rows.last?.line ?? first.line
    return text
  }

  private func append(_ rows: [CSVTable.Row], to line: inout [UInt8]) {
    let first = rows[0]
    var parts = ["\"exchange\":\(value(first, "exchange") ?? "null")"]
    parts += members(first, ["time_s", "counter_bits", "phase_differences_rad"])
    for name in ["peer", "local", "initiator"] {
      if let text = text(first, name) { parts.append("\"\(name)\":\(Self.quoted(text))") }
    }
    for (object, prefix, names) in [
      ("chip_report", "chip_", ["distance_m", "raw_distance_m", "clock_offset_ppm", "azimuth_rad", "elevation_rad"]),
      ("truth", "true_", ["distance_m", "azimuth_rad", "elevation_rad"]),
    ] {
      var inner = names.compactMap { name in value(first, prefix + name).map { "\"\(name)\":\($0)" } }
      if object == "truth", let sight = text(first, "line_of_sight") {
        inner.append("\"line_of_sight\":\(Self.boolean(sight) ?? Self.quoted(sight))")
      }
      if !inner.isEmpty { parts.append("\"\(object)\":{\(inner.joined(separator: ","))}") }
    }
    var messages: [(name: String, rows: [CSVTable.Row])] = []
    for row in rows {
      let name = text(row, "message") ?? ""
      if messages.last?.name == name {
        messages[messages.count - 1].rows.append(row)
      } else {
        messages.append((name, [row]))
      }
    }
    line += "{\(parts.joined(separator: ","))".utf8
    for message in messages {
      line += ",\(Self.quoted(message.name)):".utf8
      append(message: message.rows, to: &line)
    }
    line += "}".utf8
  }

  private func append(message rows: [CSVTable.Row], to line: inout [UInt8]) {
    let parts = members(rows[0], Self.messageFields)
    guard let samples = text(rows[0], "samples") else {
      line += "{\(parts.joined(separator: ","))}".utf8
      return
    }
    let cir = ["\"cir\":{\"samples\":\(Self.quoted(samples))"] + members(rows[0], ["scale", "tap_spacing_s"])
    line += "{\((parts + cir).joined(separator: ","))".utf8
    let count = rows[0].number(columns["tap_count"]).flatMap { Int(exactly: max(0, $0)) } ?? .max
    for (name, columns) in taps {
      line += ",\"\(name)\":[".utf8
      for (antenna, row) in rows.enumerated() {
        line += (antenna == 0 ? "[" : ",[").utf8
        for (tap, column) in columns.prefix(count).enumerated() {
          if tap > 0 { line.append(UInt8(ascii: ",")) }
          append(sample: column, row, to: &line)
        }
        line.append(UInt8(ascii: "]"))
      }
      line.append(UInt8(ascii: "]"))
    }
    line += "}}".utf8
  }

  private func members(_ row: CSVTable.Row, _ names: [String]) -> [String] {
    names.compactMap { name in value(row, name).map { "\"\(name)\":\($0)" } }
  }

  private func text(_ row: CSVTable.Row, _ name: String) -> String? {
    guard let column = columns[name], row.isPresent(column) else { return nil }
    return row.text(column).trimmingCharacters(in: .whitespaces)
  }

  private func value(_ row: CSVTable.Row, _ name: String) -> String? {
    guard let text = text(row, name) else { return nil }
    guard Self.lists.contains(name) else { return number(text, row) }
    return "[\(text.split(separator: " ").map { number(String($0), row) ?? "null" }.joined(separator: ","))]"
  }

  /// A JSON number, with the digits as they are where they are one; what is none becomes a string, which the reader refuses.
  private func number(_ text: String, _ row: CSVTable.Row) -> String? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if text.isEmpty { return nil }
    guard let number = row.dialect.number(text), number.isFinite else { return Self.quoted(text) }
    return text.utf8.allSatisfy { "0123456789.eE-+".utf8.contains($0) } && text.first != "+" && text.first != "."
      ? text : "\(number)"
  }

  /// One that is not finite is `null`, as in ndjson.
  private func append(sample column: Int, _ row: CSVTable.Row, to line: inout [UInt8]) {
    guard row.plainNumber(column) == nil else { return row.cells.append(column, to: &line) }
    let text = row.text(column)
    let isFinite = row.dialect.number(text)?.isFinite ?? true
    line += (isFinite ? number(text, row) ?? "null" : "null").utf8
  }

  /// As writers of tables have it: 1, 1.0, True.
  private static func boolean(_ text: String) -> String? {
    switch text.lowercased() {
    case "1", "1.0", "true": "true"
    case "0", "0.0", "false": "false"
    default: nil
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.filter { $0 != "\"" && $0 != "\\" }.printable())\""
  }
}
