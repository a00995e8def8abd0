import UWBCalibration
import UWBDSP
import UWBReport

/// Probabilities of line of sight beside the labels of their captures: how well the one tells the other.
struct LineOfSightScores {
  private var scores: [Double] = []
  private var labels: [Bool] = []

  mutating func add(_ probability: Double?, label: Bool?) {
    guard let probability, probability.isFinite, let label else { return }
    scores.append(probability)
    labels.append(label)
  }

  /// `nil` unless both labels are there.
  var curve: ReceiverOperatingCurve? { ReceiverOperatingCurve(scores: scores, labels: labels) }

  /// Share of exchanges whose probability is on its label's side of `threshold`.
  func accuracy(threshold: Double = 0.5) -> Double {
    Double(zip(scores, labels).count { ($0 > threshold) == $1 }) / Double(max(scores.count, 1))
  }

  /// Shares of exchanges with each label whose probability exceeds `threshold`.
  private func found(threshold: Double) -> (lineOfSight: Double, obstructed: Double) {
    func share(_ label: Bool) -> Double {
      let own = zip(scores, labels).filter { $0.1 == label }
      return Double(own.count { $0.0 > threshold }) / Double(max(own.count, 1))
    }
    return (share(true), share(false))
  }

  /// The area under the curve and what is right at even odds; then the curve itself, threshold by threshold.
  func tables(model: String) -> [EvaluationTable] {
    guard let curve else { return [] }
    let (clear, blocked) = found(threshold: 0.5)
    var summary = EvaluationTable(
      name: "line of sight",
      columns: ["model", "los_exchanges", "nlos_exchanges", "auc", "accuracy", "los_found", "nlos_taken_for_los"])
    summary.add([
      .text(model), .count(labels.count { $0 }), .count(labels.count { !$0 }), .number(curve.area, places: 3),
      .number(accuracy(), places: 3), .number(clear, places: 3), .number(blocked, places: 3),
    ])
    var points = EvaluationTable(
      name: "line of sight: receiver operating characteristic",
      columns: ["threshold", "los_found", "nlos_taken_for_los", "accuracy"])
    for step in 0...20 {
      let threshold = Double(step) / 20
      let (clear, blocked) = found(threshold: threshold)
      points.add([
        .number(threshold, places: 2), .number(clear, places: 4), .number(blocked, places: 4),
        .number(accuracy(threshold: threshold), places: 4),
      ])
    }
    return [summary, points]
  }

  func panel(model: String) -> Panel? {
    guard let curve else { return nil }
    let (clear, blocked) = found(threshold: 0.5)
    var panel = ROCPanel.make(title: "Line of sight by the CIRs' shape, against the labels", [(model, curve)])
    panel.series.append(
      Series("at even odds", x: [blocked], y: [clear], ink: .series(1), line: nil, marker: .diamond))
    return panel
  }
}

/// The picture of receiver operating characteristics: LOS that is found over NLOS that is taken for it.
enum ROCPanel {
  static func make(title: String, _ curves: [(name: String, curve: ReceiverOperatingCurve)]) -> Panel {
    var panel = Panel(
      title: title, x: Axis("NLOS taken for LOS", range: 0...1, padding: 0),
      y: Axis("LOS found", range: 0...1, padding: 0), height: 340)
    panel.series = curves.enumerated().map { index, entry in
      let area = (entry.curve.area * 1000).rounded() / 1000
      return Series(
        "\(entry.name) · area \(area)", x: entry.curve.falsePositives, y: entry.curve.truePositives,
        ink: .series(index), line: index == 0 ? .solid : .dashed)
    }
    return panel
  }
}
