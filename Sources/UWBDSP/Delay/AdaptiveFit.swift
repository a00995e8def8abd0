import Numerics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `PulseFit` where the channel near its first path is a few paths, `DenseOnset` where it is a continuum: the evidence
/// chooses.
///
/// Both explain the same 23 taps y. Per noise variance v and against noise alone, ln of the evidence is
///
///     paths:  (‖y‖² − J)/v − Σ_k [ln(1.75·SNR_k) + ln(12/(2.5·s_k))]
///     dense:  ln of the mean over profiles, onsets and ρ of L  (`OnsetLikelihood`)
///
/// The sum is Laplace's approximation (MacKay 1992, "Bayesian interpolation", Neural Computation 4) for paths
/// whose amplitudes are a priori complex Gaussian of the power found (1.75 is the pulse's energy in taps) and whose
/// delays lie anywhere in 12 taps; s_k is the Cramér–Rao deviation of path k in taps, √(2π) ≈ 2.5. Paths are kept
/// where they lead by `margin` for each path but the first: the more paths a fit needs, the likelier they stand for a
/// continuum. One path that leaves nothing but noise is kept unasked; else the dense evidence is taken
/// on a quarter-tap grid and three profiles first, and only a channel that it calls dense pays for the rest.
///
/// A dense estimate reports one path. Cost: `PulseFit`'s, some 5 µs where it found more than one path, some 10 µs more
/// where the channel is dense. Don't use it with a pulse that is wrong by more than a few per cent: misfit counts as
/// density.
public struct AdaptiveFit: DelayEstimator {
  public var paths: PulseFit
  /// How far the evidence for paths has to lead for each path but the first, in ln of likelihood.
  public var margin: Double

  public init(
    pulse: PulseShape, tapSpacing: Double = UWB.tap, modelError: Double = 0.003, falseAlarmRate: Double = 1e-6,
    clutter: Double = 0, noise: NoiseCorrelation = .white, margin: Double = 2
  ) {
    paths = PulseFit(
      pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate, clutter: clutter,
      noise: noise)
    self.margin = margin
  }

  public final class Workspace {
    fileprivate let paths: PulseFit.Workspace
    fileprivate let dense: OnsetLikelihood

    fileprivate init(_ estimator: AdaptiveFit, tapCount: Int) {
      paths = estimator.paths.makeWorkspace(tapCount: tapCount)
      dense = OnsetLikelihood(
        pulse: estimator.paths.pulse, tapSpacing: estimator.paths.tapSpacing, noise: estimator.paths.noise)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    paths.estimate(taps, into: &estimate, using: workspace.paths)
    guard let ending = workspace.paths.ending, !estimate.paths.isEmpty else { return }
    guard !isOnePath(estimate, ending) else { return }
    // Where the CIR's end shifted the window, the tables' onsets are not where the first path may be.
    guard ending.firstTap > 0, ending.firstTap + OnsetTables.windowTaps < taps.count else { return }

    let dense = workspace.dense
    dense.load(taps, firstTap: ending.firstTap, variance: ending.variance)
    dense.evaluate(OnsetLikelihood.Stage.deciding)
    let lead = evidence(estimate, ending, energy: dense.energy) - dense.evidence()
    guard lead <= margin * Double(estimate.paths.count - 1) else { return }
    dense.evaluate(OnsetLikelihood.Stage.others)
    guard let path = dense.path() else { return }
    estimate.paths.removeAll(keepingCapacity: true)
    estimate.paths.append(path)
    estimate.status = .ok
  }

  /// One path whose residual is no more than noise leaves, with a margin of three deviations of its power.
  private func isOnePath(_ estimate: DelayEstimate, _ ending: PulseFit.Ending) -> Bool {
    let window = Double(OnsetTables.windowTaps)
    return estimate.paths.count == 1 && ending.cost < (window + 3 * window.squareRoot()) * ending.variance
  }

  /// ln of the evidence for the paths found, against noise alone.
  private func evidence(_ estimate: DelayEstimate, _ ending: PulseFit.Ending, energy: Double) -> Double {
    var sum = energy - ending.cost / ending.variance
    // The bound at the assumed variance: the reported deviations count what the residual shows too.
    let scale = (ending.variance / ending.usedVariance).squareRoot()
    for (index, path) in estimate.paths.enumerated() {
      let ratio = path.amplitude.lengthSquared / ending.variance
      let deviation = index == 0 ? ending.firstDeviation : path.deviationTaps
      sum -= max(0, log(1.75 * ratio)) + max(0, log(12 / (2.5 * scale * deviation)))
    }
    return sum
  }
}
