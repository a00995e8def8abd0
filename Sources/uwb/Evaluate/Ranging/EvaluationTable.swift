/// One table of an evaluation: named columns, rows of cells, the same in every output.
struct EvaluationTable {
  enum Cell {
    case text(String)
    case count(Int)
    /// Absent where there is nothing to tell.
    case number(Double?, places: Int)
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
  private let kind: EvaluateDelayCommand.OutputKind
  private let output: ByteOutput
  private var text = JSONText()
  private var count = 0

  init(_ kind: EvaluateDelayCommand.OutputKind, _ output: ByteOutput) {
    self.kind = kind
    self.output = output
  }

  mutating func write(_ table: EvaluationTable) throws {
    switch kind {
    case .table: try writeText(table)
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
      try output.write(
        ([.text(table.name)] + row).map(\.csv).joined(separator: ",") + "\n")
    }
  }

  private func writeText(_ table: EvaluationTable) throws {
    var lines = [table.columns.map { "\($0)" }]
    lines += table.rows.map { $0.map { $0.string(absent: "–") } }
    let widths = table.columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    try output.write("\(count > 0 ? "\n" : "")\(table.name)\n")
    for line in lines {
      var text = " "
      for (column, cell) in line.enumerated() {
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        // Names to the left, numbers to the right.
        let isName = table.rows.first.map { if case .text = $0[column] { true } else { false } } ?? true
        text += " " + (isName ? cell + blanks : blanks + cell)
      }
      while text.hasSuffix(" ") { text.removeLast() }
      try output.write(text + "\n")
    }
  }
}

extension EvaluationTable.Cell {
  func string(absent: String) -> String {
    switch self {
    case .text(let value): value
    case .count(let value): "\(value)"
    case .number(let value, let places): String(decimal: value, places: places, absent: absent)
    }
  }

  /// A field of CSV (RFC 4180).
  var csv: String {
    let text = string(absent: "")
    guard text.contains(where: { $0 == "," || $0 == "\"" }) else { return text }
    return "\"\(text.replacing("\"", with: "\"\""))\""
  }
}

extension JSONText {
  mutating func add(_ name: StaticString, _ cell: EvaluationTable.Cell) {
    switch cell {
    case .text(let value): add(name, value)
    case .count(let value): add(name, value)
    case .number(let value, let places): add(name, value, places: places)
    }
  }
}
