import UWBDSP
import UWBReport
import UWBSimulation

/// `--report` of `evaluate arena`: errors of each family beside the crossing's and the limit.
struct ArenaPage {
  let rows: [ArenaEvaluation.Row]

  static func methods(_ rows: [ArenaEvaluation.Row]) -> [DelayMethod] {
    rows.reduce(into: []) { if !$0.contains($1.method) { $0.append($1.method) } }
  }

  /// Those of the first estimator, in the order of the families: what is drawn.
  private var drawn: [ArenaEvaluation.Row] {
    guard let first = rows.first.map(ArenaTables.estimator) else { return [] }
    return rows.filter { ArenaTables.estimator($0) == first }
  }

  func page(_ provenance: [Page.Fact]) -> Page {
    let drawn = drawn
    var honesty: [Page.Block] = []
    if let gross {
      honesty.append(.picture(gross))
    }
    if let score { honesty.append(.picture(score)) }
    let page = Page(
      title: "Arena: first paths on random radios and channels", sentence: sentence(drawn),
      picture: picture(
        "Error of each family.", unit: "cm", \.rms, \.crossingRMS, { $0.family.limits.ratio * $0.crossingRMS },
        scale: 100,
        caption:
          "Dot: RMS error, clipped at 4 taps; the bar ends at that of a threshold crossing; upright line: the family's limit. Red: a limit is not met."
      ),
      sections: [
        .init("Gross errors and honest deviations", honesty),
        .init("Families and bars", tables: [ArenaTables.families(rows), ArenaTables.bars(rows)]),
      ], provenance: provenance)
    return page
  }

  private var gross: PagePicture? {
    picture(
      "Gross errors of each family.", unit: "%", \.grossShare, \.crossingGrossShare, { $0.family.limits.grossShare },
      scale: 100,
      caption: "Dot: share of errors beyond 4 taps; the bar ends at that of the crossing; upright line: the limit.")
  }

  /// Where the mean score should be.
  private var score: PagePicture? {
    PagePicture(
      "Honest deviations of each family.", unit: "",
      bars: drawn.map {
        .init($0.family.name, value: $0.score, extent: $0.family.limits.score, mark: 1, color: Self.color($0))
      },
      caption:
        "Dot: mean of the squared error over its stated variance, at most 9 each; about 1 (upright line) where deviations are right. Bar: what the limits allow."
    )
  }

  private func picture(
    _ label: String, unit: String, _ value: (ArenaEvaluation.Row) -> Double,
    _ crossing: (ArenaEvaluation.Row) -> Double,
    _ limit: (ArenaEvaluation.Row) -> Double, scale: Double, caption: String
  ) -> PagePicture? {
    PagePicture(
      label, unit: unit,
      bars: drawn.map { row in
        let (own, other) = (value(row) * scale, crossing(row) * scale)
        return .init(
          row.family.name, value: own, extent: min(own, other)...max(own, other), mark: limit(row) * scale,
          color: Self.color(row))
      }, caption: caption)
  }

  private static func color(_ row: ArenaEvaluation.Row) -> PageChart.Color {
    row.misses.isEmpty ? .series(0) : .series(6)
  }

  private func sentence(_ drawn: [ArenaEvaluation.Row]) -> String {
    guard let first = drawn.first else { return "No family was scored." }
    let met = drawn.count(where: \.misses.isEmpty)
    let name = first.isDefault ? "The default estimator" : "The estimator \(first.method.name)"
    var text = "\(name) is within all limits on \(met) of \(drawn.count) families, \(first.trials) trials each"
    let count = Set(rows.map(ArenaTables.estimator)).count
    text += count > 1 ? "; the table has \(count) estimators." : "."
    let bars = ArenaTables.bars(rows)
    for row in bars.rows where row[0].string(absent: "") == ArenaTables.estimator(first) {
      let measure = row[1].string(absent: "")
      guard measure.hasPrefix("geometric mean of crossing_ratio, scored") else { continue }
      text +=
        " On those that only score its error is \(row[2].string(absent: "–")) of the crossing's (bar \(row[3].string(absent: "–")))."
    }
    return text
  }
}
