import UWBCalibration
import UWBDSP
import UWBReport

/// Every capture scored by a delay calibration that has not seen it: neither its distances nor in any choice.
struct DelayCrossValidation {
  /// How one capture came out.
  struct Row {
    var capture: Int
    var before: RangingErrors
    /// With the curve of its own label.
    var after: RangingErrors
    /// As if nothing were known of its line of sight; `nil` where that is the same.
    var asLineOfSight: RangingErrors?
  }

  let samples: RangeSamples
  private(set) var rows: [Row] = []

  /// - Returns: `nil` where there are fewer than two captures.
  init?(_ samples: RangeSamples, fit: DelayCalibrationFit) {
    self.samples = samples
    guard samples.captures.count > 1 else { return nil }
    let groups = samples.groups
    let ticker = TrialTicker(label: "left out", total: groups.count, unit: "groups")
    defer { ticker.finish() }
    for group in groups {
      defer { ticker.add(1) }
      let left = Set(group.map { samples.numbers[$0] })
      guard let calibration = fit.calibration(of: samples.samples.filter { !left.contains($0.capture) }) else {
        continue
      }
      for capture in group { add(capture, calibration) }
    }
    guard !rows.isEmpty else { return nil }
    rows.sort { $0.capture < $1.capture }
  }

  private mutating func add(_ capture: Int, _ calibration: DelayCalibration) {
    let probability = samples.probability(of: capture)
    let own = samples.errors(of: capture, under: calibration, lineOfSightProbability: probability)
    var row = Row(capture: capture, before: own.before, after: own.after)
    if probability == 0 {
      row.asLineOfSight = samples.errors(of: capture, under: calibration, lineOfSightProbability: nil).after
    }
    rows.append(row)
  }

  /// Each capture, then all by label: before, and after with the capture left out.
  var table: EvaluationTable {
    var table = EvaluationTable(
      name:
        "antenna delays and power bias, each \(samples.groups.count < samples.captures.count ? "pair" : "capture") left out in turn",
      columns: ["capture", "label", "stage"] + RangingErrors.columns)
    var labels: [String: Row] = [:]
    for row in rows {
      let capture = samples.captures[row.capture]
      Self.add(row, capture.name, capture.label, to: &table)
      var sum = labels[capture.label] ?? Row(capture: 0, before: RangingErrors(), after: RangingErrors())
      sum.before.add(row.before)
      sum.after.add(row.after)
      if let blind = row.asLineOfSight {
        var errors = sum.asLineOfSight ?? RangingErrors()
        errors.add(blind)
        sum.asLineOfSight = errors
      }
      labels[capture.label] = sum
    }
    for (label, row) in labels.sorted(by: { $0.key < $1.key }) { Self.add(row, "all", label, to: &table) }
    return table
  }

  private static func add(_ row: Row, _ name: String, _ label: String, to table: inout EvaluationTable) {
    func add(_ stage: String, _ errors: RangingErrors) {
      table.add([.text(name), .text(label), .text(stage)] + errors.cells)
    }
    add("raw", row.before)
    add("calibrated", row.after)
    if let blind = row.asLineOfSight { add("calibrated as LOS", blind) }
  }

  /// Over all captures.
  var sentence: String? {
    var (before, after) = (RangingErrors(), RangingErrors())
    for row in rows {
      before.add(row.before)
      after.add(row.after)
    }
    guard let raw = before.statistics?.rms, let held = after.statistics?.rms else { return nil }
    return
      "The error is \(String(decimal: raw, places: 3)) m rms before and \(String(decimal: held, places: 3)) m after, held out."
  }

  var panel: Panel {
    var samples: [DistributionPicture.Sample] = []
    for label in Set(self.samples.captures.map(\.label)).sorted() {
      var (before, after) = (RangingErrors(), RangingErrors())
      for row in rows where self.samples.captures[row.capture].label == label {
        before.add(row.before)
        after.add(row.after)
      }
      let suffix = label.isEmpty ? "" : ", \(label)"
      samples += [before.sample("raw\(suffix)"), after.sample("calibrated\(suffix)")]
    }
    var panel = DistributionPicture(title: "", samples: samples).panel
    panel.title = "Antenna delays and power bias, held out"
    return panel
  }
}
