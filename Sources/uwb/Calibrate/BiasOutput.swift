import UWBDSP

/// Writes what `uwb calibrate bias` found out: a table for people, or one JSON object a line.
struct BiasOutput {
  enum Kind: String, CaseIterable {
    case table, ndjson
  }

  var kind: Kind
  var output: ByteOutput

  func write(_ figures: BiasFigures, _ exchanges: LabelledExchanges) throws {
    switch kind {
    case .table: try writeTable(figures, exchanges)
    case .ndjson: try writeLines(figures, exchanges)
    }
    try output.flush()
  }

  private func writeLines(_ figures: BiasFigures, _ exchanges: LabelledExchanges) throws {
    var text = JSONText()
    for capture in figures.captures {
      text.begin()
      text.add("event", "capture")
      text.add("capture", capture.name)
      text.add("label", capture.isLineOfSight.map { $0 ? "LOS" : "NLOS" })
      text.add("exchanges", capture.exchanges)
      text.add("true_distance_m", capture.trueDistance, places: 4)
      text.add("median_raw_error_m", capture.rawError, places: 4)
      text.add("rms_error_m", capture.error, places: 4)
      text.add("median_deviation_m", capture.deviation, places: 4)
      text.add("median_normalised_error", capture.normalisedError, places: 3)
      text.add("median_line_of_sight_probability", capture.probability, places: 4)
      text.add("line_of_sight_accuracy", capture.accuracy, places: 4)
      text.add("delay", capture.bias?.delay.name)
      text.add("features", capture.bias?.name)
      text.add("lambda", capture.bias?.lambda, places: 6)
      text.add("deviation_lambda", capture.bias?.deviationLambda, places: 6)
      text.add("line_of_sight_features", capture.lineOfSight?.featureSet.rawValue)
      text.add("line_of_sight_lambda", capture.lineOfSight?.lambda, places: 6)
      text.add("odd", capture.oddities.isEmpty ? nil : capture.oddities.joined(separator: "; "))
      text.end()
      try output.write { $0.append(contentsOf: text.bytes) }
    }
    for method in figures.methods {
      text.begin()
      text.add("event", "method")
      text.add("method", method.name)
      text.add("exchanges", method.errors.count)
      text.add("rms_error_m", method.rms, places: 4)
      text.add("median_absolute_error_m", method.medianAbsolute, places: 4)
      text.end()
      try output.write { $0.append(contentsOf: text.bytes) }
    }
    text.begin()
    text.add("event", "summary")
    text.add("captures", exchanges.captures.count)
    text.add("exchanges", exchanges.exchanges)
    text.add("rejected", exchanges.rejected)
    text.add("rms_error_m", figures.methods.last?.rms, places: 4)
    text.add("coverage_1", figures.coverage(1), places: 4)
    text.add("coverage_2", figures.coverage(2), places: 4)
    text.add("median_deviation_m", BiasFigures.median(figures.deviations), places: 4)
    text.add("line_of_sight_auc", figures.roc?.area, places: 4)
    text.add("line_of_sight_accuracy", figures.accuracy, places: 4)
    text.add("unlabelled_line_of_sight_auc", figures.unlabelledROC?.area, places: 4)
    text.add("unlabelled_line_of_sight_accuracy", figures.unlabelledAccuracy, places: 4)
    text.add("shipped_line_of_sight_auc", figures.shippedROC?.area, places: 4)
    text.add("shipped_line_of_sight_accuracy", figures.shippedAccuracy, places: 4)
    text.end()
    try output.write { $0.append(contentsOf: text.bytes) }
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
