import Testing
import UWBBaselines
import UWBDSP

@Suite struct DelayRootMUSICTests {
  /// RMSE over the bound, paths uncounted; 300 trials spread it by 4 %.
  @Test(arguments: zip([SubspaceCase.one, .four, .two, .uneven, .weak, .three], [1.15, 1.15, 1.3, 1.3, 1.15, 1.35]))
  func comesNearTheBound(_ channel: SubspaceCase, limit: Double) {
    let score = SubspaceBench.score(DelayRootMUSIC(), channel, trials: 300, seed: 55)
    #expect(score.lost == 0)
    #expect(score.ratio < limit)
    #expect(score.counted >= 295)
  }

}
