import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBDSP

/// What every threshold and subtraction estimator does with input that holds no path, or hardly any taps.
@Suite struct ThresholdBehaviourTests {
  private static func check<Estimator: DelayEstimator>(_ estimator: Estimator) {
    func samples(_ count: Int, _ value: (Int) -> Complex<Float>) -> ChannelImpulseResponse {
      ChannelImpulseResponse((0..<count).map(value))
    }
    #expect(estimator.estimate(samples(1016) { _ in .zero }).status == .emptyImpulseResponse)
    #expect(
      estimator.estimate(samples(1016) { Complex($0 == 500 ? .nan : 1, 0) }).status == .emptyImpulseResponse)

    var generator = TrialGenerator(seed: 51)
    for count in Array(1...40) + [63, 64, 65, 127, 128, 129] {
      for peak in [0, count / 2, count - 1] {
        let response = samples(count) {
          let noise = generator.complexNormal()
          return Complex(Float(noise.rawStorage.x) + ($0 == peak ? 30 : 0), Float(noise.rawStorage.y))
        }
        let estimate = estimator.estimate(response)
        #expect(estimate.paths.isEmpty == (estimate.status == .noFirstPath), "\(count) taps, \(estimate.status)")
        #expect(
          estimate.paths.allSatisfy {
            $0.delayTaps.isFinite && $0.deviationTaps.isFinite && $0.phaseDeviation.isFinite
          }, "\(count) taps")
      }
    }

    let workspace = estimator.makeWorkspace(tapCount: 1016)
    let taps = PreparedTaps(tapCount: 1016)
    var dirty = DelayEstimate()
    for trial in 0..<40 {
      let power = trial % 3 == 0 ? -60.0 : 0
      let drawn = PathTrial.make(
        [TrialPath(0, 0), TrialPath(5, power)], snrdB: Double(5 + trial), using: &generator)
      taps.load(drawn.response, antenna: 0)
      estimator.estimate(taps, into: &dirty, using: workspace)
      #expect(dirty == estimator.estimate(drawn.response), "trial \(trial)")
    }

    var found = 0
    for _ in 0..<60 {
      let noise = samples(1016) { _ in
        let value = generator.complexNormal()
        return Complex(Float(value.rawStorage.x), Float(value.rawStorage.y))
      }
      if estimator.estimate(noise).status != .noFirstPath { found += 1 }
    }
    // At most the rate that a search admits for presence.
    let most = StatisticsLimits.binomial(probability: FirstPathSearch.presence, trials: 60).upperBound
    #expect(found <= most, "\(found) of 60")
  }

  @Test func leadingEdge() {
    for rule in LeadingEdgeTests.rules { Self.check(LeadingEdge(threshold: rule)) }
  }
  @Test func jumpBack() { Self.check(JumpBackSearchForward()) }
  @Test func serialBackward() { Self.check(SerialBackwardSearch()) }
  @Test func searchSubtract() { Self.check(SearchSubtract()) }
  @Test func searchSubtractReadjust() { Self.check(SearchSubtractReadjust()) }
  @Test func clean() { Self.check(Clean()) }
}
