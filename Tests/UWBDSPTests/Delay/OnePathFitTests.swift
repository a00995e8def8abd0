import Numerics
import TestSupport
import Testing

@testable import UWBDSP

/// `PathFit` and `OrderSelection`, which know any number of paths, are the reference.
@Suite struct OnePathFitTests {
  private static let window = 23
  private static let table = PulseTable(.standard, tapSpacing: UWB.tap)

  private final class Bench {
    let one = OnePathFit(table: table, windowTaps: window)
    let fit = PathFit(table: table, windowTaps: window)
    let paths: OrderSelection<PathFit>
    let taps = PreparedTaps(tapCount: 80)

    init() { paths = OrderSelection(fit, mostPaths: 8) }

    func load(_ list: [NaivePath], using random: inout StatisticsRandom) {
      let samples = NaiveImpulseResponse.samples(list, tapCount: 80, using: &random)
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      one.load(taps, firstTap: 20)
      fit.load(taps, firstTap: 20)
    }

    func settle(from start: Double, tolerance: Double = 1e-4) -> OnePathFit.Result? {
      one.settle(from: start, variance: 1, tolerance: tolerance)
    }
  }

  /// The same descent: the same minimum, and what follows there. The reference sums in single precision.
  @Test func settlesWherePathFitDoes() throws {
    var random = StatisticsRandom(seed: 940)
    let bench = Bench()
    let delays = AlignedBuffer<Double>(count: 1, zero: 0)
    for _ in 0..<300 {
      let path = NaivePath(
        delayTaps: 20 + random.uniform(3...20), powerdB: random.uniform(12...60), phase: random.uniform(0...6))
      bench.load([path], using: &random)
      let start = path.delayTaps - 20 + random.uniform(-0.4...0.4)
      delays.pointer[0] = start
      var effort = FitEffort(steps: FitStep.most, settled: false)
      _ = bench.fit.refine(delays.pointer, count: 1, variance: 1, tolerance: 1e-4, effort: &effort)
      let found = try #require(bench.settle(from: start))
      #expect(effort.settled)
      // Either ends where H·δ² < 10⁻⁴.
      #expect(abs(found.delay - delays.pointer[0]) < 0.02 / found.curvature.squareRoot() + 1e-6)
      #expect(abs(bench.one.strongestPower / bench.fit.strongestPower - 1) < 1e-6)

      delays.pointer[0] = found.delay
      let cost = try #require(bench.fit.solve(delays.pointer, count: 1))
      // Each tap of the residual is off by a few roundings of the strongest one.
      let rounding = 4 * Double(Float.ulpOfOne) * bench.fit.strongestPower.squareRoot()
      #expect(abs(found.cost - cost) < 2 * (Double(Self.window) * cost).squareRoot() * rounding)
      #expect(bench.fit.differentiate(delays.pointer, count: 1))
      let curvature = bench.fit.amplitudeProduct(0, 0) * bench.fit.slopeProduct(0, 0)
      #expect(abs(found.curvature / curvature - 1) < 1e-5)
      #expect(
        (Complex(found.real, found.imaginary) - bench.fit.amplitude(0)).length < 1e-6 * bench.fit.amplitude(0).length)
      // Its share of the phase's variance where there is no other path: 1/(bᵀb·|a|²).
      bench.fit.invertCurvature(count: 1)
      let power = found.real * found.real + found.imaginary * found.imaginary
      #expect(abs(bench.fit.phaseVariance(0, count: 1) * found.pulseEnergy * power - 1) < 1e-5)
    }
  }

  /// Where it takes one path to be alone, the search for more finds none. It takes nearly all to be alone that are: a residual
  /// of noise exceeds its mean of 21.5 by a further 6.3 (deviation 4.6) once in ten, and the search for another path raises
  /// an alarm at 6 noise variances, e⁻⁶ at each of some 20 places.
  @Test func isAloneWhereNoSecondPathIsFound() throws {
    var random = StatisticsRandom(seed: 941)
    let bench = Bench()
    var alone = 0
    let trials = 400
    for _ in 0..<trials {
      let path = NaivePath(
        delayTaps: 20 + random.uniform(8...14), powerdB: random.uniform(15...45), phase: random.uniform(0...6))
      bench.load([path], using: &random)
      let start = path.delayTaps - 20 + random.uniform(-0.3...0.3)
      guard try #require(bench.settle(from: start)).isAlone else { continue }
      alone += 1
      let found = bench.paths.run(from: start, variance: 1, logSNR: .log(bench.fit.strongestPower))
      #expect(found.count == 1 && found.settled)
    }
    #expect(alone >= StatisticsLimits.binomial(probability: 0.75, trials: trials).lowerBound)
  }

  /// Two paths of 15 dB and more, from where they are two to the far end of the window.
  @Test(arguments: [1.5, 2, 4, 9])
  func leavesTwoPathsToOthers(apart: Double) {
    var random = StatisticsRandom(seed: 942)
    let bench = Bench()
    for _ in 0..<100 {
      let delay = 20 + random.uniform(8...12)
      let paths = [delay, delay + apart].map {
        NaivePath(delayTaps: $0, powerdB: random.uniform(20...30), phase: random.uniform(0...6))
      }
      bench.load(paths, using: &random)
      if let found = bench.settle(from: delay - 20 + random.uniform(-0.4...0.4)) { #expect(!found.isAlone) }
    }
  }

  @Test func nothingSettlesOnNothing() {
    let bench = Bench()
    let zeroes = ChannelImpulseResponse([Complex<Float>](repeating: .zero, count: 80))
    bench.taps.load(zeroes, antenna: 0)
    bench.one.load(bench.taps, firstTap: 20)
    #expect(bench.settle(from: 11) == nil)
  }

  /// From anywhere that may be asked for, to an end that is a number: the pulse's table is not left.
  @Test func staysInTheTable() {
    var random = StatisticsRandom(seed: 943)
    let bench = Bench()
    var settled = 0
    for step in 0...52 {
      bench.load([], using: &random)
      guard let found = bench.settle(from: Double(step) / 2 - 2, tolerance: 1e-12) else { continue }
      settled += 1
      #expect(found.delay >= -2 && found.delay <= Double(Self.window) + 1)
      #expect(found.cost.isFinite && found.cost >= 0 && found.curvature > 0)
    }
    #expect(settled > 0)
  }
}
