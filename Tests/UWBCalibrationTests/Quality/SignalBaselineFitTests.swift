import Numerics
import TestSupport
import Testing
import UWBCalibration
import UWBDSP

@Suite struct SignalBaselineFitTests {
  /// Places at 1 to 10 m, half of them behind something; levels of a receiver that saturates.
  private static func places(
    _ count: Int, levelAtOneMetre level: Double, saturation: Double?, isNormalised: Bool = false, seed: UInt64
  ) -> [QualitySample] {
    var random = StatisticsRandom(seed: seed)
    return (0..<count).map { place in
      let distance = Double.pow(10, random.uniform())
      let isClear = place % 2 == 0
      let loss = isClear ? random.gaussian() : max(11 + 5 * random.gaussian(), 0)
      var features = QualityFeatures()
      features[.firstPathPower] =
        isNormalised
        ? 20 + random.gaussian() : min(level - 20 * Double.log10(distance) - loss, saturation ?? .infinity)
      features[.peak] = features[.firstPathPower]
      for (feature, value) in zip(
        LineOfSightModel.simulated.linear.features, LineOfSightModel.simulated.linear.scaling.means)
      { features[feature] = value }
      // The shape tells little.
      features[.firstPathShare] += isClear ? 2 : -2
      features.setDistance(distance)
      return QualitySample(group: place, features: features, distance: distance, isLineOfSight: isClear)
    }
  }

  @Test(arguments: [UInt64(1), 2], [nil, 36.0])
  func theLevelIsFoundWithoutLabels(seed: UInt64, saturation: Double?) throws {
    let level = 46.0
    let samples = Self.places(40, levelAtOneMetre: level, saturation: saturation, seed: 5620 + seed)
    let baseline = try #require(SignalBaselineFit().fit(samples))
    // 20 clear places of deviation 1 dB on a grid of 0.5 dB, and the obstructed ones pull.
    #expect(abs(baseline.levelAtOneMetredB - level) < 2, "\(baseline)")
    if let saturation { #expect(abs((baseline.saturationdB ?? .infinity) - saturation) < 1.5, "\(baseline)") }
    func right(_ baseline: SignalBaseline?) -> Double {
      let judged = samples.map { sample in
        var features = sample.features
        features.setSiteOdds(baseline)
        return (features[.siteOdds] > 0) == sample.isLineOfSight
      }
      return Double(judged.count { $0 }) / Double(judged.count)
    }
    #expect(right(baseline) > 0.85, "\(right(baseline)), by the shape \(right(nil))")
  }

  /// A capture whose levels are normalised says nothing of losses.
  @Test func normalisedAmplitudesGiveNoBaseline() {
    let samples = Self.places(40, levelAtOneMetre: 0, saturation: nil, isNormalised: true, seed: 5630)
    #expect(SignalBaselineFit().fit(samples) == nil)
  }

  @Test func fewPlacesGiveNoBaseline() {
    let samples = Self.places(
      SignalBaselineFit.minimumPlaceCount - 1, levelAtOneMetre: 46, saturation: nil, seed: 5631)
    #expect(SignalBaselineFit().fit(samples) == nil)
    #expect(SignalBaselineFit().fit([]) == nil)
  }
}
