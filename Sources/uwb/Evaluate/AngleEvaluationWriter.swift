import UWBDSP
import UWBSimulation

/// Rows of an evaluation of angles as a table for people, ndjson or csv. Angles in degrees.
final class AngleEvaluationWriter {
  private let kind: EvaluateDelayCommand.OutputKind
  private let output: ByteOutput
  private var text = JSONText()
  private var heading = ""

  init(_ kind: EvaluateDelayCommand.OutputKind, _ output: ByteOutput) {
    self.kind = kind
    self.output = output
  }

  private static let columns = [
    "estimator", "case", "snr_db", "snapshots", "trials", "sources", "rmse_deg", "bias_deg", "median_deg", "p90_deg",
    "close_rmse_deg", "bound_deg", "deterministic_bound_deg", "ratio", "normalised_variance", "coverage",
    "elevation_rmse_deg", "elevation_bias_deg", "elevation_p90_deg", "elevation_bound_deg", "elevation_ratio",
    "elevation_normalised_variance", "missed", "ambiguous", "covered", "not_finite", "microseconds",
  ]

  func begin() throws {
    if kind == .csv { try output.write(Self.columns.joined(separator: ",") + "\n") }
  }

  func finish() throws {
    try output.flush()
  }

  private static func degrees(_ value: Double?) -> Double? { value.map { $0 * 180 / .pi } }

  func write(_ row: DirectionEvaluation.Row, case name: String, snapshots: Int, snrdB: Double) throws {
    switch kind {
    case .ndjson: try writeObject(row, name, snapshots, snrdB)
    case .csv: try writeLine(row, name, snapshots, snrdB)
    case .table: try writeText(row, name, snrdB)
    }
    try output.flush()
  }

  private func writeObject(_ row: DirectionEvaluation.Row, _ name: String, _ snapshots: Int, _ snrdB: Double) throws {
    let (azimuth, elevation) = (row.azimuth, row.elevation)
    text.begin()
    text.add("estimator", row.name)
    text.add("case", name)
    text.add("snr_db", snrdB, places: 2)
    text.add("snapshots", snapshots)
    text.add("trials", row.trials)
    text.add("sources", row.sources)
    text.add("rmse_deg", Self.degrees(azimuth?.error?.rms), places: 6)
    text.add("bias_deg", Self.degrees(azimuth?.error?.bias), places: 6)
    text.add("median_deg", Self.degrees(azimuth?.error?.median), places: 6)
    text.add("p90_deg", Self.degrees(azimuth?.error?.p90), places: 6)
    text.add("close_rmse_deg", Self.degrees(azimuth?.closeRMS), places: 6)
    text.add("bound_deg", Self.degrees(azimuth?.bound), places: 6)
    text.add("deterministic_bound_deg", Self.degrees(azimuth?.deterministicBound), places: 6)
    text.add("ratio", azimuth?.ratio, places: 4)
    text.add("normalised_variance", azimuth?.normalisedVariance, places: 4)
    text.add("coverage", azimuth?.coverage, places: 4)
    text.add("elevation_rmse_deg", Self.degrees(elevation?.error?.rms), places: 6)
    text.add("elevation_bias_deg", Self.degrees(elevation?.error?.bias), places: 6)
    text.add("elevation_p90_deg", Self.degrees(elevation?.error?.p90), places: 6)
    text.add("elevation_bound_deg", Self.degrees(elevation?.bound), places: 6)
    text.add("elevation_ratio", elevation?.ratio, places: 4)
    text.add("elevation_normalised_variance", elevation?.normalisedVariance, places: 4)
    text.add("missed", row.missed)
    text.add("ambiguous", row.ambiguous)
    text.add("covered", row.covered)
    text.add("not_finite", row.notFinite)
    text.add("microseconds", row.microseconds, places: 2)
    text.end()
    try output.write { $0.append(contentsOf: text.bytes) }
  }

  private func writeLine(_ row: DirectionEvaluation.Row, _ name: String, _ snapshots: Int, _ snrdB: Double) throws {
    func number(_ value: Double?, _ places: Int) -> String { value.map { SummaryOutput.decimal($0, places) } ?? "" }
    func angle(_ value: Double?) -> String { number(Self.degrees(value), 6) }
    let (azimuth, elevation) = (row.azimuth, row.elevation)
    let fields = [
      row.name, "\"\(name)\"", number(snrdB, 2), "\(snapshots)", "\(row.trials)", "\(row.sources)",
      angle(azimuth?.error?.rms), angle(azimuth?.error?.bias), angle(azimuth?.error?.median),
      angle(azimuth?.error?.p90), angle(azimuth?.closeRMS), angle(azimuth?.bound), angle(azimuth?.deterministicBound),
      number(azimuth?.ratio, 4), number(azimuth?.normalisedVariance, 4), number(azimuth?.coverage, 4),
      angle(elevation?.error?.rms), angle(elevation?.error?.bias), angle(elevation?.error?.p90),
      angle(elevation?.bound), number(elevation?.ratio, 4), number(elevation?.normalisedVariance, 4), "\(row.missed)",
      "\(row.ambiguous)", "\(row.covered)", "\(row.notFinite)", number(row.microseconds, 2),
    ]
    try output.write(fields.joined(separator: ",") + "\n")
  }

  private func writeText(_ row: DirectionEvaluation.Row, _ name: String, _ snrdB: Double) throws {
    let title = "\(name) at \(SummaryOutput.decimal(snrdB, 1)) dB, \(row.trials) trials; angles in degrees"
    if title != heading {
      try output.write("\(heading.isEmpty ? "" : "\n")\(title)\n")
      try output.write(
        "  estimator               angle         rmse     bias   median     90 %    bound  ratio  var(e/σ)  in 1 σ"
          + "  missed  ambiguous      µs\n")
      heading = title
    }
    func cell(_ value: Double?, _ places: Int, _ width: Int) -> String {
      let text = value.map { SummaryOutput.decimal($0, places) } ?? "–"
      return String(repeating: " ", count: max(1, width - text.count)) + text
    }
    func pad(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    func line(_ label: String, _ angle: String, _ figures: DirectionEvaluation.Figures?, isFirst: Bool) -> String {
      let error = figures?.error
      var text = "  " + pad(label, 24) + pad(angle, 10)
      text += cell(Self.degrees(error?.rms), 4, 8) + cell(Self.degrees(error?.bias), 4, 9)
      text += cell(Self.degrees(error?.median), 4, 9) + cell(Self.degrees(error?.p90), 4, 9)
      text += cell(Self.degrees(figures?.bound), 4, 9) + cell(figures?.ratio, 3, 7)
      text += cell(figures?.normalisedVariance, 2, 10) + cell(figures?.coverage, 2, 8)
      if isFirst {
        text += cell(Double(row.missed), 0, 8) + cell(Double(row.ambiguous), 0, 11) + cell(row.microseconds, 1, 8)
      }
      return text + "\n"
    }
    if row.azimuth != nil || row.elevation == nil {
      try output.write(line(row.name, "azimuth", row.azimuth, isFirst: true))
    }
    if row.elevation != nil {
      let isFirst = row.azimuth == nil
      try output.write(line(isFirst ? row.name : "", "elevation", row.elevation, isFirst: isFirst))
    }
  }
}
