import UWBDSP

/// Lines of named figures for programs: one JSON object each, or CSV, with the same names in the same order.
struct FigureLines {
  typealias Figure = (name: StaticString, cell: EvaluationTable.Cell)

  enum Kind {
    case ndjson, csv
  }

  let kind: Kind
  private var text = JSONText()

  init(_ kind: Kind) { self.kind = kind }

  /// The line before the first one, where there is one.
  func heading(_ names: [StaticString]) -> String {
    kind == .csv ? names.map { "\($0)" }.joined(separator: ",") + "\n" : ""
  }

  /// Appends a line with the figure of each element.
  mutating func append<Element>(_ elements: [Element], to bytes: inout [UInt8], _ figure: (Element) -> Figure) {
    switch kind {
    case .ndjson:
      text.begin()
      for element in elements {
        let (name, cell) = figure(element)
        text.add(name, cell)
      }
      text.end()
      bytes.append(contentsOf: text.bytes)
    case .csv: bytes.appendCSV(elements.map { figure($0).cell })
    }
  }

  /// Appends a line of these figures.
  mutating func append(_ figures: [Figure], to bytes: inout [UInt8]) { append(figures, to: &bytes) { $0 } }

  /// A single line, as JSON.
  static func object(_ figures: [Figure]) -> String {
    var lines = FigureLines(.ndjson)
    var bytes: [UInt8] = []
    lines.append(figures, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Writes such lines, CSV under one heading.
struct FigureRows {
  private var lines: FigureLines
  private let output: ByteOutput
  private var hasHeading = false

  init(_ kind: FigureLines.Kind, _ output: ByteOutput) {
    lines = FigureLines(kind)
    self.output = output
  }

  mutating func write(_ figures: [FigureLines.Figure]) throws {
    if !hasHeading { try output.write(lines.heading(figures.map(\.name))) }
    hasHeading = true
    try output.write { lines.append(figures, to: &$0) }
  }
}
