import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBDSP

@Suite struct CleanTests {
  @Test(arguments: [15.0, 25, 40])
  func lonePathReachesTheBound(snrdB: Double) {
    let score = PathScore(Clean(), [TrialPath(0, 0)], snrdB: snrdB, trials: 300, seed: 41)
    #expect(score.missed == 0 && score.early == 0, "\(score)")
    #expect(score.ratio < 1.15 && (0.7...1.3).contains(score.normalisedVariance), "\(score)")
  }

  @Test func separatePathsReachTheBound() {
    let score = PathScore(
      Clean(), [TrialPath(0, -10), TrialPath(6, 0), TrialPath(9, 0), TrialPath(13, 0)], snrdB: 30, trials: 200, seed: 42
    )
    #expect(score.missed == 0 && score.ratio < 1.2, "\(score)")
  }

  @Test func amplitudeIsWhole() throws {
    var generator = TrialGenerator(seed: 43)
    for gain in [0.2, 0.5, 1.0] {
      let trial = PathTrial.make([TrialPath(0, 0)], snrdB: 40, using: &generator)
      let path = try #require(Clean(loopGain: gain).estimate(trial.response).firstPath)
      #expect((path.amplitude - trial.amplitudes[0]).length < 0.05, "loop gain \(gain)")
    }
  }

  @Test func overlappingPathsRunTogether() {
    let score = PathScore(Clean(), [TrialPath(0, 0), TrialPath(1, 0)], snrdB: 30, trials: 100, seed: 44)
    #expect(score.ratio > 3, "\(score)")
  }

  @Test func saysThatItGaveUp() {
    var generator = TrialGenerator(seed: 45)
    let trial = PathTrial.make([TrialPath(0, 0)], snrdB: 40, using: &generator)
    let estimate = Clean(mostIterations: 2).estimate(trial.response)
    #expect(estimate.status == .didNotConverge && estimate.firstPath != nil)
  }
}
