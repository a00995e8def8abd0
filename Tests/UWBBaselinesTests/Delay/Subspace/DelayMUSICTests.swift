import Testing
import UWBBaselines
import UWBDSP

@Suite struct DelayMUSICTests {
  /// RMSE over the bound, paths uncounted; 300 trials spread it by 4 %.
  @Test(arguments: zip([SubspaceCase.one, .four, .two, .uneven, .weak, .three], [1.15, 1.15, 1.3, 1.35, 1.15, 1.35]))
  func comesNearTheBound(_ channel: SubspaceCase, limit: Double) {
    let score = SubspaceBench.score(DelayMUSIC(), channel, trials: 300, seed: 53)
    #expect(score.lost == 0)
    #expect(score.ratio < limit)
    #expect(score.counted >= 295)
  }

  /// The documented weakness: two minima of the spectrum run into one where the roots stay apart.
  @Test func mergesPathsATapApartMoreOftenThanItsRootsDo() {
    let close = SubspaceCase(name: "two, a tap apart", paths: [(0, 0), (1, 0)], snrdB: 30)
    let spectrum = SubspaceBench.score(DelayMUSIC(), close, trials: 400, seed: 54)
    let roots = SubspaceBench.score(DelayRootMUSIC(), close, trials: 400, seed: 54)
    #expect(spectrum.counted < roots.counted)
  }
}
