import UWBReport
import UWBSimulation

/// One estimator in one case: what pages and pictures draw and list of it.
struct EvaluatedFigures {
  let name: String
  let caseName: String
  let snrdB: Double
  let trials: Int
  /// RMS, and the least that is possible, in the unit of the page.
  let error: Double?
  let bound: Double?
  /// Of the axis that the error is drawn on.
  let errorTitle: String
  /// Whether the picture has a place for it: angles of neither kind have none.
  let isDrawn: Bool
  let figures: [FigureLines.Figure]

  init(_ row: DelayEvaluation.Row, case name: String, snrdB: Double) {
    self.name = row.estimator
    (caseName, self.snrdB, trials) = (name, snrdB, row.trials)
    (error, bound) = (row.error?.rms, row.bound)
    (errorTitle, isDrawn) = ("RMS error (m)", true)
    figures = DelayEvaluationText.figures(row, name, snrdB)
  }

  init(_ row: DirectionEvaluation.Row, case name: String, snapshots: Int, snrdB: Double) {
    self.name = row.name
    (caseName, self.snrdB, trials) = (name, snrdB, row.trials)
    let angle = row.azimuth ?? row.elevation
    error = angle?.error.map { $0.rms.degrees }
    bound = angle?.bound?.degrees
    let isElevation = row.azimuth == nil && row.elevation != nil
    errorTitle = isElevation ? "RMS error of elevation (°)" : "RMS error of azimuth (°)"
    isDrawn = angle != nil
    figures = AngleEvaluationText.figures(row, name, snapshots, snrdB)
  }
}

/// `--report` of `evaluate delay` and `evaluate angle`: errors over the signal-to-noise ratio, or at the only one, beside the bound.
struct EvaluationPage {
  let title: String
  let quantity: String
  let unit: String
  /// What a panel stands for.
  let choice: String
  let rows: [EvaluatedFigures]
  let panels: [Panel]

  func page(_ provenance: [Page.Fact]) -> Page {
    let isSingle = Set(rows.map(\.snrdB)).count == 1
    var page = Page(title: title, sentence: sentence, provenance: provenance)
    if isSingle {
      let several = Set(rows.map(\.caseName)).count > 1
      page.picture = PagePicture(
        "\(quantity) of each estimator.", unit: unit,
        bars: rows.map {
          .init(several ? "\($0.name) · \($0.caseName)" : $0.name, value: $0.error, mark: $0.bound, color: .series(0))
        },
        caption: "Dot: \(quantity) at the only SNR"
          + (rows.contains { $0.bound != nil } ? "; upright line: the Cramér–Rao bound." : "."), isLogarithmic: true)
    } else {
      page.lead = PageCharts(choosing: choice, from: panels)
    }
    page.sections.append(
      .init(
        "All figures",
        note: "Times of computation are in the terminal's table alone: they differ from run to run.",
        [.table(PageTable(figures: rows.map(\.figures), without: ["microseconds"]))]))
    return page
  }

  private var sentence: String {
    guard let first = rows.first else { return "Nothing was evaluated." }
    func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
    let cases = Set(rows.map(\.caseName))
    let ratios = Set(rows.map(\.snrdB)).sorted().map { String(decimal: $0, places: 0) }
    var text = "\(count(Set(rows.map(\.name)).count, "estimator")) on "
    text += cases.count == 1 ? first.caseName : count(cases.count, choice == "Channel" ? "channel" : "case")
    text += " at \(ratios.joined(separator: ", ")) dB, \(count(first.trials, "trial")) each."
    let last = rows.filter { $0.caseName == rows.last?.caseName && $0.snrdB == rows.last?.snrdB }
    let best = last.filter { $0.error?.isFinite == true }.min { ($0.error ?? 0) < ($1.error ?? 0) }
    if let best, let error = best.error {
      text += " At \(String(decimal: best.snrdB, places: 0)) dB"
      if cases.count > 1 { text += " on \(best.caseName)" }
      text +=
        " \(best.name) has the least error, \(String(decimal: error, digits: 3))\(unit == "°" ? "" : " ")\(unit) rms"
      if let bound = best.bound, bound > 0 { text += ", \(String(decimal: error / bound, places: 2)) times the bound" }
      text += "."
    }
    return text
  }
}
