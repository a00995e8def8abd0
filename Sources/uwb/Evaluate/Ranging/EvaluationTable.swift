/// One table of an evaluation: named columns, rows of cells, the same in every output.
struct EvaluationTable {
  enum Cell {
    case text(String?)
    case count(Int)
    /// By name.
    case counts([String: Int])
    /// Absent where there is nothing to tell.
    case number(Double?, places: Int)
    /// The same of any size.
    case size(Double?, digits: Int)
    /// A list, as JSON.
    case json([UInt8])
  }

  /// What the table is about: a heading for people, the field `table` for programs.
  var name: String
  /// Field names, units at their end.
  var columns: [StaticString]
  var rows: [[Cell]] = []

  mutating func add(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "\(cells.count) cells do not fit \(columns.count) columns of \(name)")
    rows.append(cells)
  }
}

/// Writes tables as aligned text, one JSON object a row, or CSV.
struct EvaluationTableWriter {
  private let kind: EvaluationOptions.Output
  private let output: ByteOutput
  private var text = JSONText()
  private var count = 0

  init(_ kind: EvaluationOptions.Output, _ output: ByteOutput) {
    self.kind = kind
    self.output = output
  }

  mutating func write(_ table: EvaluationTable) throws {
    switch kind {
    case .table: try output.write((count > 0 ? "\n" : "") + table.lines(width: output.width))
    case .ndjson: try writeObjects(table)
    case .csv: try writeLines(table)
    }
    count += 1
    try output.flush()
  }

  private mutating func writeObjects(_ table: EvaluationTable) throws {
    for row in table.rows {
      text.begin()
      text.add("table", table.name)
      for (column, cell) in zip(table.columns, row) {
        text.add(column, cell)
      }
      text.end()
      try output.write { $0.append(contentsOf: text.bytes) }
    }
  }

  /// Tables have their own columns, so each has its own header, and an empty line before it.
  private func writeLines(_ table: EvaluationTable) throws {
    if count > 0 { try output.write("\n") }
    try output.write((["table"] + table.columns.map { "\($0)" }).joined(separator: ",") + "\n")
    for row in table.rows {
      try output.write { $0.appendCSV([.text(table.name)] + row) }
    }
  }

}

extension EvaluationTable {
  /// For people: its name, and aligned columns below, as many beside each other as fit `width`.
  func lines(width: Int? = nil) -> String {
    var cells = [columns.map { "\($0)" }]
    cells += rows.map { $0.map { $0.string(absent: "–") } }
    let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    let lines = cells.map { line -> String in
      var text = " "
      for (column, cell) in line.enumerated() {
        // Names to the left, numbers to the right.
        let isName = rows.first.map { if case .text = $0[column] { true } else { false } } ?? true
        text += " " + (isName ? cell.padded(to: widths[column]) : cell.indented(to: widths[column]))
      }
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
    return ([name] + folding(widths, to: width).fold(lines, to: width)).map { $0 + "\n" }.joined()
  }

  /// All leading columns of names stay where they leave room for others.
  private func folding(_ widths: [Int], to width: Int?) -> FoldedTable {
    let ends = widths.indices.map { 1 + $0 + 1 + widths[...$0].reduce(0, +) }
    let names = rows.first?.prefix { if case .text = $0 { true } else { false } }.count ?? 0
    let kept = ends.prefix(max(1, names)).last { $0 <= (width ?? .max) / 2 } ?? ends.first ?? 0
    return FoldedTable(nameWidth: kept, ends: ends.filter { $0 > kept })
  }
}

extension EvaluationTable.Cell {
  func string(absent: String) -> String {
    switch self {
    case .text(let value): value ?? absent
    case .count(let value): "\(value)"
    case .counts(let value): value.list()
    case .number(let value, let places): String(decimal: value, places: places, absent: absent)
    case .size(let value, let digits): String(decimal: value, digits: digits, absent: absent)
    case .json(let text): String(decoding: text, as: UTF8.self)
    }
  }

  /// Appends a field of CSV; what is absent is empty.
  fileprivate func appendCSV(to bytes: inout [UInt8]) {
    switch self {
    case .count(let value): bytes.appendDecimal(Double(value), places: 0)
    case .number(let value?, let places) where value.isFinite: bytes.appendDecimal(value, places: places)
    case .size(let value?, let digits) where value.isFinite: bytes.appendDecimal(value, digits: digits)
    case .text, .counts, .json: bytes.appendCSV(string(absent: ""))
    case .number, .size: break
    }
  }
}

extension [UInt8] {
  /// Appends a line of CSV.
  mutating func appendCSV(_ cells: some Sequence<EvaluationTable.Cell>) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      cell.appendCSV(to: &self)
    }
    append(UInt8(ascii: "\n"))
  }
}

extension JSONText {
  mutating func add(_ name: StaticString, _ cell: EvaluationTable.Cell) {
    switch cell {
    case .text(let value): add(name, value)
    case .count(let value): add(name, value)
    case .counts(let value): add(name, value)
    case .number(let value, let places): add(name, value, places: places)
    case .size(let value, let digits): add(name, value, digits: digits)
    case .json(let text): add(name, json: text)
    }
  }
}
