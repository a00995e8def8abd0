import UWBDSP
import UWBSimulation

/// A row of an evaluation of angles in words and figures, in degrees.
enum AngleEvaluationText {
  static let columns =
    "  estimator               angle         rmse     bias   median     90 %    bound  ratio  var(e/σ)  in 1 σ"
    + "  missed  ambiguous      µs"

  static func figures(
    _ row: DirectionEvaluation.Row, _ name: String, _ snapshots: Int, _ snrdB: Double
  ) -> [FigureLines.Figure] {
    func angle(_ value: Double?) -> EvaluationTable.Cell { .number(value?.degrees, places: 6) }
    let (azimuth, elevation) = (row.azimuth, row.elevation)
    return [
      ("estimator", .text(row.name)), ("case", .text(name)), ("snr_db", .number(snrdB, places: 2)),
      ("snapshots", .count(snapshots)), ("trials", .count(row.trials)), ("sources", .count(row.sources)),
      ("rmse_deg", angle(azimuth?.error?.rms)), ("bias_deg", angle(azimuth?.error?.bias)),
      ("median_deg", angle(azimuth?.error?.median)), ("p90_deg", angle(azimuth?.error?.p90)),
      ("close_rmse_deg", angle(azimuth?.closeRMS)), ("bound_deg", angle(azimuth?.bound)),
      ("deterministic_bound_deg", angle(azimuth?.deterministicBound)),
      ("ratio", .number(azimuth?.ratio, places: 4)),
      ("normalised_variance", .number(azimuth?.normalisedVariance, places: 4)),
      ("coverage", .number(azimuth?.coverage, places: 4)), ("elevation_rmse_deg", angle(elevation?.error?.rms)),
      ("elevation_bias_deg", angle(elevation?.error?.bias)), ("elevation_p90_deg", angle(elevation?.error?.p90)),
      ("elevation_bound_deg", angle(elevation?.bound)), ("elevation_ratio", .number(elevation?.ratio, places: 4)),
      ("elevation_normalised_variance", .number(elevation?.normalisedVariance, places: 4)),
      ("missed", .count(row.missed)), ("ambiguous", .count(row.ambiguous)), ("covered", .count(row.covered)),
      ("not_finite", .count(row.notFinite)), ("microseconds", .number(row.microseconds, places: 2)),
    ]
  }

  /// A line for each angle; counts and the time in the first.
  static func lines(_ row: DirectionEvaluation.Row) -> [String] {
    let cell = EvaluationRows.cell
    var lines: [String] = []
    func add(_ angle: String, _ figures: DirectionEvaluation.Figures?) {
      let error = figures?.error
      var text = (lines.isEmpty ? row.name : "").padded(to: 24) + angle.padded(to: 10)
      text += cell(error?.rms.degrees, 4, 8) + cell(error?.bias.degrees, 4, 9)
      text += cell(error?.median.degrees, 4, 9) + cell(error?.p90.degrees, 4, 9)
      text += cell(figures?.bound?.degrees, 4, 9) + cell(figures?.ratio, 3, 7)
      text += cell(figures?.normalisedVariance, 2, 10) + cell(figures?.coverage, 2, 8)
      if lines.isEmpty {
        text += cell(Double(row.missed), 0, 8) + cell(Double(row.ambiguous), 0, 11) + cell(row.microseconds, 1, 8)
      }
      lines.append(text)
    }
    if row.azimuth != nil || row.elevation == nil { add("azimuth", row.azimuth) }
    if row.elevation != nil { add("elevation", row.elevation) }
    return lines
  }
}
