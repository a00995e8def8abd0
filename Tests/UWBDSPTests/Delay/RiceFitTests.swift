import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBDSP

@Suite struct RiceFitTests {
  private let rice = RiceFit()

  private func errors(
    _ estimator: some DelayEstimator, _ seed: UInt64, _ gap: Double, trials: Int = 300
  ) -> (rootMeanSquare: Double, normalised: Double) {
    let errors = OnsetErrors(estimator, count: trials, seed: seed) {
      $0.rice(onset: $1, pathdB: 30, gap: gap, powerdB: 24)
    }
    let count = Double(errors.errors.count)
    let normalised = zip(errors.errors, errors.deviations).reduce(0) { $0 + ($1.0 / $1.1) * ($1.0 / $1.1) }
    return ((errors.errors.reduce(0) { $0 + $1 * $1 } / count).squareRoot(), normalised / count)
  }

  /// A path 6 dB over what comes of each tap behind it.
  @Test(arguments: [UInt64(81), 82], [1.0, 1.5])
  func aPathBeforeScatteringIsFoundNearerThanByOthers(seed: UInt64, gap: Double) {
    let own = errors(rice, seed, gap)
    // Root mean squares of 300 trials are good to some 6 %.
    for other in [errors(EdgeFit(), seed, gap), errors(DenseOnset(), seed, gap)] {
      #expect(own.rootMeanSquare < 0.9 * other.rootMeanSquare, "seed \(seed): \(own) against \(other)")
    }
    // Gaps and powers are averaged over, each as likely as the others, whatever the channel is: no more than honest on average.
    #expect(own.normalised > 0.3 && own.normalised < 1.5, "seed \(seed), \(gap) taps: \(own)")
  }

  /// What weighs the scattering costs little where there is none.
  @Test(arguments: [20.0, 26, 32])
  func aLonePathIsFoundNearTheBound(snrdB: Double) {
    var random = StatisticsRandom(seed: 83)
    let bench = DelayBench(rice, tapCount: 320)
    var errors = StatisticsErrors()
    let trials = 400
    for _ in 0..<trials {
      let made = LonePath.make(delay: 220...300, tapCount: 320, snrdB: snrdB, using: &random)
      guard let path = bench.run(made.samples).firstPath else { continue }
      errors.add((path.delayTaps - made.path.delayTaps) / made.bound)
    }
    #expect(errors.count == trials)
    // A quarter over the bound, and what 400 trials scatter.
    #expect(errors.rootMeanSquare < 1.25 * StatisticsLimits.rootMeanSquareRatio(trials: trials).upperBound)
    #expect(abs(errors.mean) < StatisticsLimits.mean(deviation: 1.25, trials: trials))
  }

  @Test func theAmplitudeIsThePathsOwn() throws {
    var trials = OnsetTrials(seed: 84)
    var inside = 0
    for _ in 0..<100 {
      let response = trials.paths([(0, 40)], onset: 160 + trials.uniform())
      let path = try #require(rice.estimate(response).firstPath)
      let truth = try #require(PulseFit().estimate(response).firstPath)
      let quotient = path.amplitude / truth.amplitude
      #expect(abs(quotient.length - 1) < 0.05)
      inside += abs(quotient.phase) < 2 * path.phaseDeviation ? 1 : 0
    }
    #expect(inside >= 95, "\(inside) of 100 phases within two stated deviations")
  }

  @Test func aPathAtEitherEndIsNoTrap() {
    for onset in [0.0, 0.4, 1, 3, 7.5, 11, 12.2, 240, 246.5, 250, 254, 255] {
      var trials = OnsetTrials(seed: 85)
      let estimate = rice.estimate(trials.paths([(0, 35)], onset: onset))
      for path in estimate.paths { #expect(abs(path.delayTaps - onset) < 3, "onset \(onset)") }
    }
  }
}
