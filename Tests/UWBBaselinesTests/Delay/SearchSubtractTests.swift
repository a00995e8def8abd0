import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import UWBBaselines

@Suite struct SearchSubtractTests {
  @Test(arguments: [15.0, 25, 40])
  func lonePathReachesTheBound(snrdB: Double) {
    let score = PathScore(SearchSubtract(), [TrialPath(0, 0)], snrdB: snrdB, trials: 300, seed: 31)
    #expect(score.missed == 0 && score.early == 0, "\(score)")
    #expect(score.ratio < 1.12 && (0.7...1.25).contains(score.normalisedVariance), "\(score)")
  }

  @Test func separatePathsReachTheBound() {
    let score = PathScore(
      SearchSubtract(), [TrialPath(0, -10), TrialPath(6, 0), TrialPath(9, 0), TrialPath(13, 0)], snrdB: 30, trials: 200,
      seed: 32)
    #expect(score.missed == 0 && score.ratio < 1.15, "\(score)")
  }

  @Test func overlappingPathsBiasEachOther() {
    let score = PathScore(SearchSubtract(), [TrialPath(0, 0), TrialPath(2, 0)], snrdB: 25, trials: 100, seed: 33)
    #expect(score.ratio > 3, "\(score)")
  }

  @Test func stopsAtTheGivenNumberOfPaths() {
    var generator = TrialGenerator(seed: 34)
    let paths = (0..<6).map { TrialPath(8 * Double($0) - 40, 0) }
    let trial = PathTrial.make(paths, snrdB: 30, using: &generator)
    for most in [1, 3, 6] {
      let estimate = SearchSubtract(mostPaths: most).estimate(trial.response)
      #expect(estimate.paths.count <= most && estimate.status == .ok)
      #expect(zip(estimate.paths, estimate.paths.dropFirst()).allSatisfy { $0.delayTaps <= $1.delayTaps })
    }
  }
}

@Suite struct SearchSubtractReadjustTests {
  @Test(arguments: [15.0, 25, 40])
  func lonePathReachesTheBound(snrdB: Double) {
    let score = PathScore(SearchSubtractReadjust(), [TrialPath(0, 0)], snrdB: snrdB, trials: 300, seed: 35)
    #expect(score.missed == 0 && score.early == 0, "\(score)")
    #expect(score.ratio < 1.12 && (0.7...1.25).contains(score.normalisedVariance), "\(score)")
  }

  @Test func overlappingPathsKeepTheirFirstDelays() {
    let score = PathScore(
      SearchSubtractReadjust(), [TrialPath(0, 0), TrialPath(2, 0)], snrdB: 25, trials: 100, seed: 36)
    #expect(score.ratio > 3, "\(score)")
  }

  @Test func deviationIsTheJointBound() throws {
    var generator = TrialGenerator(seed: 37)
    for _ in 0..<20 {
      let trial = PathTrial.make([TrialPath(0, 0), TrialPath(5, 2)], snrdB: 35, using: &generator)
      let estimate = SearchSubtractReadjust(ReceiverModel(modelError: 0)).estimate(trial.response)
      let path = try #require(estimate.firstPath)
      #expect(estimate.paths.count == 2)
      // The noise floor is itself an estimate.
      #expect(abs(path.deviationTaps / trial.bound().squareRoot() - 1) < 0.3)
    }
  }

  @Test func amplitudesAreSolvedTogether() {
    // The worst of both paths' amplitude errors, over trials in next to no noise.
    func worst(_ estimate: (ChannelImpulseResponse) -> DelayEstimate) -> Double {
      var generator = TrialGenerator(seed: 38)
      var sum = 0.0
      for _ in 0..<40 {
        let trial = PathTrial.make([TrialPath(0, 0), TrialPath(4, 0)], snrdB: 45, using: &generator)
        let paths = estimate(trial.response).paths.sorted { $0.amplitude.lengthSquared > $1.amplitude.lengthSquared }
        let found = paths.prefix(2).sorted { $0.delayTaps < $1.delayTaps }
        sum += zip(found, trial.amplitudes).map { ($0.amplitude - $1).length }.max() ?? 1
      }
      return sum / 40
    }
    let subtracted = worst { SearchSubtract(mostPaths: 2).estimate($0) }
    let readjusted = worst { SearchSubtractReadjust(mostPaths: 2).estimate($0) }
    #expect(readjusted < 0.6 * subtracted, "\(readjusted) against \(subtracted)")
  }
}

@Suite struct MatchedFilterMapTests {
  @Test(arguments: [PulseShape.standard, .dw1000])
  func equalsTheCorrelation(_ pulse: PulseShape) {
    var generator = TrialGenerator(seed: 39)
    let map = MatchedFilterMap(ReceiverModel(pulse: pulse))
    let taps = PreparedTaps(tapCount: 400)
    let trial = PathTrial.make(
      [TrialPath(0, 0), TrialPath(3, -3)], snrdB: 20, tapCount: 400, pulse: pulse, using: &generator)
    taps.load(trial.response, antenna: 0)
    map.load(taps)
    map.filter()
    let energy = (-64..<64).reduce(0.0) { $0 + Double.pow(pulse(Double($1) * UWB.tap), 2) }
    for point in stride(from: map.searched.lowerBound, to: map.searched.upperBound, by: 8) {
      let delay = Double(map.firstTap) + Double(point) / 8
      var sum = Complex<Double>.zero
      for tap in max(0, map.firstTap)..<min(400, map.firstTap + 128) {
        let sample = Complex(Double(taps.taps[2 * tap]), Double(taps.taps[2 * tap + 1]))
        sum += sample * Complex(pulse((Double(tap) - delay) * UWB.tap) / energy)
      }
      // The window's ends wrap into each other.
      #expect(abs(map.power(point).squareRoot() - sum.length) < 0.004, "\(delay)")
    }
    let strongest = map.strongest()
    #expect(map.searched.allSatisfy { map.power($0) <= map.power(strongest) })
  }
}
