import UWBDSP
import UWBSimulation

/// A row of an evaluation of delays in words and figures. Lengths for people in millimetres.
enum DelayEvaluationText {
  static let columns =
    "  estimator                   rmse     bias   median   90 %  unbiased    bound  ratio  missed  early"
    + "  var(e/σ)  in 1 σ      µs"

  static func figures(_ row: DelayEvaluation.Row, _ name: String, _ snrdB: Double) -> [FigureLines.Figure] {
    [
      ("estimator", .text(row.estimator)), ("case", .text(name)), ("snr_db", .number(snrdB, places: 2)),
      ("trials", .count(row.trials)), ("rmse_m", .number(row.error?.rms, places: 6)),
      ("bias_m", .number(row.error?.bias, places: 6)), ("median_m", .number(row.error?.median, places: 6)),
      ("p90_m", .number(row.error?.p90, places: 6)),
      ("p90_unbiased_m", .number(row.error?.p90Unbiased, places: 6)),
      ("close_rmse_m", .number(row.closeRMS, places: 6)), ("close", .count(row.close)),
      ("bound_m", .number(row.bound, places: 6)), ("ratio", .number(row.ratio, places: 4)),
      ("missed", .count(row.missed)), ("early", .count(row.early)),
      ("normalised_variance", .number(row.normalisedVariance, places: 4)),
      ("coverage", .number(row.coverage, places: 4)), ("microseconds", .number(row.microseconds, places: 2)),
    ]
  }

  static func line(_ row: DelayEvaluation.Row) -> String {
    let cell = EvaluationRows.cell
    func millimetres(_ value: Double?, _ width: Int) -> String { cell(value.map { $0 * 1000 }, 1, width) }
    return row.estimator.padded(to: 24) + millimetres(row.error?.rms, 8)
      + millimetres(row.error?.bias, 9) + millimetres(row.error?.median, 9) + millimetres(row.error?.p90, 7)
      + millimetres(row.error?.p90Unbiased, 10) + millimetres(row.bound, 9) + cell(row.ratio, 3, 7)
      + cell(Double(row.missed), 0, 8) + cell(Double(row.early), 0, 7) + cell(row.normalisedVariance, 2, 10)
      + cell(row.coverage, 2, 8) + cell(row.microseconds, 1, 8)
  }
}
