import Testing

@testable import UWBDSP
@testable import UWBSimulation

@Suite struct FirstPathTrainingTests {
  /// What it learns on a hundredth of the CIRs carries to others, and is more than the strongest peak or the earliest one.
  @Test func whatIsLearntCarriesToOtherChannels() {
    let training = FirstPathTraining(trialCount: 45, seed: 5).samples(threads: 1)
    let others = FirstPathTraining(trialCount: 45, seed: 6).samples(threads: 1)
    let network = FirstPathTraining(trialCount: 45, seed: 5).train(training)
    let right = others.count { FirstPathTraining.isRight(network, $0) }
    let strongest = others.count { $0.first == 0 }
    let earliest = others.count { $0.first == $0.peaks.count - 1 }
    #expect(others.count > 300)
    #expect(right > max(strongest, earliest))
    #expect(Double(right) > 0.8 * Double(others.count))
  }

  @Test func samplesAreTheSameForAnyNumberOfThreads() {
    let training = FirstPathTraining(trialCount: 4, seed: 9)
    let (one, three) = (training.samples(threads: 1), training.samples(threads: 3))
    #expect(one.map(\.peaks) == three.map(\.peaks))
    #expect(one.map(\.first) == three.map(\.first))
  }
}
