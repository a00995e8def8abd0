import UWBDSP

/// Rows of named figures for programs: one JSON object each, or CSV under one heading, with the same names in the same order.
struct FigureRows {
  typealias Figure = (name: StaticString, cell: EvaluationTable.Cell)

  enum Kind {
    case ndjson, csv
  }

  let kind: Kind
  private let output: ByteOutput
  private var text = JSONText()
  private var hasHeading = false

  init(_ kind: Kind, _ output: ByteOutput) {
    self.kind = kind
    self.output = output
  }

  mutating func write(_ figures: [Figure]) throws {
    switch kind {
    case .ndjson:
      text.begin()
      for figure in figures { text.add(figure.name, figure.cell) }
      text.end()
      try output.write { $0.append(contentsOf: text.bytes) }
    case .csv:
      if !hasHeading { try output.write(figures.map { "\($0.name)" }.joined(separator: ",") + "\n") }
      hasHeading = true
      try output.write(figures.map(\.cell.csv).joined(separator: ",") + "\n")
    }
  }
}
