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
  enum Kind {
    case table, ndjson, csv

    init(_ output: EvaluateDelayCommand.OutputKind) {
      switch output {
      case .table: self = .table
      case .ndjson: self = .ndjson
      case .csv: self = .csv
      }
    }
  }

  private let kind: Kind
  private let output: ByteOutput
  private var text = JSONText()
  private var count = 0

  init(_ kind: Kind, _ output: ByteOutput) {
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
        switch cell {
        case .text(let value): text.add(column, value)
        case .count(let value): text.add(column, value)
        case .number(let value, let places): text.add(column, value, places: places)
        }
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
        ([.text(table.name)] + row).map { Self.field(Self.string($0, absent: "")) }.joined(separator: ",") + "\n")
    }
  }

  private static func field(_ text: String) -> String {
    guard text.contains(where: { $0 == "," || $0 == "\"" }) else { return text }
    return "\"\(text.replacing("\"", with: "\"\""))\""
  }

  private func writeText(_ table: EvaluationTable) throws {
    var lines = [table.columns.map { "\($0)" }]
    lines += table.rows.map { $0.map { Self.string($0, absent: "–") } }
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

  private static func string(_ cell: EvaluationTable.Cell, absent: String) -> String {
    switch cell {
    case .text(let value): value
    case .count(let value): "\(value)"
    case .number(let value, let places):
      value.flatMap { $0.isFinite ? SummaryOutput.decimal($0, places) : nil } ?? absent
    }
  }
}
