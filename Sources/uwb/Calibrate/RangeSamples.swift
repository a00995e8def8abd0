import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP

/// Distances of captures with known truth, as the engine measures them without a delay calibration.
struct RangeSamples {
  struct Capture {
    /// File name, with as many folders as tell it from the others.
    var name: String
    /// `LOS`, `NLOS`, or nothing where no label is known.
    var label: String
  }

  private(set) var captures: [Capture] = []
  private(set) var samples: [DelayCalibrationFit.Sample] = []
  private(set) var origin = OriginRecord()
  /// Of each of `captures`: its number in `samples`.
  private(set) var numbers: [Int] = []

  /// - Throws: `CaptureError` for a capture that can't be read, or has no distance with a truth.
  init(_ paths: [String], truth: TruthTable?, engine options: EngineOptions) throws {
    var skipped = SkippedCaptures()
    let names = CaptureNames.shortest(paths)
    var scale = TruthScale()
    for (index, path) in paths.enumerated() {
      let known = truth?[capture: path]
      let count = samples.count
      var isLineOfSight: Bool?
      var record = origin
      let isUsed: Void? = try skipped.using(path, open: options.input.open) { reader in
        try Self.read(reader, path, options, known, &record) { exchange, measurement in
          let own = known ?? exchange.truth
          guard let distance = own?.distance, let measured = measurement.rawDistance,
            let deviation = measurement.rawDistanceDeviation
          else { return }
          isLineOfSight = own?.isLineOfSight
          scale.add(truth: distance, measured: measured)
          samples.append(
            DelayCalibrationFit.Sample(
              capture: index, local: exchange.local, peer: exchange.peer, error: measured - distance,
              deviation: deviation, powerdBm: exchange.localReceivedPowerdBm, isLineOfSight: isLineOfSight,
              trueDistance: distance))
        }
        return samples.count > count ? () : nil
      }
      scale.endCapture()
      guard isUsed != nil else {
        samples.removeSubrange(count...)
        continue
      }
      origin = record
      captures.append(Capture(name: names[index], label: isLineOfSight.map { $0 ? "LOS" : "NLOS" } ?? ""))
      numbers.append(index)
    }
    scale.warn(nil)
    try skipped.tell(of: paths.count)
  }

  /// Captures, as places in `captures`, that are left out together.
  var groups: [[Int]] {
    DelayCalibrationFit.groups(of: samples).map { $0.compactMap { numbers.firstIndex(of: $0) } }
  }

  /// Measures an opened capture's exchanges without a delay calibration.
  static func read(
    _ reader: any CaptureReader, _ path: String, _ options: EngineOptions, _ known: GroundTruth?,
    _ origin: inout OriginRecord,
    _ body: (RangingExchange, RangingMeasurement) -> Void
  ) throws {
    var reader = reader
    try origin.begin(path)
    var pipeline: RangingPipeline?
    try reader.forEach(showing: path, of: path) { exchange, header in
      if pipeline == nil {
        var configuration = try options.engine(for: header, file: path).configuration
        configuration.calibration.delay = nil
        origin.set(configuration)
        pipeline = RangingPipeline(RangingEngine(configuration), tracking: nil)
      }
      origin.add(exchange, truth: known ?? exchange.truth)
      if let measurement = pipeline?.measure(exchange) { body(exchange, measurement) }
    }
  }

  /// Errors of one capture before a calibration and under it.
  ///
  /// - Parameter probability: what the calibration is told of line of sight, 0 … 1.
  func errors(
    of capture: Int, under calibration: DelayCalibration, lineOfSightProbability probability: Double?
  ) -> (before: RangingErrors, after: RangingErrors) {
    var before = RangingErrors()
    var after = RangingErrors()
    for sample in samples where sample.capture == numbers[capture] {
      before.add(sample.error, deviation: sample.deviation)
      let bias = calibration.bias(
        local: sample.local, peer: sample.peer, powerdBm: sample.powerdBm, lineOfSightProbability: probability)
      after.add(sample.error, deviation: sample.deviation, without: bias)
    }
    return (before, after)
  }

  /// What the calibration may know of a capture's line of sight: its label.
  func probability(of capture: Int) -> Double? {
    switch captures[capture].label {
    case "LOS": 1
    case "NLOS": 0
    default: nil
    }
  }
}
