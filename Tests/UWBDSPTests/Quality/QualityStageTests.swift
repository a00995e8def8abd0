import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct QualityStageTests {
  private static func model(_ feature: QualityFeature, intercept: Double, coefficient: Double) -> LinearModel {
    LinearModel(
      features: [feature], scaling: FeatureScaling(means: [0], deviations: [10], clip: 100),
      coefficients: [coefficient], intercept: intercept)
  }

  static let calibration = Calibration(
    quality: QualityCalibration(
      delay: DelayMethod.edgeFit.name,
      lineOfSight: LineOfSightModel(logOdds: model(.freeSpacePeak, intercept: -2, coefficient: 1)),
      rangeBias: RangeBiasModel(
        bias: model(.signalToNoise, intercept: 0.3, coefficient: 0),
        logResidual: model(.signalToNoise, intercept: Double.log(0.1), coefficient: 0))))

  @Test(arguments: [RangingExchange.Initiator.peer, .local])
  func everyMeasurementHasAProbability(initiator: RangingExchange.Initiator) throws {
    var random = StatisticsRandom(seed: 5401)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    for method in [DelayMethod.adaptive, .edgeFit, .chip] {
      let engine = RangingEngine(.init(profile: .ideal, delay: method))
      let result = engine.measure(maker.make(using: &random), using: engine.makeWorkspace(tapCount: 320))
      let probability = try #require(result.lineOfSightProbability)
      #expect(probability >= 0 && probability <= 1)
      #expect(result.rangeBias == nil && result.rangeBiasDeviation == nil)
      #expect(result.rawDistance == result.distance)
      #expect(result.rawDistanceDeviation == result.distanceDeviation)
    }
  }

  @Test func aCalibrationCorrectsTheDistanceAndLeavesTheRawOne() throws {
    var random = StatisticsRandom(seed: 5402)
    let exchange = ExchangeMaker().make(using: &random)
    let plain = RangingEngine(.init(profile: .ideal, delay: .edgeFit))
    let engine = RangingEngine(.init(profile: .ideal, delay: .edgeFit, calibration: Self.calibration))
    let raw = plain.measure(exchange, using: plain.makeWorkspace(tapCount: 320))
    let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320))
    #expect(result.rawDistance == raw.distance)
    #expect(abs(try #require(result.rangeBias) - 0.3) < 1e-12)
    // ln 0.1 is the mean of ln|residual|, not of ln σ.
    #expect(abs(try #require(result.rangeBiasDeviation) - 0.1 * Double.exp(0.6351814227307391)) < 1e-12)
    #expect(abs(try #require(result.distance) - (try #require(raw.distance) - 0.3)) < 1e-12)
    #expect(result.distanceDeviation == result.rangeBiasDeviation)
    #expect(result.lineOfSightProbability != raw.lineOfSightProbability)
  }

  @Test func whatIsUnlikeAllTrainingIsSaidToBeUnknown() throws {
    let stage = QualityStage(nil, delay: .edgeFit)
    let model = LineOfSightModel.simulated.linear
    for distance in [0.0, 100] {
      var features: QualityFeatures? = QualityFeatures()
      for (index, feature) in model.features.enumerated() {
        features?[feature] = model.scaling.means[index] + distance * model.scaling.deviations[index]
      }
      var measurement = RangingMeasurement(
        exchange: 0, time: 0, peer: DeviceAddress(rawValue: 1), status: .ok, distance: 3)
      stage.judge(&features, into: &measurement)
      #expect(measurement.isLineOfSightUnknown == (distance > 0))
      let probability = try #require(measurement.lineOfSightProbability)
      #expect((probability == 0.5) == (distance > 0), "\(probability)")
    }
  }

  /// The same CIR at the same distance, where a clear first path is as strong as this one, and where it is 20 dB stronger.
  @Test func aSitesBaselineMovesTheThreshold() throws {
    var random = StatisticsRandom(seed: 5404)
    let exchange = ExchangeMaker().make(using: &random)
    func probability(_ baseline: SignalBaseline?) throws -> (Double, QualityFeatures) {
      let calibration = Calibration(quality: QualityCalibration(baseline: baseline))
      let engine = RangingEngine(.init(profile: .ideal, delay: .edgeFit, calibration: calibration))
      let workspace = engine.makeWorkspace(tapCount: 320)
      let result = engine.measure(exchange, using: workspace)
      return (try #require(result.lineOfSightProbability), try #require(workspace.qualityFeatures))
    }
    let features = try probability(nil).1
    let level = features[.firstPathPower] + features.distancedB
    let clear = try probability(SignalBaseline(levelAtOneMetredB: level)).0
    let weak = try probability(SignalBaseline(levelAtOneMetredB: level + 20)).0
    #expect(clear > weak, "\(clear), \(weak)")
    let saturated = SignalBaseline(levelAtOneMetredB: level + 20, saturationdB: features[.firstPathPower])
    #expect(abs(try probability(saturated).0 - clear) < 1e-9)
  }

  @Test func anotherEstimatorsBiasIsNotUsed() {
    var random = StatisticsRandom(seed: 5403)
    let engine = RangingEngine(.init(profile: .ideal, delay: .pulseFit, calibration: Self.calibration))
    let result = engine.measure(
      ExchangeMaker().make(using: &random), using: engine.makeWorkspace(tapCount: 320))
    #expect(result.rangeBias == nil)
    #expect(result.lineOfSightProbability != nil)
  }

  /// ∫ ln|x| of a normal density of deviation 1, by the midpoint rule.
  @Test func theLogarithmsOffsetIsThatOfANormalVariable() {
    var sum = 0.0
    let step = 1e-4
    for index in 0..<100_000 {
      let x = (Double(index) + 0.5) * step
      sum += 2 * Double.log(x) * Double.exp(-x * x / 2) / (2 * Double.pi).squareRoot() * step
    }
    #expect(abs(sum + RangeBiasModel.logarithmOffset) < 1e-4)
  }

  @Test func trackingUsesTheCorrectedDistanceAndDoesNotAverageABiasAway() {
    var tracker = PeerTracker()
    var last: PeerTracker.Output?
    for index in 0..<200 {
      last = tracker.update(
        RangingMeasurement(
          exchange: index, time: 0.1 * Double(index), peer: DeviceAddress(rawValue: 1), status: .ok, distance: 4.5,
          distanceDeviation: 0.25, rawDistance: 5, rawDistanceDeviation: 0.02, lineOfSightProbability: 0.1,
          rangeBias: 0.5, rangeBiasDeviation: 0.25))
    }
    #expect(abs((last?.measurement.distance ?? 0) - 4.5) < 1e-6)
    #expect((last?.measurement.distanceDeviation ?? 0) >= 0.25)
  }
}
