import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct PulseFitTests {
  /// Offsets in taps and powers in dB relative to the first path's SNR.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var snrdB: Double
    var others: [(offset: Double, dB: Double)]
    /// Most that the root mean square error may be over the pooled bound.
    var ratio: Double
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "equal paths, +4 taps, 25 dB", snrdB: 25, others: [(4, 0)], ratio: 1.05),
    Case(name: "equal paths, +2 taps, 25 dB", snrdB: 25, others: [(2, 0)], ratio: 1.06),
    Case(name: "equal paths, +2 taps, 20 dB", snrdB: 20, others: [(2, 0)], ratio: 1.10),
    Case(name: "second +3 dB, +1.5 taps, 30 dB", snrdB: 30, others: [(1.5, 3)], ratio: 1.08),
    Case(name: "second −3 dB, +1.5 taps, 30 dB", snrdB: 30, others: [(1.5, -3)], ratio: 1.08),
    Case(name: "equal paths, +1 tap, 30 dB", snrdB: 30, others: [(1, 0)], ratio: 1.15),
    Case(name: "first −10 dB under three", snrdB: 20, others: [(6, 10), (9, 10), (13, 10)], ratio: 1.06),
    Case(name: "three paths, 28 dB", snrdB: 28, others: [(2.5, 3), (5.2, 1)], ratio: 1.06),
  ]

  private static let tapCount = 320

  private func paths(_ test: Case, _ random: inout StatisticsRandom) -> [NaivePath] {
    let delay = random.uniform(220...280)
    return ([(0.0, 0.0)] + test.others).map { offset, dB in
      NaivePath(delayTaps: delay + offset, powerdB: test.snrdB + dB, phase: random.uniform(0...2 * .pi))
    }
  }

  /// With random phases, so against the mean of the bounds. Checked on the lower end of the estimated ratio's own 99.9 %
  /// interval: three standard errors of mean(e² − δτ²), which is small because both follow the same noise.
  @Test(arguments: cases)
  func firstDelayReachesTheBound(test: Case) throws {
    var random = StatisticsRandom(seed: 1201)
    let bench = DelayBench(PulseFit(), tapCount: Self.tapCount)
    let trials = 200
    var excess = StatisticsErrors()
    var bound = 0.0
    var normalised = StatisticsErrors()
    for _ in 0..<trials {
      let paths = paths(test, &random)
      let made = try #require(LinearisedPaths(paths, tapCount: Self.tapCount, using: &random))
      let found = bench.run(made.samples)
      let path = try #require(found.firstPath)
      #expect(found.status == .ok)
      let error = path.delayTaps - paths[0].delayTaps
      #expect(abs(error) < 0.75)
      excess.add(error * error - made.linearError * made.linearError)
      bound += made.boundSquared / Double(trials)
      normalised.add(error / path.deviationTaps)
    }
    let standardError = (excess.variance / Double(trials)).squareRoot()
    #expect((1 + (excess.mean - 3 * standardError) / bound).squareRoot() < test.ratio)
    #expect((1 + (excess.mean + 3 * standardError) / bound).squareRoot() > 0.98)
    #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(normalised.meanSquare))
  }

  @Test func theWholePathListIsFound() throws {
    var random = StatisticsRandom(seed: 1202)
    let bench = DelayBench(PulseFit(), tapCount: Self.tapCount)
    for _ in 0..<100 {
      let delay = random.uniform(220...280)
      let paths = [(0.0, 30.0), (3.1, 33), (6.3, 28)].map { offset, dB in
        NaivePath(delayTaps: delay + offset, powerdB: dB, phase: random.uniform(0...6))
      }
      let found = bench.run(NaiveImpulseResponse.samples(paths, tapCount: Self.tapCount, using: &random))
      try #require(found.paths.count == 3)
      for (path, truth) in zip(found.paths, paths) {
        // Six deviations: once in 5·10⁸.
        #expect(abs(path.delayTaps - truth.delayTaps) < 6 * path.deviationTaps)
        let turned = (path.amplitude * truth.amplitude.conjugate).phase
        #expect(abs(turned) < 6 * path.phaseDeviation)
        #expect(abs(path.amplitude.length / truth.amplitude.length - 1) < 0.3)
      }
    }
  }

  /// One path at 20 dB is split about once in a thousand, and less often the stronger it is; three in a thousand is
  /// the limit that the binomial bound is put on.
  @Test(arguments: [20.0, 30, 45])
  func lonePathsStayWhole(snrdB: Double) {
    var random = StatisticsRandom(seed: 1203)
    let bench = DelayBench(PulseFit(), tapCount: Self.tapCount)
    let trials = 400
    var split = 0
    for _ in 0..<trials {
      let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: snrdB, using: &random)
      if bench.run(made.samples).paths.count > 1 { split += 1 }
    }
    #expect(split <= StatisticsLimits.binomial(probability: 0.003, trials: trials).upperBound)
  }

  @Test(arguments: 1...3)
  func keepsToTheMostPathsAllowed(most: Int) {
    var random = StatisticsRandom(seed: 1204)
    let bench = DelayBench(PulseFit(mostPaths: most), tapCount: Self.tapCount)
    let paths = (0..<4).map { NaivePath(delayTaps: 250 + 2.7 * Double($0), powerdB: 35, phase: 1.7 * Double($0)) }
    let found = bench.run(NaiveImpulseResponse.samples(paths, tapCount: Self.tapCount, using: &random))
    #expect(found.paths.count == most)
  }

  /// Where the pulse is wrong by a few per cent and the model error says so, no phantom path comes before the true one.
  @Test func aStatedModelErrorKeepsPhantomsOut() {
    var random = StatisticsRandom(seed: 1205)
    let wrong = PulseShape.raisedCosine(rolloff: 0.5, period: 1.04 / UWB.chipRate)
    let bench = DelayBench(PulseFit(ReceiverModel(pulse: wrong, modelError: 0.05)), tapCount: Self.tapCount)
    for _ in 0..<100 {
      let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 40, using: &random)
      let found = bench.run(made.samples)
      #expect(abs((found.firstPath?.delayTaps ?? .infinity) - made.path.delayTaps) < 0.2)
    }
  }

  @Test func fewerTapsThanAWindowHoldNoPath() {
    var random = StatisticsRandom(seed: 1206)
    let bench = DelayBench(PulseFit(), tapCount: 40)
    for count in [5, 22, 23] {
      let samples = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: Double(count) / 2, powerdB: 60, phase: 0)], tapCount: count, noiseVariance: 1e-6,
        using: &random)
      let found = bench.run(samples)
      if count < 23 { #expect(found.status == .noFirstPath) }
    }
  }
}
