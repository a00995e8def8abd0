import Testing
import UWBBaselines
import UWBDSP

@Suite struct DelayESPRITTests {
  /// RMSE over the bound, paths uncounted; 300 trials spread it by 4 %.
  @Test(arguments: zip([SubspaceCase.one, .four, .two, .uneven, .weak, .three], [1.15, 1.15, 1.25, 1.3, 1.15, 1.3]))
  func comesNearTheBound(_ channel: SubspaceCase, limit: Double) {
    let score = SubspaceBench.score(DelayESPRIT(), channel, trials: 300, seed: 51)
    #expect(score.lost == 0)
    #expect(score.ratio < limit)
    #expect(score.counted >= 295)
  }

  /// Close to the bound, the bound is an honest deviation.
  @Test(arguments: [SubspaceCase.one, .four, .weak])
  func deviationsAreHonest(_ channel: SubspaceCase) {
    let score = SubspaceBench.score(DelayESPRIT(), channel, trials: 500, seed: 52)
    #expect((0.8...1.25).contains(score.normalisedVariance))
  }
}
