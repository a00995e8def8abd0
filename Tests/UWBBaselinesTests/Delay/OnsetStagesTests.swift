import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import UWBBaselines

/// Onsets that `OnsetLikelihood` leaves out or interpolates, against all of them.
@Suite struct OnsetStagesTests {
  /// A path over a continuum, or either, at 10 to 45 dB; loaded from 12 taps before its onset.
  private static func taps(_ index: Int, _ trials: inout OnsetTrials) -> PreparedTaps {
    let onset = 160 + trials.uniform()
    let power = 10 + 35 * trials.uniform()
    let response =
      index % 2 == 0
      ? trials.continuum(onset: onset, powerdB: power)
      : trials.paths([(0, power), (2.3, power - 3), (6.1, power - 20 * trials.uniform())], onset: onset)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    taps.load(response, antenna: 0)
    return taps
  }

  /// Onsets that are interpolated or left out change the posterior by less than anybody sees: against ln L of every onset, in double
  /// precision.
  @Test func theStagesLeaveOutWhatIsNegligible() throws {
    let seed: UInt64 = 43
    var trials = OnsetTrials(seed: seed)
    let likelihood = OnsetLikelihood(ReceiverModel())
    let naive = NaiveOnset()
    for index in 0..<30 {
      let taps = Self.taps(index, &trials)
      likelihood.load(taps, firstTap: 148, variance: 1)
      likelihood.evaluate()
      let found = try #require(likelihood.locate())
      let expected = naive.run(taps, firstTap: 148)
      #expect(
        abs(found.delay - 148 - expected.median) < 0.05 * expected.deviation,
        "seed \(seed), \(index): \(found.delay - 148), \(expected.median)")
      #expect(
        abs(found.deviation / expected.deviation - 1) < 0.06,
        "seed \(seed), \(index): \(found.deviation), \(expected.deviation)")
    }
  }
}

/// ln L at every onset, and what follows, in double precision and one after the other.
private struct NaiveOnset {
  private let tables = OnsetTables.shared(ReceiverModel())

  private func likelihoods(_ taps: PreparedTaps, _ firstTap: Int, _ profile: Int, _ onset: Int) -> [Double] {
    let window = OnsetTables.windowTaps
    let cell = OnsetTables.cell(profile: profile, onset: onset)
    var sums = (0..<8).map { -Double(tables.logDeterminants[cell][$0]) }
    for component in 0..<OnsetTables.rank {
      var sum = Complex<Double>.zero
      for tap in 0..<window {
        let sample = Complex(
          Double(taps.taps[2 * (firstTap + tap)]), Double(taps.taps[2 * (firstTap + tap) + 1]))
        sum += Complex(Double(tables.vectors[cell * window + tap][component])) * sample
      }
      for lane in 0..<8 {
        sums[lane] += Double(tables.gains[cell * OnsetTables.rank + component][lane]) * sum.lengthSquared
      }
    }
    return sums
  }

  func run(_ taps: PreparedTaps, firstTap: Int) -> (median: Double, deviation: Double) {
    let onsets = OnsetTables.onsetCount
    let all = OnsetTables.profiles.indices.map { profile in
      (0..<onsets).map { likelihoods(taps, firstTap, profile, $0) }
    }
    let best = all.joined().joined().max() ?? 0
    let weights = all.map { $0.map { $0.reduce(0) { $0 + Double.exp($1 - best) } } }
    let located = (0..<onsets).map { onset in
      OnsetTables.profiles.indices.reduce(0) { $0 + OnsetTables.priors[$1] * weights[$1][onset] }
    }
    let half = located.reduce(0, +) / 2
    var (below, median) = (0.0, 0.0)
    for onset in 0..<onsets {
      if below + located[onset] >= half {
        median = OnsetTables.onset(onset) + ((half - below) / located[onset] - 0.5) / Double(OnsetTables.stepsPerTap)
        break
      }
      below += located[onset]
    }
    var (total, squares) = (0.0, 0.0)
    for profile in OnsetTables.profiles.indices {
      for onset in 0..<onsets {
        let error = OnsetTables.onset(onset) - median
        total += weights[profile][onset]
        squares += weights[profile][onset] * error * error
      }
    }
    let step = 1 / Double(OnsetTables.stepsPerTap)
    return (median, (squares / total + step * step / 12).squareRoot())
  }
}
