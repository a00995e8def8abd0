/// Rows of an evaluation: for programs as ndjson or csv, for people as a table with a title wherever it changes.
final class EvaluationRows {
  private let output: ByteOutput
  /// `nil` for people.
  private var rows: FigureRows?
  private let columns: String
  private var heading = ""

  /// - Parameter columns: the line of column names for people.
  init(_ kind: EvaluateDelayCommand.OutputKind, _ output: ByteOutput, columns: String) {
    self.output = output
    self.columns = columns
    rows = kind.rows.map { FigureRows($0, output) }
  }

  func write(title: String, lines: @autoclosure () -> [String], _ figures: @autoclosure () -> [FigureLines.Figure])
    throws
  {
    if rows != nil {
      try rows?.write(figures())
    } else {
      if title != heading {
        try output.write("\(heading.isEmpty ? "" : "\n")\(title)\n\(columns)\n")
        heading = title
      }
      for line in lines() { try output.write("  \(line)\n") }
    }
    try output.flush()
  }

  func finish() throws {
    try output.flush()
  }

  /// A number in a column of `width` characters, the gap before it included.
  static func cell(_ value: Double?, _ places: Int, _ width: Int) -> String {
    " " + String(decimal: value, places: places).indented(to: width - 1)
  }
}

extension EvaluateDelayCommand.OutputKind {
  /// How programs are told; `nil` for people.
  var rows: FigureLines.Kind? {
    switch self {
    case .table: nil
    case .ndjson: .ndjson
    case .csv: .csv
    }
  }
}
