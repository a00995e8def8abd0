import ArgumentParser
import Numerics
import UWBDSP
import UWBSimulation

/// The trials of `uwb evaluate delay` for estimators of the caller's own.
package struct LibraryTrials: Sendable {
  /// One channel at one signal-to-noise ratio.
  package struct Case: Sendable {
    package let name: String
    package let snrDB: Double
    fileprivate let generator: DelayTrialGenerator
  }

  /// What is true of a trial.
  package struct Truth: Sendable {
    package let firstPathTaps: Double
    /// Cramér–Rao bound of the first path's variance, taps²; `nil` where the channel has none in closed form.
    package let boundTapsSquared: Double?
  }

  package let cases: [Case]
  package let trialCount: Int
  package let tapCount: Int

  /// - Parameter options: those of `uwb evaluate delay` that say what is simulated.
  package init(options: [String]) throws {
    try LibraryError.refuse(["--output", "--svg", "--export", "--score", "--estimators", "--threads"], in: options)
    do {
      let command = try EvaluateDelayCommand.parse(options)
      cases = try command.generators().map { Case(name: $0, snrDB: $1.snrdB, generator: $1) }
      trialCount = command.trials
      tapCount = cases.first?.generator.synthesizer.tapCount ?? 0
    } catch {
      throw LibraryError(error, of: EvaluateDelayCommand.self)
    }
  }

  /// Overwrites `samples` with trial `index` of a case: the one that `uwb evaluate delay` shows its estimators.
  package func trial(_ index: Int, of number: Int, into samples: inout [Complex<Float>]) -> Truth {
    let generator = cases[number].generator
    let trial = generator.trial(index, into: &samples)
    return Truth(firstPathTaps: trial.firstPathTaps, boundTapsSquared: generator.firstPathBound(trial))
  }
}
