import TestSupport
import Testing
import UWBBaselines
import UWBDSP

@Suite struct JumpBackSearchForwardTests {
  @Test func lonePathIsUnbiasedWithAnHonestDeviation() {
    let score = PathScore(JumpBackSearchForward(), [TrialPath(0, 0)], snrdB: 25, trials: 300, seed: 21)
    #expect(score.missed == 0 && score.early == 0, "\(score)")
    #expect((0.8...1.3).contains(score.normalisedVariance) && (1.7...2.2).contains(score.ratio), "\(score)")
  }

  @Test func findsAWeakFirstPathInTheWindowAndNoneBeforeIt() {
    let paths = [TrialPath(0, -10), TrialPath(30, 0)]
    let wide = PathScore(JumpBackSearchForward(windowTaps: 40), paths, snrdB: 30, trials: 60, seed: 22)
    #expect(wide.rmse < 0.25, "\(wide)")
    let narrow = PathScore(JumpBackSearchForward(windowTaps: 20), paths, snrdB: 30, trials: 60, seed: 22)
    #expect(abs(narrow.bias - 30) < 0.1, "\(narrow)")
  }

  @Test func noWindowLeavesTheStrongestPath() {
    let score = PathScore(
      JumpBackSearchForward(windowTaps: 0), [TrialPath(0, -6), TrialPath(8, 0)], snrdB: 30, trials: 60, seed: 23)
    #expect(abs(score.bias - 8) < 0.1, "\(score)")
  }
}

@Suite struct SerialBackwardSearchTests {
  @Test func lonePathIsUnbiasedWithAnHonestDeviation() {
    let score = PathScore(SerialBackwardSearch(), [TrialPath(0, 0)], snrdB: 25, trials: 300, seed: 24)
    #expect(score.missed == 0 && score.early == 0, "\(score)")
    #expect((0.8...1.3).contains(score.normalisedVariance) && (1.7...2.2).contains(score.ratio), "\(score)")
  }

  @Test func crossesGapsUpToItsOwn() {
    let paths = [TrialPath(0, -8), TrialPath(12, -8), TrialPath(24, 0)]
    let crosses = PathScore(SerialBackwardSearch(gapTaps: 14), paths, snrdB: 30, trials: 60, seed: 25)
    #expect(crosses.rmse < 0.25, "\(crosses)")
    let stops = PathScore(SerialBackwardSearch(gapTaps: 5), paths, snrdB: 30, trials: 60, seed: 25)
    #expect(stops.bias > 11, "\(stops)")
  }
}
