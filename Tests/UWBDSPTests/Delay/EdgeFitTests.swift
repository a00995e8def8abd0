import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct EdgeFitTests {
  private static let tapCount = 320

  /// The stated deviation is that of the weighted fit: σ²/(2|a|²)·Σ w²d²/(Σ w·d²)², the sums taken here directly.
  @Test(arguments: [PulseShape.standard, .dw1000])
  func statedDeviationIsTheWeightedFits(pulse: PulseShape) throws {
    var random = StatisticsRandom(seed: 1301)
    let fit = EdgeFit(ReceiverModel(pulse: pulse))
    let bench = DelayBench(fit, tapCount: Self.tapCount)
    for _ in 0..<50 {
      let path = NaivePath(delayTaps: random.uniform(220...300), powerdB: 40, phase: random.uniform(0...6))
      // Without noise in the window the residual stays below the floor, which decides then.
      var samples = NaiveImpulseResponse.samples(
        [path], tapCount: Self.tapCount, pulse: pulse, noiseVariance: 0, using: &random)
      for tap in 0..<Int(path.delayTaps) - 40 {
        let noise = random.complexGaussian()
        samples[tap] += Complex(Float(noise.real), Float(noise.imaginary))
      }
      let found = try #require(bench.run(samples).firstPath)
      #expect(abs(found.delayTaps - path.delayTaps) < 1e-3)
      let taps = (Int((path.delayTaps - 8).rounded(.up))...Int((path.delayTaps + 2.5).rounded(.down))).map {
        Double($0) - path.delayTaps
      }
      let weights = taps.map { 1 / (1 + Double.exp(($0 - fit.edgeTaps) / fit.softnessTaps)) }
      let values = taps.map { pulse($0 * UWB.tap) }
      let slopes = taps.map { (pulse(($0 - 1e-3) * UWB.tap) - pulse(($0 + 1e-3) * UWB.tap)) / 2e-3 }
      func sum(_ term: (Int) -> Double) -> Double { taps.indices.reduce(0) { $0 + term($1) } }
      let projection = sum { weights[$0] * values[$0] * slopes[$0] } / sum { weights[$0] * values[$0] * values[$0] }
      let left = zip(slopes, values).map { $0 - projection * $1 }
      let information = sum { weights[$0] * left[$0] * left[$0] }
      let scatter = sum { weights[$0] * weights[$0] * left[$0] * left[$0] }
      let power = path.amplitude.lengthSquared
      let noise = bench.estimate.noiseVariance + fit.receiver.modelError * fit.receiver.modelError * power
      let expected = (noise / 2 / power * scatter / (information * information)).squareRoot()
      #expect(abs(found.deviationTaps / expected - 1) < 0.01)
    }
  }

  @Test func theDW1000sOwnPulseHasHonestDeviationsToo() {
    var random = StatisticsRandom(seed: 1302)
    let bench = DelayBench(EdgeFit(ReceiverModel(pulse: .dw1000)), tapCount: Self.tapCount)
    let trials = 1000
    var normalised = StatisticsErrors()
    for _ in 0..<trials {
      let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 25, pulse: .dw1000, using: &random)
      guard let path = bench.run(made.samples).firstPath else { continue }
      normalised.add((path.delayTaps - made.path.delayTaps) / path.deviationTaps)
    }
    #expect(normalised.count == trials)
    #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(normalised.meanSquare))
    #expect(abs(normalised.mean) < StatisticsLimits.mean(deviation: 1, trials: trials))
  }

  /// What the weights are for: an equal path 2.5 taps behind moves the edge less than it moves an unweighted fit.
  @Test func laterPathsMoveTheEdgeLittle() {
    var random = StatisticsRandom(seed: 1303)
    let edge = DelayBench(EdgeFit(), tapCount: Self.tapCount)
    let whole = DelayBench(
      EdgeFit(edgeTaps: 8, softnessTaps: 0.4), tapCount: Self.tapCount)
    var edgeErrors = StatisticsErrors()
    var wholeErrors = StatisticsErrors()
    for _ in 0..<200 {
      let delay = random.uniform(220...300)
      let paths = [0, 2.5].map { NaivePath(delayTaps: delay + $0, powerdB: 35, phase: random.uniform(0...6)) }
      let samples = NaiveImpulseResponse.samples(paths, tapCount: Self.tapCount, using: &random)
      edgeErrors.add((edge.run(samples).firstPath?.delayTaps ?? .infinity) - delay)
      wholeErrors.add((whole.run(samples).firstPath?.delayTaps ?? .infinity) - delay)
    }
    #expect(edgeErrors.rootMeanSquare < 0.25)
    #expect(edgeErrors.rootMeanSquare < 0.8 * wholeErrors.rootMeanSquare)
  }

  /// A pulse that does not fit shows in the residual, and the residual in the deviation.
  @Test func misfitRaisesTheDeviation() throws {
    var random = StatisticsRandom(seed: 1304)
    let right = DelayBench(EdgeFit(ReceiverModel(pulse: .dw1000)), tapCount: Self.tapCount)
    let wrong = DelayBench(EdgeFit(), tapCount: Self.tapCount)
    for _ in 0..<50 {
      let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 45, pulse: .dw1000, using: &random)
      let honest = try #require(right.run(made.samples).firstPath)
      let misled = try #require(wrong.run(made.samples).firstPath)
      #expect(misled.deviationTaps > 3 * honest.deviationTaps)
      #expect(abs(misled.delayTaps - made.path.delayTaps) < 10 * misled.deviationTaps)
    }
  }

  @Test func aModelErrorWidensTheDeviation() throws {
    var random = StatisticsRandom(seed: 1305)
    let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 60, using: &random)
    let sure = try #require(
      DelayBench(EdgeFit(ReceiverModel(modelError: 0)), tapCount: Self.tapCount).run(made.samples).firstPath)
    let wary = try #require(
      DelayBench(EdgeFit(ReceiverModel(modelError: 0.03)), tapCount: Self.tapCount).run(made.samples).firstPath)
    #expect(wary.delayTaps == sure.delayTaps)
    // √(1 + 0.03²·10⁶) = 30.
    #expect(wary.deviationTaps > 15 * sure.deviationTaps && wary.deviationTaps < 60 * sure.deviationTaps)
  }
}
