import Numerics

/// One first path before scattering: a Rice channel.
///
/// Behind the first path of most rooms come many others, a tap or more later, that no list of paths resolves. Here they are complex
/// Gaussian with a mean power that begins some taps after the first path and decays; the first path's own amplitude may be anything:
///
///     y ~ CN(a·p_τ, v·(I + ρ·R_τ)),   R_τ = ∫_g^∞ e^(−(t−g)/d)/d · p(·−τ−t)·p(·−τ−t)ᵀ dt
///
/// over 16 taps. The likelihood (`RiceLikelihood`) is averaged over gaps g of 0, 1.5 and 4.5 taps, decays d of 3 and 12 taps and ρ from 0 to
/// 49 dB. It is also averaged over a soft onset without a path, and over a pulse that is wrong by 6 % (`RiceWindow`). The estimate is the
/// median of the posterior over τ, from 4.5 taps before the rough first path (`FirstPathSearch`) to 2.5 after. The deviation is mostly the
/// root of its second moment about the median. Peaks are integrated by Laplace's approximation (MacKay 1992, "Bayesian interpolation", Neural
/// Computation 4). It is generalised least squares on the rise of the first path, with the weight of what follows taken from the taps
/// themselves. v is the noise variance in the pulse's band (`InBandNoise`) plus the pulse's model error.
///
/// As scattering might always lie under the peak, a lone path costs an eighth of its bound at high SNR. Don't use it where the delays of
/// later paths matter (`PulseFit`), or where the pulse is known and the channel is a few paths (`AdaptiveFit`).
public struct RiceFit: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel

  /// Creates one with the given values.
  public init(_ receiver: ReceiverModel = ReceiverModel()) {
    self.receiver = receiver
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let rough: RoughFirstPath
    let window: RiceWindow

    fileprivate init(_ estimator: RiceFit, tapCount: Int) {
      rough = RoughFirstPath(estimator.receiver, tapCount: tapCount)
      window = RiceWindow(estimator.receiver)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    let window = workspace.window
    guard let halfTap = workspace.rough.find(taps, into: &estimate), window.find(taps, halfTap: halfTap),
      let summary = window.posterior.summary()
    else { return }
    estimate.status = window.isInside ? .ok : .didNotConverge
    estimate.paths.append(window.path(summary))
    estimate.addAmbiguity()
  }
}
