import Testing
import UWBBaselines
import UWBDSP

@Suite struct DelayMatrixPencilTests {
  /// RMSE over the bound, paths uncounted; 300 trials spread it by 4 %.
  @Test(arguments: zip([SubspaceCase.one, .four, .weak], [1.15, 1.15, 1.15]))
  func comesNearTheBound(_ channel: SubspaceCase, limit: Double) {
    let score = SubspaceBench.score(DelayMatrixPencil(), channel, trials: 300, seed: 56)
    #expect(score.lost == 0)
    #expect(score.ratio < limit)
    #expect(score.counted >= 295)
  }

  /// The documented weakness: snapshots seen forwards only resolve close paths worse than ESPRIT does.
  @Test func closePathsCostMoreThanWithForwardBackwardAveraging() {
    let pencil = SubspaceBench.score(DelayMatrixPencil(), .two, trials: 300, seed: 57)
    let esprit = SubspaceBench.score(DelayESPRIT(), .two, trials: 300, seed: 57)
    #expect(pencil.ratio > 1.1 * esprit.ratio)
    #expect(pencil.ratio < 1.8)
  }
}
