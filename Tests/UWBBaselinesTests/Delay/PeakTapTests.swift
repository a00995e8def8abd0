import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBDSP

@Suite struct PeakTapTests {
  @Test func findsTheStrongestPathNotTheFirst() {
    var random = StatisticsRandom(seed: 1401)
    let bench = DelayBench(PeakTap(), tapCount: 320)
    let paths = [
      NaivePath(delayTaps: 240.3, powerdB: 30, phase: 0), NaivePath(delayTaps: 247.8, powerdB: 40, phase: 2),
    ]
    let found = bench.run(NaiveImpulseResponse.samples(paths, tapCount: 320, using: &random))
    #expect(found.paths.count == 1)
    #expect(abs((found.firstPath?.delayTaps ?? .infinity) - 247.8) < 0.1)
  }

  /// The peak of a clean pulse is its delay and its amplitude, between taps as on them.
  @Test(arguments: [PulseShape.standard, .rootRaisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate), .dw1000])
  func cleanPulsesAreReadExactly(pulse: PulseShape) throws {
    var random = StatisticsRandom(seed: 1402)
    let bench = DelayBench(PeakTap(ReceiverModel(pulse: pulse)), tapCount: 320)
    for step in 0..<32 {
      let path = NaivePath(delayTaps: 240 + Double(step) / 31, powerdB: 40, phase: random.uniform(0...6))
      let samples = NaiveImpulseResponse.samples(
        [path], tapCount: 320, pulse: pulse, noiseVariance: 0, using: &random)
      let found = try #require(bench.run(samples).firstPath)
      #expect(abs(found.delayTaps - path.delayTaps) < 2e-3)
      #expect((found.amplitude - path.amplitude).length < 5e-3 * path.amplitude.length)
    }
  }

  @Test func noTapUnderTheThresholdCounts() {
    var random = StatisticsRandom(seed: 1403)
    let bench = DelayBench(PeakTap(ReceiverModel(falseAlarmRate: 1e-3)), tapCount: 320)
    for _ in 0..<200 {
      let path = NaivePath(delayTaps: 250, powerdB: random.uniform(5...15), phase: random.uniform(0...6))
      let found = bench.run(NaiveImpulseResponse.samples([path], tapCount: 320, using: &random))
      #expect((found.status == .ok) == (bench.taps.peakPower >= found.threshold * found.threshold))
    }
  }
}
