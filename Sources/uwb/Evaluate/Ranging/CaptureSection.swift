import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// Distance errors over captures with truth: of each exchange alone, and tracked. Where captures are labelled, what the probability of line
/// of sight makes of the labels.
struct CaptureSection: RangingSection {
  private static let shipped = "shipped, simulated channels only"

  /// Errors of each stage: the rows of one capture, or of all.
  private struct Group {
    var raw = RangingErrors()
    /// Without errors where no calibration changes a distance.
    var calibrated = RangingErrors()
    var delivered = RangingErrors()

    mutating func add(_ other: Group) {
      raw.add(other.raw)
      calibrated.add(other.calibrated)
      delivered.add(other.delivered)
    }

    var stages: [(name: String, errors: RangingErrors)] {
      [("raw", raw), ("calibrated", calibrated), ("delivered", delivered)].filter { !$0.1.errors.isEmpty }
    }
  }

  func applies(to input: RangingEvaluationInput) -> Bool { !input.captures.isEmpty }

  func evaluate(_ input: RangingEvaluationInput) throws -> RangingSectionResult {
    var table = EvaluationTable(
      name: "distance errors", columns: ["capture", "label", "stage"] + RangingErrors.columns)
    var all: [String: Group] = [:]
    var sight = LineOfSightScores()
    var scale = TruthScale()
    var skipped = SkippedCaptures()
    var errors = ReplayErrors()
    for (capture, name) in zip(input.captures, CaptureNames.shortest(input.captures)) {
      var (own, ownErrors) = (sight, errors)
      guard
        let (group, label) = try skipped.using(
          capture, open: input.engine.open, { try measure($0, capture, input, &own, &scale, &ownErrors) })
      else { continue }
      (sight, errors) = (own, ownErrors)
      add(group, name, label, to: &table)
      all[label, default: Group()].add(group)
    }
    scale.warn(input.truthFile)
    try skipped.tell(of: input.captures.count)
    var total = Group()
    for (label, group) in all.sorted(by: { $0.key < $1.key }) {
      if all.count > 1 { add(group, "all", label, to: &table) }
      total.add(group)
    }
    add(total, "all", "all", to: &table)
    let quality = try input.engine.calibration.map(CalibrationFile.read)?.quality
    let isCalibrated = quality?.lineOfSight != nil || quality?.baseline != nil
    let model = isCalibrated ? "calibration" : Self.shipped
    if sight.curve != nil, !isCalibrated {
      Message.note(
        "Line of sight is judged by the model that ships, which was trained on simulated sites only. uwb calibrate bias --unlabelled moves its "
          + "threshold to this site.")
    }
    return RangingSectionResult(
      tables: [table] + sight.tables(model: model), panels: [sight.panel(model: model)].compactMap { $0 },
      errors: errors, sentence: "\(total.raw.errors.count) distances of captures. \(errors.sentence ?? "")")
  }

  private func add(_ group: Group, _ name: String, _ label: String, to table: inout EvaluationTable) {
    for (stage, errors) in group.stages { table.add([.text(name), .text(label), .text(stage)] + errors.cells) }
  }

  private func measure(
    _ reader: any CaptureReader, _ capture: String, _ input: RangingEvaluationInput, _ sight: inout LineOfSightScores,
    _ scale: inout TruthScale, _ errors: inout ReplayErrors
  ) throws -> (group: Group, label: String)? {
    var reader = reader
    var group = Group()
    let known = input.truth?[capture: capture]
    var labels: Set<String> = []
    var started: RangingPipeline?
    try reader.forEach(showing: capture, of: capture) { exchange, header in
      let pipeline =
        try started
        ?? RangingPipeline(input.engine.replayEngine(for: header, file: capture, first: exchange).engine)
      started = pipeline
      let raw = pipeline.measure(exchange)
      let tracked = pipeline.process(raw, of: exchange.pair)
      let truth = known ?? exchange.truth
      if raw.status == .ok { sight.add(raw.lineOfSightProbability, label: truth?.isLineOfSight) }
      if let label = truth?.isLineOfSight { labels.insert(label ? "LOS" : "NLOS") }
      guard let distance = truth?.distance else { return }
      scale.add(truth: distance, measured: raw.rawDistance)
      errors.add(Self.update(raw, tracked, exchange, distance, truth?.isLineOfSight))
      if let value = raw.rawDistance { group.raw.add(value - distance, deviation: raw.rawDistanceDeviation) }
      if let value = raw.calibratedDistance { group.calibrated.add(value - distance, deviation: raw.distanceDeviation) }
      if let value = tracked.distance { group.delivered.add(value - distance, deviation: tracked.distanceDeviation) }
    }
    scale.endCapture()
    guard !group.raw.errors.isEmpty else { return nil }
    return (group, labels.count == 1 ? labels.first ?? "" : labels.isEmpty ? "unlabelled" : "mixed")
  }

  private static func update(
    _ raw: RangingMeasurement, _ tracked: RangingMeasurement, _ exchange: RangingExchange, _ truth: Double,
    _ isLineOfSight: Bool?
  ) -> ReplayReport.Update {
    var update = ReplayReport.Update(peer: "", time: exchange.time)
    (update.rawDistance, update.calibratedDistance) = (raw.rawDistance, raw.calibratedDistance)
    (update.distance, update.distanceDeviation) = (tracked.distance, tracked.distanceDeviation)
    update.chipDistance = exchange.chipReport?.rawDistance ?? exchange.chipReport?.distance
    (update.trueDistance, update.isLineOfSight) = (truth, isLineOfSight)
    return update
  }
}
