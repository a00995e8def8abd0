import Numerics

/// One first path before scattering: a Rice channel.
///
/// Behind the first path of most rooms come many others, a tap or more later, that no list of paths resolves. Here they are complex
/// Gaussian with a mean power that begins some taps after the first path and decays; the first path's own amplitude may be anything:
///
///     y ~ CN(a·p_τ, v·(I + ρ·R_τ)),   R_τ = ∫_g^∞ e^(−(t−g)/d)/d · p(·−τ−t)·p(·−τ−t)ᵀ dt
///
/// over 16 taps. The likelihood (`RiceLikelihood`) is averaged over gaps g from 0 to 3 taps and ρ from 0 to 49 dB. The estimate is the
/// mean, the deviation that of the posterior over τ from 2.5 taps before the rough first path (`FirstPathSearch`) to 2 after, by
/// Laplace's approximation at each crest (MacKay 1992, "Bayesian interpolation", Neural Computation 4). It is generalised least squares
/// on the rise of the first path, with the weight of what follows taken from the taps themselves. v is the noise variance plus the pulse's
/// model error; where the window's residual exceeds that by three deviations, the estimate's deviation grows with it.
///
/// As scattering might always lie under the peak, a lone path costs an eighth of its bound at high SNR. Cost: the search (about 1 µs for
/// 1016 taps), then some 4 µs. Don't use it where the delays of later paths matter (`PulseFit`), where reflections begin
/// more than two taps behind the first path and the pulse is known (`EdgeFit`), or where the first path is buried in scattering that begins
/// before it (`DenseOnset`).
public struct RiceFit: DelayEstimator {
  public var receiver: ReceiverModel

  public init(_ receiver: ReceiverModel = ReceiverModel()) {
    self.receiver = receiver
  }

  public final class Workspace {
    fileprivate let search: FirstPathSearch
    fileprivate let searchMemory: FirstPathSearch.Workspace
    let likelihood: RiceLikelihood

    fileprivate init(_ estimator: RiceFit, tapCount: Int) {
      search = FirstPathSearch(estimator.receiver, filter: .sharp)
      searchMemory = FirstPathSearch.Workspace(tapCount: tapCount)
      likelihood = RiceLikelihood(estimator.receiver)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    guard taps.isUsable else { return estimate.reset(.emptyImpulseResponse) }
    let found = workspace.search.run(taps, using: workspace.searchMemory)
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: found.threshold.squareRoot())
    guard let halfTap = found.halfTap else { return }
    let likelihood = workspace.likelihood
    guard
      let finding = likelihood.find(
        taps, halfTap: halfTap, variance: { variance(taps, firstTap: $0) })
    else { return }
    estimate.status = finding.isInside ? .ok : .didNotConverge
    estimate.paths.append(likelihood.path(finding).path)
  }

  /// Of a tap's noise and of what the pulse leaves unexplained.
  private func variance(_ taps: PreparedTaps, firstTap: Int) -> Double {
    receiver.variance(
      noise: taps.noiseVariance, peak: RiceTables.strongestPower(taps, firstTap: firstTap))
  }
}
