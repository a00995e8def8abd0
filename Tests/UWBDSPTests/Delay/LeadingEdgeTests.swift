import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct LeadingEdgeTests {
  static let rules: [EdgeThreshold] = [
    .noiseMultiple(6), .relativeToPeak(0.3), .falseAlarmRate(1e-6), .firstMaximum(0.5),
  ]

  @Test(arguments: rules)
  func lonePathIsUnbiasedWithAnHonestDeviation(_ rule: EdgeThreshold) {
    let score = PathScore(LeadingEdge(threshold: rule), [TrialPath(0, 0)], snrdB: 28, trials: 300, seed: 11)
    #expect(score.missed == 0 && score.early == 0, "\(score)")
    #expect(abs(score.bias) < 0.25 * score.rmse, "\(score)")
    #expect((0.8...1.3).contains(score.normalisedVariance), "\(score)")
    #expect((1.7...2.4).contains(score.ratio), "\(score)")
  }

  @Test(arguments: rules)
  func anAsymmetricPulseIsUnbiasedToo(_ rule: EdgeThreshold) {
    let score = PathScore(
      LeadingEdge(ReceiverModel(pulse: .dw1000), threshold: rule), [TrialPath(0, 0)], snrdB: 40, trials: 60, seed: 12,
      pulse: .dw1000)
    #expect(abs(score.bias) < 0.02 && score.rmse < 0.04, "\(score)")
  }

  @Test func rawCrossingLiesOnTheSlope() {
    let pulse = PulseShape.standard
    let score = PathScore(
      LeadingEdge(threshold: .firstMaximum(0.5), compensatesSlope: false), [TrialPath(0, 0)], snrdB: 45, trials: 50,
      seed: 13)
    // p falls to one half there.
    #expect(abs(pulse(score.bias * UWB.tap) - 0.5) < 0.005, "\(score)")
  }

  @Test func relativeThresholdIsBlindToAWeakFirstPath() {
    let paths = [TrialPath(0, -10), TrialPath(6, 0), TrialPath(9, 0)]
    let blind = PathScore(LeadingEdge(threshold: .relativeToPeak(0.5)), paths, snrdB: 30, trials: 50, seed: 14)
    #expect(blind.bias > 4, "\(blind)")
    let sees = PathScore(LeadingEdge(threshold: .falseAlarmRate(1e-6)), paths, snrdB: 30, trials: 50, seed: 14)
    #expect(sees.rmse < 0.2, "\(sees)")
  }

  @Test func withoutTheMarginASideLobeIsTheFirstPath() {
    let path = [TrialPath(0, 0)]
    let plain = LeadingEdge(threshold: .noiseMultiple(6), sideLobeMargin: 0)
    let score = PathScore(plain, path, snrdB: 40, trials: 50, seed: 15)
    #expect(score.early == 50, "\(score)")
    let guarded = PathScore(LeadingEdge(threshold: .noiseMultiple(6)), path, snrdB: 40, trials: 50, seed: 15)
    #expect(guarded.early == 0 && guarded.rmse < 0.05, "\(guarded)")
  }

  @Test func anOverlappingPathBendsTheEdge() {
    let score = PathScore(LeadingEdge(), [TrialPath(0, 0), TrialPath(1.5, 3)], snrdB: 30, trials: 100, seed: 16)
    #expect(score.ratio > 3, "\(score)")
  }

  @Test func noiseAlonePassesAsOftenAsStated() {
    let rate = 0.1
    var generator = TrialGenerator(seed: 17)
    let estimator = LeadingEdge(threshold: .falseAlarmRate(rate), sideLobeMargin: 0)
    var found = 0
    let trials = 400
    for _ in 0..<trials {
      let noise = (0..<1016).map { _ -> Complex<Float> in
        let value = generator.complexNormal()
        return Complex(Float(value.rawStorage.x), Float(value.rawStorage.y))
      }
      if estimator.estimate(ChannelImpulseResponse(noise)).firstPath != nil { found += 1 }
    }
    // The crossing rate counts crossings, of which a clump has several, and σ² is an estimate: a factor of two.
    #expect((20...80).contains(found), "\(found) of \(trials)")
  }
}

@Suite struct PulseSlopeTests {
  @Test func crossingInvertsThePulse() {
    let slope = PulseSlope(.standard, tapSpacing: UWB.tap)
    for step in 1...18 {
      let distance = 0.1 * Double(step)
      let level = PulseShape.standard(-distance * UWB.tap)
      #expect(abs(slope.crossing(at: level).distance - distance) < 1e-3, "\(distance) taps")
    }
    #expect(slope.crossing(at: 1).distance == 0)
    #expect(slope.crossing(at: 2).distance == 0)
  }

  @Test func aPeakIsNoSideLobeOfAnEqualOne() {
    let slope = PulseSlope(.standard, tapSpacing: UWB.tap)
    let taps = PreparedTaps(tapCount: 64)
    var samples = [Complex<Float>](repeating: .zero, count: 64)
    samples[40] = Complex(1, 0)
    taps.load(ChannelImpulseResponse(samples), antenna: 0)
    #expect(!slope.isSideLobe(1, near: 37, of: taps, margin: 2))
    #expect(slope.isSideLobe(0.01, near: 37, of: taps, margin: 2))
    #expect(!slope.isSideLobe(0.01, near: 41, of: taps, margin: 2))
    #expect(!slope.isSideLobe(0.01, near: 63, of: taps, margin: 2))
  }
}
