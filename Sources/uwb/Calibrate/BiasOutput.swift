import UWBDSP

/// Writes what `uwb calibrate bias` found out: a table for people, or one JSON object a line.
struct BiasOutput {
  var kind: TableOutput
  var output: ByteOutput

  func write(_ figures: BiasFigures, _ exchanges: LabelledExchanges) throws {
    switch kind {
    case .table: try writeTable(figures, exchanges)
    case .ndjson: try writeLines(figures, exchanges)
    }
    try output.flush()
  }

  private func writeLines(_ figures: BiasFigures, _ exchanges: LabelledExchanges) throws {
    var lines = FigureLines(.ndjson)
    for capture in figures.captures {
      let row: [FigureLines.Figure] = [
        ("event", .text("capture")), ("capture", .text(capture.name)),
        ("label", .text(capture.isLineOfSight.map { $0 ? "LOS" : "NLOS" })), ("exchanges", .count(capture.exchanges)),
        ("true_distance_m", .number(capture.trueDistance, places: 4)),
        ("median_raw_error_m", .number(capture.rawError, places: 4)),
        ("rms_error_m", .number(capture.error, places: 4)),
        ("median_deviation_m", .number(capture.deviation, places: 4)),
        ("median_normalised_error", .number(capture.normalisedError, places: 3)),
        ("median_line_of_sight_probability", .number(capture.probability, places: 4)),
        ("line_of_sight_accuracy", .number(capture.accuracy, places: 4)), ("delay", .text(capture.bias?.delay.name)),
        ("features", .text(capture.bias?.name)), ("lambda", .number(capture.bias?.lambda, places: 6)),
        ("deviation_lambda", .number(capture.bias?.deviationLambda, places: 6)),
        ("line_of_sight_features", .text(capture.lineOfSight?.featureSet.rawValue)),
        ("line_of_sight_lambda", .number(capture.lineOfSight?.lambda, places: 6)),
        ("odd", .text(capture.oddities.isEmpty ? nil : capture.oddities.joined(separator: "; "))),
      ]
      try output.write { lines.append(row, to: &$0) }
    }
    for method in figures.methods {
      let row: [FigureLines.Figure] = [
        ("event", .text("method")), ("method", .text(method.name)), ("exchanges", .count(method.errors.count)),
        ("rms_error_m", .number(method.rms, places: 4)),
        ("median_absolute_error_m", .number(method.medianAbsolute, places: 4)),
      ]
      try output.write { lines.append(row, to: &$0) }
    }
    let summary: [FigureLines.Figure] = [
      ("event", .text("summary")), ("captures", .count(exchanges.captures.count)),
      ("exchanges", .count(exchanges.exchanges)), ("rejected", .counts(exchanges.rejected)),
      ("rms_error_m", .number(figures.methods.last?.rms, places: 4)),
      ("coverage_1", .number(figures.coverage(1), places: 4)), ("coverage_2", .number(figures.coverage(2), places: 4)),
      ("median_deviation_m", .number(BiasFigures.median(figures.deviations), places: 4)),
      ("line_of_sight_auc", .number(figures.roc?.area, places: 4)),
      ("line_of_sight_accuracy", .number(figures.accuracy, places: 4)),
      ("unlabelled_line_of_sight_auc", .number(figures.unlabelledROC?.area, places: 4)),
      ("unlabelled_line_of_sight_accuracy", .number(figures.unlabelledAccuracy, places: 4)),
      ("shipped_line_of_sight_auc", .number(figures.shippedROC?.area, places: 4)),
      ("shipped_line_of_sight_accuracy", .number(figures.shippedAccuracy, places: 4)),
    ]
    try output.write { lines.append(summary, to: &$0) }
  }

  private func writeTable(_ figures: BiasFigures, _ exchanges: LabelledExchanges) throws {
    func cell(_ value: Double?, _ places: Int, _ width: Int) -> String {
      String(decimal: value, places: places).indented(to: width)
    }
    var text = "Each capture held out, its settings chosen without it. Lengths in metres.\n\n"
    let width = max(7, figures.captures.map(\.name.count).max() ?? 0)
    text +=
      "capture".padded(to: width) + " label exch.  truth  raw error    rms  stated  |e|/σ  P(LOS)  right  settings\n"
    for capture in figures.captures {
      let label = capture.isLineOfSight.map { $0 ? "LOS" : "NLOS" } ?? "–"
      text += capture.name.padded(to: width) + " " + label.padded(to: 5) + cell(Double(capture.exchanges), 0, 6)
      text += cell(capture.trueDistance, 2, 7) + cell(capture.rawError, 3, 11) + cell(capture.error, 3, 7)
      text += cell(capture.deviation, 3, 8) + cell(capture.normalisedError, 2, 7) + cell(capture.probability, 2, 8)
      text += cell(capture.accuracy, 2, 7)
      if let bias = capture.bias { text += "  \(bias.delay.name) \(bias.name) λ \(bias.lambda)" }
      if let sight = capture.lineOfSight { text += " / LOS \(sight.featureSet.rawValue) λ \(sight.lambda)" }
      if !capture.oddities.isEmpty { text += "  ← " + capture.oddities.joined(separator: "; ") }
      text += "\n"
    }
    text += "\nerror of the distance                     rms  median of |error|\n"
    for method in figures.methods {
      text += method.name.padded(to: 38) + cell(method.rms, 3, 7) + cell(method.medianAbsolute, 3, 19) + "\n"
    }
    text += "\nstated deviation: median " + cell(BiasFigures.median(figures.deviations), 3, 0)
    text += ", within one " + cell(100 * figures.coverage(1), 1, 0) + " %, within two "
    text += cell(100 * figures.coverage(2), 1, 0) + " %\n"
    if let roc = figures.roc {
      text += "line of sight: area under the curve " + cell(roc.area, 3, 0) + ", right "
      text += cell(figures.accuracy.map { 100 * $0 }, 1, 0) + " %\n"
    }
    if let roc = figures.unlabelledROC {
      text += "the model that ships, the site's level learnt without labels: " + cell(roc.area, 3, 0) + ", right "
      text += cell(figures.unlabelledAccuracy.map { 100 * $0 }, 1, 0) + " %\n"
    }
    if let roc = figures.shippedROC {
      text += "the model that ships, which knows simulated sites only: " + cell(roc.area, 3, 0) + ", right "
      text += cell(figures.shippedAccuracy.map { 100 * $0 }, 1, 0) + " %\n"
    }
    text += "\(exchanges.exchanges) exchanges of \(exchanges.captures.count) captures"
    for (reason, count) in exchanges.rejected.sorted(by: { $0.key < $1.key }) {
      text += ", \(count) rejected: \(reason)"
    }
    try output.write(text + "\n")
  }
}
