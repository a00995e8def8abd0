// Functions bear their names in C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CUWBC
import Numerics
import UWBDSP
import UWBSimulation
import uwb

/// What a `uwb_trials` stands for.
private final class TrialsHandle {
  let trials: LibraryTrials
  let names: [KeptText]
  var samples: [Complex<Float>] = []

  init(_ trials: LibraryTrials) {
    self.trials = trials
    names = trials.cases.map { KeptText($0.name) }
  }
}

@c @implementation
public func uwb_trials_create(
  _ options: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ trials: UnsafeMutablePointer<OpaquePointer?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.create(trials, "trials", message) {
    TrialsHandle(try LibraryTrials(options: try Border.texts(options, count)))
  }
}

@c @implementation
public func uwb_trials_destroy(_ trials: OpaquePointer?) { Border.destroy(trials, as: TrialsHandle.self) }

@c @implementation
public func uwb_trials_case(_ trials: OpaquePointer?, _ index: Int, _ snr_db: UnsafeMutablePointer<Double>?)
  -> UnsafePointer<CChar>?
{
  guard let trials else { return nil }
  let handle = Border.object(trials, as: TrialsHandle.self)
  guard handle.names.indices.contains(index) else { return nil }
  snr_db?.pointee = handle.trials.cases[index].snrDB
  return UnsafePointer(handle.names[index].pointer)
}

@c @implementation
public func uwb_trials_shape(
  _ trials: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?, _ taps: UnsafeMutablePointer<Int>?
) {
  let known = trials.map { Border.object($0, as: TrialsHandle.self).trials }
  count?.pointee = known?.trialCount ?? 0
  taps?.pointee = known?.tapCount ?? 0
}

@c @implementation
public func uwb_trials_draw(
  _ trials: OpaquePointer?, _ number: Int, _ first: Int, _ count: Int, _ samples: UnsafeMutablePointer<Float>?,
  _ truth: UnsafeMutablePointer<uwb_trial>?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.run(message) {
    let handle = try Border.object(trials, as: TrialsHandle.self)
    let samples = try Border.needed(samples, "samples")
    let truth = try Border.needed(truth, "truth")
    let known = handle.trials
    guard known.cases.indices.contains(number), first >= 0, count >= 0, first <= known.trialCount,
      count <= known.trialCount - first
    else { throw LibraryError.badArgument("There are no trials \(first) … of the case \(number).") }
    for index in 0..<count {
      let trial = known.trial(first + index, of: number, into: &handle.samples)
      for (tap, sample) in handle.samples.enumerated() {
        samples[2 * (index * known.tapCount + tap)] = sample.real
        samples[2 * (index * known.tapCount + tap) + 1] = sample.imaginary
      }
      truth[index] = uwb_trial(
        first_path_taps: trial.firstPathTaps, bound_taps_squared: trial.boundTapsSquared ?? .nan)
    }
  }
}

@c @implementation
public func uwb_score_delays(
  _ truth: UnsafePointer<uwb_trial>?, _ delays: UnsafePointer<Double>?, _ deviations: UnsafePointer<Double>?,
  _ count: Int,
  _ score: UnsafeMutablePointer<uwb_score>?
) -> uwb_status {
  Border.run(nil) {
    let (truth, delays) = (try Border.needed(truth, "truth"), try Border.needed(delays, "delays"))
    let (deviations, score) = (try Border.needed(deviations, "deviations"), try Border.needed(score, "score"))
    let trials = 0..<max(0, count)
    let answers = trials.map { index in
      DelayEvaluation.Answer(
        errorTaps: delays[index].isFinite ? delays[index] - truth[index].first_path_taps : nil,
        deviationTaps: deviations[index].isFinite ? deviations[index] : 0, nanoseconds: 0)
    }
    let bounds = trials.map { truth[$0].bound_taps_squared }.map { $0.isNaN ? nil : $0 }
    let row = DelayEvaluation.row("", answers, bounds)
    score.pointee = uwb_score(
      rmse_m: row.error?.rms ?? .nan, bias_m: row.error?.bias ?? .nan, median_m: row.error?.median ?? .nan,
      p90_m: row.error?.p90 ?? .nan, p90_unbiased_m: row.error?.p90Unbiased ?? .nan, close_rmse_m: row.closeRMS ?? .nan,
      bound_m: row.bound ?? .nan, ratio: row.ratio ?? .nan, normalised_variance: row.normalisedVariance ?? .nan,
      coverage: row.coverage ?? .nan, trials: Int64(row.trials), close: Int64(row.close), missed: Int64(row.missed),
      early: Int64(row.early))
  }
}
