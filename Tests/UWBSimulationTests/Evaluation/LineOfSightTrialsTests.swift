import Testing
import UWBDSP

@testable import UWBSimulation

@Suite struct LineOfSightTrialsTests {
  /// Eight models, two receivers, six SNRs; the same seed gives the same features.
  @Test func trialsAreLabelledAndReproducible() {
    let one = LineOfSightTrials(trialCount: 1, seed: 5501).samples()
    #expect(one.samples.count + one.missed == 96)
    #expect(one.missed < 10)
    for sample in one.samples { #expect(sample.isLineOfSight == (sample.group % 2 == 1)) }
    #expect(LineOfSightTrials(trialCount: 1, seed: 5501).samples().samples == one.samples)
    #expect(LineOfSightTrials(trialCount: 1, seed: 5502).samples().samples != one.samples)
  }

  /// On draws that it was not trained on (seed 1). Its area was 0.849 over 38,350 CIRs; 384 give ± 0.06 (three deviations).
  @Test func theShippedModelTellsSimulatedChannelsApart() throws {
    let trials = LineOfSightTrials(trialCount: 4, seed: 5503).samples().samples
    let scores = trials.map { LineOfSightModel.simulated.probability($0.features) }
    let curve = try #require(
      ReceiverOperatingCurve(scores: scores, labels: trials.map { $0.isLineOfSight == true }))
    #expect(curve.area > 0.849 - 0.06, "\(curve.area)")
  }
}
