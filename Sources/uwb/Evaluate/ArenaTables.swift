import UWBPlatform
import UWBSimulation

/// The tables of `uwb evaluate arena`.
enum ArenaTables {
  /// Geometric mean of the error over the crossing's, over the families that only score.
  static let meanRatioBar = 0.53
  /// Error on a window of taps over that on the whole CIR.
  static let windowRatioBar = 1.15

  /// One row for each family and estimator; `fails` names the limits of `ArenaFamily.Limits` that are not met.
  static func families(_ rows: [ArenaEvaluation.Row]) -> EvaluationTable {
    var table = EvaluationTable(
      name: "families",
      columns: [
        "family", "use", "estimator", "trials", "rms_cm", "crossing_cm", "crossing_ratio", "gross_percent",
        "crossing_gross_percent", "mean_score", "beyond_5_percent", "unanswered", "fails",
      ])
    for row in rows {
      table.add([
        .text(row.family.name), .text(row.family.use.rawValue), .text(name(row)), .count(row.trials),
        .number(row.rms * 100, places: 2), .number(row.crossingRMS * 100, places: 2), .number(row.ratio, places: 3),
        percent(row.grossShare), percent(row.crossingGrossShare), .number(row.score, places: 2),
        percent(row.beyondFiveShare), .count(row.unanswered),
        .text(row.misses.isEmpty ? "–" : row.misses.joined(separator: "+")),
      ])
    }
    return table
  }

  /// One row for each family and estimator on several antennas.
  static func arrays(_ rows: [ArenaArrayEvaluation.Row]) -> EvaluationTable {
    var table = EvaluationTable(
      name: "arrays",
      columns: [
        "family", "antennas", "estimator", "trials", "rms_cm", "crossing_cm", "gross_percent", "mean_score",
        "beyond_5_percent", "unanswered_percent", "azimuth_rms_deg", "azimuth_mean_score", "azimuth_beyond_5_percent",
        "azimuth_unanswered_percent",
      ])
    for row in rows {
      table.add([
        .text(row.family.name), .count(row.antennaCount), .text(row.method.name), .count(row.trials),
        .number(row.delay.rms * 100, places: 2), .number(row.crossingRMS * 100, places: 2),
        percent(row.delay.grossShare), .number(row.delay.score, places: 2), percent(row.delay.beyondFiveShare),
        percent(row.delay.unansweredShare),
        .number(row.azimuth.rms.degrees, places: 2), .number(row.azimuth.score, places: 2),
        percent(row.azimuth.beyondFiveShare), percent(row.azimuth.unansweredShare),
      ])
    }
    return table
  }

  private static func percent(_ share: Double?) -> EvaluationTable.Cell {
    .number(share.map { $0 * 100 }, places: 2)
  }

  /// What must hold over several families, for each estimator.
  static func bars(_ rows: [ArenaEvaluation.Row]) -> EvaluationTable {
    var table = EvaluationTable(name: "bars", columns: ["estimator", "measure", "value", "bar", "holds"])
    func add(_ name: String, _ measure: String, _ value: Double, _ places: Int, bar: Double, _ holds: Bool) {
      table.add([
        .text(name), .text(measure), .number(value, places: places), .number(bar, places: places),
        .text(holds ? "yes" : "no"),
      ])
    }
    var names: [String] = []
    for row in rows where !names.contains(estimator(row)) { names.append(estimator(row)) }
    for name in names {
      let own = rows.filter { estimator($0) == name }
      for use in ArenaFamily.Use.allCases {
        // Windows repeat the CIRs of another family: they have a bar of their own.
        let ratios = own.filter { $0.family.use == use && $0.family.windowTaps == nil }.map(\.ratio)
        guard !ratios.isEmpty else { continue }
        let mean = exp(ratios.reduce(0) { $0 + log($1) } / Double(ratios.count))
        add(name, "geometric mean of crossing_ratio, \(use.rawValue)", mean, 3, bar: meanRatioBar, mean <= meanRatioBar)
      }
      for row in own {
        guard let whole = own.first(where: { $0.family == row.family.uncut }) else { continue }
        let ratio = row.rms / whole.rms
        add(
          name, "\(row.family.name) over \(whole.family.name)", ratio, 3, bar: windowRatioBar, ratio <= windowRatioBar)
      }
      let met = own.count(where: \.misses.isEmpty)
      add(name, "families within their limits", Double(met), 0, bar: Double(own.count), met == own.count)
    }
    return table
  }

  /// A column of its own for the default, whichever estimator it is.
  static func estimator(_ row: ArenaEvaluation.Row) -> String {
    row.isDefault ? "default" : row.method.name
  }

  private static func name(_ row: ArenaEvaluation.Row) -> String {
    row.isDefault ? "default (\(row.method.name))" : row.method.name
  }
}

extension ArenaEvaluation.Row {
  /// The limits of the family that this row is beyond.
  var misses: [String] {
    let limits = family.limits
    var misses: [String] = []
    if ratio > limits.ratio { misses.append("ratio") }
    if grossShare > limits.grossShare { misses.append("gross") }
    if let score, !limits.score.contains(score) { misses.append("score") }
    if let beyondFiveShare, beyondFiveShare > limits.beyondFiveShare { misses.append("beyond-5") }
    return misses
  }
}
