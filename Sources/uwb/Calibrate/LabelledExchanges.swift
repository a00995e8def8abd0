import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP

/// Labelled captures as `uwb calibrate bias` learns from them: features of every exchange by each first-path estimator.
struct LabelledExchanges {
  /// What the chip itself says of an exchange.
  struct Chip {
    var distance: Double?
    /// Received power, first path's power, their difference, preamble count, noise threshold: means of the receptions;
    /// not finite where absent.
    var features: [Double]

    static let featureCount = 5
  }

  private(set) var captures: [String] = []
  private(set) var methods: [DelayMethod] = []
  /// The same exchanges in the same order for each of `methods`.
  private(set) var samples: [[QualitySample]] = []
  private(set) var chip: [Chip] = []
  /// Exchanges that an estimator made no distance of, by reason; not learnt from.
  private(set) var rejected: [String: Int] = [:]
  private(set) var exchanges = 0
  private(set) var scale = TruthScale()
  private(set) var origin = OriginRecord()
  private(set) var signal: NominalSignal?

  /// - Parameter methods: the estimators to choose from; empty for the radio's own and the chip's.
  ///   - truth: `nil` asks for none.
  /// - Throws: `CaptureError` for a capture that can't be read or of which nothing is true.
  mutating func add(
    _ capture: String, name: String, truth: TruthTable?, methods asked: [DelayMethod], options: EngineOptions
  ) throws {
    var reader = try options.input.open(capture)
    try origin.begin(capture)
    let group = captures.count
    captures.append(name)
    let known = truth?[capture: capture]
    var stages: [RangingPipeline] = []
    try reader.forEach(showing: name, of: capture) { exchange, header in
      if stages.isEmpty { stages = try self.stages(header, capture, asked, options) }
      let distance = known?.distance ?? exchange.truth?.distance
      guard distance != nil || truth == nil else {
        throw CaptureError(
          file: capture, problem: "its true distance is not known",
          remedy: "Name it in the truth table that --truth gives: capture,distance_m,label.")
      }
      exchanges += 1
      origin.add(exchange, truth: known ?? exchange.truth)
      take(
        exchange, group: group, distance: distance,
        isLineOfSight: known?.isLineOfSight ?? exchange.truth?.isLineOfSight,
        stages)
    }
    scale.endCapture()
  }

  private mutating func stages(
    _ header: CaptureHeader, _ capture: String, _ asked: [DelayMethod], _ options: EngineOptions
  ) throws -> [RangingPipeline] {
    let base = try options.engine(for: header, file: capture).configuration
    origin.set(base)
    signal = base.profile.signal
    let wanted = asked.isEmpty ? [base.profile.delay, .chip] : asked
    if methods.isEmpty {
      methods = wanted
      samples = wanted.map { _ in [] }
    }
    guard methods == wanted else {
      throw CaptureError(
        file: capture, problem: "it is of another radio than the captures before it",
        remedy: "Calibrate each kind of radio on its own.")
    }
    return methods.map { method in
      var configuration = base
      configuration.delay = method
      // What is learnt is the raw distance's bias, what the peer's chip missed included, as where it is taken off.
      configuration.calibration.quality = nil
      configuration.profile.missesFirstPaths = false
      return RangingPipeline(RangingEngine(configuration), tracking: nil)
    }
  }

  private mutating func take(
    _ exchange: RangingExchange, group: Int, distance: Double?, isLineOfSight: Bool?,
    _ stages: [RangingPipeline]
  ) {
    var found: [QualitySample] = []
    for stage in stages {
      let measurement = stage.measure(exchange)
      guard let measured = measurement.rawDistance, let features = stage.workspace.qualityFeatures else {
        let isFallback = measurement.fallback != nil
        let reason =
          isFallback ? "fallback" : measurement.status == .ok ? "noImpulseResponse" : measurement.status.rawValue
        rejected[reason, default: 0] += 1
        return
      }
      found.append(
        QualitySample(
          group: group, features: features, distance: measured, trueDistance: distance, isLineOfSight: isLineOfSight))
    }
    scale.add(truth: distance, measured: found.first?.distance)
    for index in found.indices { samples[index].append(found[index]) }
    chip.append(Self.chip(exchange))
  }

  private static func chip(_ exchange: RangingExchange) -> Chip {
    let receptions = exchange.receptionsWithImpulseResponse
    func mean(_ value: (Reception) -> Double?) -> Double {
      let values = receptions.compactMap(value).filter(\.isFinite)
      return values.isEmpty ? .nan : values.reduce(0, +) / Double(values.count)
    }
    let received = mean(\.receivedPowerdBm)
    let firstPath = mean(\.firstPathPowerdBm)
    return Chip(
      distance: exchange.chipReport?.distance,
      features: [
        received, firstPath, received - firstPath, mean { $0.preambleCount.map(Double.init) },
        mean { $0.noiseThreshold.map(Double.init) },
      ])
  }
}
