import UWBCapture
import UWBReport

/// A run of `evaluate delay` or `evaluate angle`: rows are written as they come, the page and the picture at the end.
struct EvaluationRun {
  private let rows: EvaluationRows
  /// Unit of what the terminal's table holds.
  private let note: String
  private var figures: [EvaluatedFigures] = []

  init(_ rows: EvaluationRows, note: String) {
    self.rows = rows
    self.note = note
  }

  mutating func add(_ row: EvaluatedFigures, lines: @autoclosure () -> [String]) throws {
    let title = "\(row.caseName) at \(String(decimal: row.snrdB, places: 1)) dB, \(row.trials) trials; \(note)"
    try rows.write(title: title, lines: lines(), row.figures)
    figures.append(row)
  }

  /// All rows of a case have come.
  func endCase() throws { try rows.endTable() }

  /// - Parameters:
  ///   - choice: what a panel stands for.
  ///   - hasPanelTitles: as in `EvaluationCurves`.
  ///   - file: the page, where one is asked for.
  ///   - svg: path of the picture; `nil` for none.
  func finish(
    _ title: String, unit: String, choice: String, hasPanelTitles: Bool, _ file: ReportFile?, facts: [Page.Fact],
    svg: String?
  ) throws {
    try rows.finish()
    let figure = EvaluationCurves(title: title, rows: figures, hasPanelTitles: hasPanelTitles).figure
    try file?.write(facts: facts) {
      EvaluationPage(
        title: title, quantity: "RMS error", unit: unit, choice: choice, rows: figures, panels: figure.panels
      ).page($0)
    }
    guard let svg else { return }
    try OutputFile.write(figure.svg(), to: svg)
  }
}
