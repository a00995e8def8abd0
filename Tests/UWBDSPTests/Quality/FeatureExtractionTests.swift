import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct FeatureExtractionTests {
  private let extraction = FeatureExtraction(pulse: .standard)

  private func prepared(_ samples: [Complex<Float>]) -> PreparedTaps {
    let taps = PreparedTaps(tapCount: samples.count)
    taps.load(ChannelImpulseResponse(samples), antenna: 0)
    return taps
  }

  private func path(_ delay: Double, _ amplitude: Complex<Double> = .one) -> PathEstimate {
    PathEstimate(delayTaps: delay, amplitude: amplitude, deviationTaps: 0.1, phaseDeviation: 0.1)
  }

  /// Random channels, the first path anywhere, windows cut by either end of the accumulator.
  @Test func everyFeatureIsWhatItsDefinitionSays() {
    var random = StatisticsRandom(seed: 5101)
    let workspace = extraction.makeWorkspace()
    for trial in 0..<60 {
      let count = [200, 320, 1016][trial % 3]
      let first = trial % 5 == 0 ? random.uniform(0...12) : random.uniform(20...Double(count - 10))
      var paths: [NaivePath] = []
      for index in 0..<Int(random.uniform(1...9)) {
        paths.append(
          NaivePath(
            delayTaps: first + (index == 0 ? 0 : random.uniform(1...60)), powerdB: random.uniform(15...40),
            phase: random.uniform(0...6)))
      }
      let samples = NaiveImpulseResponse.samples(paths, tapCount: count, using: &random)
      let taps = prepared(samples)
      let found = path(first + random.uniform(-0.3...0.3), paths[0].amplitude)
      let features = extraction.features(of: taps, firstPath: found, using: workspace)
      let naive = NaiveQualityFeatures.features(
        samples, firstPath: found, noiseVariance: taps.noiseVariance, pulse: .standard)
      for feature in QualityFeatureSet.all.features {
        let expected = naive[feature] ?? .nan
        // Single precision sums, and a pulse from a table that is right to 10⁻⁵.
        let tolerance = 2e-3 + 1e-4 * abs(expected)
        #expect(
          abs(features[feature] - expected) < tolerance,
          "seed 5101, trial \(trial), \(feature): \(features[feature]), by definition \(expected)")
      }
    }
  }

  @Test func featuresHaveDistinctPlaces() {
    #expect(Set(QualityFeature.allCases.map(\.index)).count == QualityFeature.allCases.count)
    #expect(QualityFeature.allCases.allSatisfy { (0..<32).contains($0.index) })
    #expect(!QualityFeatureSet.relative.features.contains { [.peak, .noise, .energy, .freeSpacePeak].contains($0) })
  }

  /// Ten times the amplitude: 20 dB more power, and nothing else.
  @Test func scaleMovesOnlyPowers() {
    var random = StatisticsRandom(seed: 5102)
    let workspace = extraction.makeWorkspace()
    let list = [NaivePath(delayTaps: 100.3, powerdB: 30, phase: 1), NaivePath(delayTaps: 109, powerdB: 34, phase: 2)]
    let samples = NaiveImpulseResponse.samples(list, tapCount: 320, using: &random)
    let one = extraction.features(of: prepared(samples), firstPath: path(100.3), using: workspace)
    let ten = extraction.features(
      of: prepared(samples.map { $0 * Complex(10) }), firstPath: path(100.3, Complex(10)), using: workspace)
    let powers: Set<QualityFeature> = [.peak, .noise, .energy, .freeSpacePeak, .firstPathPower]
    for feature in QualityFeature.allCases {
      let moved = ten[feature] - one[feature]
      #expect(abs(moved - (powers.contains(feature) ? 20 : 0)) < 1e-3, "\(feature) moved by \(moved)")
    }
  }

  /// The accumulator's start means nothing: all moves along.
  @Test func placeInTheAccumulatorDoesNotMatter() {
    var random = StatisticsRandom(seed: 5103)
    let workspace = extraction.makeWorkspace()
    let list = [NaivePath(delayTaps: 500.3, powerdB: 30, phase: 1), NaivePath(delayTaps: 512, powerdB: 31, phase: 2)]
    let samples = NaiveImpulseResponse.samples(list, tapCount: 1016, using: &random)
    let shift = 37
    let moved = Array(samples[shift...] + samples[..<shift])
    let here = prepared(samples)
    let there = prepared(moved)
    let one = extraction.features(of: here, firstPath: path(500.3), using: workspace)
    let other = extraction.features(of: there, firstPath: path(500.3 - Double(shift)), using: workspace)
    // The noise floor is that of the blocks before the signal, which are others now.
    #expect(abs(one[.noise] - other[.noise]) < 1)
    for feature in QualityFeatureSet.relative.features {
      let bound = [.meanExcessDelay, .delaySpread, .firstPathShare].contains(feature) ? 0.1 : 1e-3
      #expect(abs(one[feature] - other[feature]) < bound, "\(feature)")
    }
  }

  /// One path and no noise: everything is known beforehand.
  @Test func onePathIsClean() {
    var random = StatisticsRandom(seed: 5104)
    let amplitude = Complex<Double>(length: 100, phase: 0.7)
    let samples = NaiveImpulseResponse.samples(
      [NaivePath(delayTaps: 150, amplitude: amplitude)], tapCount: 400, noiseVariance: 0, using: &random)
    let features = extraction.features(
      of: prepared(samples), firstPath: path(150, amplitude), using: extraction.makeWorkspace())
    #expect(abs(features[.peak] - 40) < 1e-4)
    #expect(abs(features[.firstPathToPeak]) < 1e-4)
    #expect(features[.peakLag] == 0)
    #expect(features[.pathCount] == 1)
    #expect(features[.fitResidual] < 1e-6)
    #expect(abs(features[.meanExcessDelay]) < 0.01)
    #expect(features[.edgeAt50Percent] < 0 && features[.edgeAt50Percent] > -2)
    var near = features
    near.setDistance(10)
    #expect(abs(near[.freeSpacePeak] - 60) < 1e-4)
    near.setDistance(-3)
    #expect(abs(near[.freeSpacePeak] - (40 + 20 * Double.log10(0.3))) < 1e-4)
  }

  @Test func featuresAreFiniteAtTheAccumulatorsEnds() {
    var random = StatisticsRandom(seed: 5105)
    let workspace = extraction.makeWorkspace()
    for delay in [-3.0, 0, 0.4, 5, 195, 199, 203] {
      let samples = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: delay, powerdB: 30, phase: 0)], tapCount: 200, using: &random)
      let features = extraction.features(of: prepared(samples), firstPath: path(delay), using: workspace)
      for feature in QualityFeature.allCases { #expect(features[feature].isFinite, "\(feature) at \(delay)") }
    }
  }

  @Test func theMeanOfTwoReceptionsIsTheirMean() {
    var (one, other) = (QualityFeatures(), QualityFeatures())
    one[.kurtosis] = 2
    other[.kurtosis] = 5
    other.reportedPower = ReportedPower(total: -80, firstPath: -86)
    var mean = one
    mean.average(with: other)
    #expect(mean[.kurtosis] == 3.5)
    #expect(mean.reportedPower == other.reportedPower)
    one.reportedPower = ReportedPower(total: -82, firstPath: -84)
    one.average(with: other)
    #expect(one.reportedPower == ReportedPower(total: -81, firstPath: -85))
  }
}
