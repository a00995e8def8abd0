import UWBCapture
import UWBDSP
import UWBReport

// Pages of verbs that measure figures: their tables as in the terminal, and what is true of how they were made.

extension PageTable {
  init(_ table: EvaluationTable) {
    self.init(
      table.name, columns: table.columns.map { "\($0)" },
      rows: table.rows.map { $0.map { $0.string(absent: "–") } })
  }

  /// Lines of figures, of which all have the same names.
  ///
  /// - Parameter hidden: names of those that differ from run to run.
  init(_ name: String? = nil, figures: [[FigureLines.Figure]], without hidden: [String] = []) {
    let shown = figures.map { $0.filter { !hidden.contains("\($0.name)") } }
    if shown.count == 1 {
      self.init(
        name, columns: ["figure", "value"], rows: shown[0].map { ["\($0.name)", $0.cell.string(absent: "–")] })
      return
    }
    self.init(
      name, columns: shown.first?.map { "\($0.name)" } ?? [],
      rows: shown.map { $0.map { $0.cell.string(absent: "–") } })
  }
}

extension Page {
  /// Moves the first charts to the top, where nothing is drawn there.
  mutating func leadWithCharts() {
    guard picture == nil, lead == nil else { return }
    for section in sections.indices {
      for (place, block) in sections[section].blocks.enumerated() {
        guard case .charts(let charts) = block else { continue }
        lead = charts
        sections[section].blocks.remove(at: place)
        if sections[section].blocks.isEmpty { sections.remove(at: section) }
        return
      }
    }
  }
}

extension Page.Section {
  /// Tables as in the terminal.
  init(_ title: String, note: String? = nil, tables: [EvaluationTable]) {
    self.init(title, note: note, tables.map { .table(PageTable($0)) })
  }

  /// Panels as charts.
  init(_ title: String, note: String? = nil, panels: [Panel]) {
    self.init(title, note: note, [.charts(PageCharts(panels))])
  }
}

extension Page.Fact {
  /// Delay estimators with their sources.
  static func estimators(_ methods: [DelayMethod]) -> Page.Fact {
    let lines = methods.map { "first path: \($0.name), \($0.summary)" }
    return .init("Estimators at work", list: lines.isEmpty ? ["none"] : lines)
  }
}

extension ReportFile {
  /// What a capture is, for its line among the inputs.
  static func note(_ header: CaptureHeader, _ profile: String?) -> String {
    "format \(header.format), radio \(profile ?? header.profile)"
  }
}
