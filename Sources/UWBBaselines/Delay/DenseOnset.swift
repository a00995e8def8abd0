import Numerics
import UWBDSP

/// The onset of a dense channel: what follows it is a Gaussian process, not a list of paths.
///
/// Indoors without line of sight rays come several a tap, and no list of paths is right. Their sum is complex Gaussian
/// with a mean power profile w(t) after the onset τ, so the 23 taps round the rough first path are
///
///     y ~ CN(0, v·(I + ρ·R_τ)),   R_τ = ∫₀^∞ w(t)·p(·−τ−t)·p(·−τ−t)ᵀ dt
///
/// (whitened first where the taps' noise is correlated). The likelihood is averaged over five profiles w (`OnsetTables`) and ρ from
/// 0 to 49 dB; the estimate is the median of the posterior over τ on a grid of 1/8 tap, from 8 taps before the rough first path (`FirstPathSearch`) to 3 after.
/// v is the noise variance plus the pulse's model error. The soft onset's shape is that of CM4 in A. F. Molisch et al.,
/// "IEEE 802.15.4a channel model – final report", IEEE 802.15-04-0662-02-004a, 2004; the likelihood is the usual one of
/// a Gaussian signal in white noise.
///
/// The deviation is the posterior's root mean square about the estimate with all profiles given even odds. The
/// amplitude is that of a first path over scattering; at high SNR the grid makes its size good to a tenth only, not its
/// phase. On path lists the grid and the wrong model cost accuracy: `PulseFit` is right there.
/// Where power builds up from nothing (CM8) the onset is found some two taps late, more than the deviation says. Cost:
/// the search, then the likelihoods of each profile and onset.
public struct DenseOnset: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel

  /// Creates one with the given values.
  public init(_ receiver: ReceiverModel = ReceiverModel()) {
    self.receiver = receiver
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let rough: RoughFirstPath
    fileprivate let likelihood: OnsetLikelihood

    fileprivate init(_ estimator: DenseOnset, tapCount: Int) {
      rough = RoughFirstPath(estimator.receiver, tapCount: tapCount)
      likelihood = OnsetLikelihood(estimator.receiver)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    guard let halfTap = workspace.rough.find(taps, into: &estimate) else { return }
    let first = (halfTap + 1) / 2 - OnsetTables.roughTap
    var peak: Float = 0
    for tap in max(0, first)..<min(taps.count, first + OnsetTables.windowTaps) {
      peak = max(peak, taps.powers.pointer[tap])
    }
    let likelihood = workspace.likelihood
    likelihood.load(taps, firstTap: first, variance: receiver.variance(noise: taps.noiseVariance, peak: Double(peak)))
    likelihood.evaluate()
    guard let path = likelihood.path() else { return }
    estimate.paths.append(path)
    estimate.status = .ok
  }
}

extension OnsetLikelihood {
  /// The first path that all profiles and onsets give.
  func path() -> PathEstimate? {
    guard let onset = locate() else { return nil }
    let own = amplitude(delay: onset.delay)
    return PathEstimate(
      delayTaps: onset.delay, amplitude: own.amplitude, deviationTaps: onset.deviation,
      phaseDeviation: own.phaseDeviation)
  }
}
