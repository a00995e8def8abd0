/// Rows of an evaluation: for programs as ndjson or csv, for people as a table with a title wherever it changes.
final class EvaluationRows {
  private let output: ByteOutput
  /// `nil` for people.
  private var rows: FigureRows?
  private let columns: String
  private let folding: FoldedTable
  private var heading = ""
  /// On a terminal: what has come below the heading. A table is folded whole.
  private var lines: [String] = []

  /// - Parameters:
  ///   - columns: the line of column names for people.
  ///   - nameWidth: characters of the columns that name a row, in all lines.
  init(_ kind: EvaluationOptions.Output, _ output: ByteOutput, columns: String, nameWidth: Int) {
    self.output = output
    self.columns = columns
    folding = FoldedTable(heading: columns, nameWidth: nameWidth)
    rows = kind.rows.map { FigureRows($0, output) }
  }

  func write(title: String, lines: @autoclosure () -> [String], _ figures: @autoclosure () -> [FigureLines.Figure])
    throws
  {
    if rows != nil {
      try rows?.write(figures())
    } else {
      if title != heading {
        try endTable()
        try output.write("\(heading.isEmpty ? "" : "\n")\(title)\n")
        if output.width == nil { try output.write("\(columns)\n") }
        heading = title
      }
      for line in lines() {
        if output.width == nil { try output.write("  \(line)\n") } else { self.lines.append("  \(line)") }
      }
    }
    try output.flush()
  }

  /// All rows below the present heading have come.
  func endTable() throws {
    guard !lines.isEmpty else { return }
    for line in folding.fold([columns] + lines, to: output.width) { try output.write("\(line)\n") }
    lines.removeAll()
    try output.flush()
  }

  func finish() throws {
    try endTable()
    try output.flush()
  }

  /// A number in a column of `width` characters, the gap before it included.
  static func cell(_ value: Double?, _ places: Int, _ width: Int) -> String {
    " " + String(decimal: value, places: places).indented(to: width - 1)
  }
}

extension EvaluationOptions.Output {
  /// How programs are told; `nil` for people.
  var rows: FigureLines.Kind? {
    switch self {
    case .table: nil
    case .ndjson: .ndjson
    case .csv: .csv
    }
  }
}
