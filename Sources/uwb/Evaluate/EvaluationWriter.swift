import UWBDSP
import UWBSimulation

/// Rows of an evaluation as a table for people, ndjson or csv.
final class EvaluationWriter {
  private let kind: EvaluateDelayCommand.OutputKind
  private let output: ByteOutput
  private var text = JSONText()
  private var heading = ""

  init(_ kind: EvaluateDelayCommand.OutputKind, _ output: ByteOutput) {
    self.kind = kind
    self.output = output
  }

  private static let columns = [
    "estimator", "case", "snr_db", "trials", "rmse_m", "bias_m", "median_m", "p90_m", "p90_unbiased_m", "close_rmse_m",
    "close", "bound_m", "ratio", "missed", "early", "normalised_variance", "coverage", "microseconds",
  ]

  func begin() throws {
    if kind == .csv { try output.write(Self.columns.joined(separator: ",") + "\n") }
  }

  func finish() throws {
    try output.flush()
  }

  func write(_ row: DelayEvaluation.Row, case name: String, snrdB: Double) throws {
    switch kind {
    case .ndjson: try writeObject(row, name, snrdB)
    case .csv: try writeLine(row, name, snrdB)
    case .table: try writeText(row, name, snrdB)
    }
    try output.flush()
  }

  private func writeObject(_ row: DelayEvaluation.Row, _ name: String, _ snrdB: Double) throws {
    text.begin()
    text.add("estimator", row.method.rawValue)
    text.add("case", name)
    text.add("snr_db", snrdB, places: 2)
    text.add("trials", row.trials)
    text.add("rmse_m", row.error?.rms, places: 6)
    text.add("bias_m", row.error?.bias, places: 6)
    text.add("median_m", row.error?.median, places: 6)
    text.add("p90_m", row.error?.p90, places: 6)
    text.add("p90_unbiased_m", row.error?.p90Unbiased, places: 6)
    text.add("close_rmse_m", row.closeRMS, places: 6)
    text.add("close", row.close)
    text.add("bound_m", row.bound, places: 6)
    text.add("ratio", row.ratio, places: 4)
    text.add("missed", row.missed)
    text.add("early", row.early)
    text.add("normalised_variance", row.normalisedVariance, places: 4)
    text.add("coverage", row.coverage, places: 4)
    text.add("microseconds", row.microseconds, places: 2)
    text.end()
    try output.write { $0.append(contentsOf: text.bytes) }
  }

  private func writeLine(_ row: DelayEvaluation.Row, _ name: String, _ snrdB: Double) throws {
    func number(_ value: Double?, _ places: Int) -> String { value.map { SummaryOutput.decimal($0, places) } ?? "" }
    let fields = [
      row.method.rawValue, "\"\(name)\"", number(snrdB, 2), "\(row.trials)", number(row.error?.rms, 6),
      number(row.error?.bias, 6), number(row.error?.median, 6), number(row.error?.p90, 6),
      number(row.error?.p90Unbiased, 6), number(row.closeRMS, 6), "\(row.close)", number(row.bound, 6),
      number(row.ratio, 4), "\(row.missed)", "\(row.early)", number(row.normalisedVariance, 4),
      number(row.coverage, 4), number(row.microseconds, 2),
    ]
    try output.write(fields.joined(separator: ",") + "\n")
  }

  private func writeText(_ row: DelayEvaluation.Row, _ name: String, _ snrdB: Double) throws {
    let title = "\(name) at \(SummaryOutput.decimal(snrdB, 1)) dB, \(row.trials) trials; lengths in mm"
    if title != heading {
      try output.write("\(heading.isEmpty ? "" : "\n")\(title)\n")
      try output.write(
        "  estimator                   rmse     bias   median   90 %  unbiased    bound  ratio  missed  early"
          + "  var(e/σ)  in 1 σ      µs\n")
      heading = title
    }
    func cell(_ value: Double?, _ places: Int, _ width: Int) -> String {
      let text = value.map { SummaryOutput.decimal($0, places) } ?? "–"
      return String(repeating: " ", count: max(1, width - text.count)) + text
    }
    func millimetres(_ value: Double?, _ width: Int) -> String { cell(value.map { $0 * 1000 }, 1, width) }
    let label = row.method.rawValue
    let line =
      "  " + label + String(repeating: " ", count: max(1, 24 - label.count)) + millimetres(row.error?.rms, 8)
      + millimetres(row.error?.bias, 9) + millimetres(row.error?.median, 9) + millimetres(row.error?.p90, 7)
      + millimetres(row.error?.p90Unbiased, 10) + millimetres(row.bound, 9) + cell(row.ratio, 3, 7)
      + cell(Double(row.missed), 0, 8) + cell(Double(row.early), 0, 7) + cell(row.normalisedVariance, 2, 10)
      + cell(row.coverage, 2, 8) + cell(row.microseconds, 1, 8)
    try output.write(line + "\n")
  }
}
