import Numerics

/// `PulseFit` where the channel near its first path is a few paths, else a first path before scattering (`RiceWindow`): the evidence
/// decides, and where it does not, both count.
///
/// `PathWeighing` says how they are weighed. One path that leaves nothing but noise is kept unasked, and so is scattering that leaves no gaps
/// (`CrowdedTaps`). Else two paths are fitted, and more only as long as they lead or what they would cost still lets them.
///
/// The first path's delay is the median of the posterior over both explanations, the deviation that of `DelayPosterior`. The list of paths is
/// reported where it is the likelier one, else one path. Cost: `PulseFit`'s, mostly of two or three paths, and where it found more
/// than one, that of `RiceFit`.
public struct AdaptiveFit: DelayEstimator {
  /// The fit of a few paths.
  public var paths: PulseFit
  /// How far the evidence for paths has to lead for each path but the first, in ln of likelihood.
  public var margin: Double

  /// Creates one with the given values.
  public init(_ receiver: ReceiverModel = ReceiverModel(), margin: Double = 2) {
    paths = PulseFit(receiver)
    self.margin = margin
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let paths: PulseFit.Workspace
    fileprivate let single: RiceFit.Workspace
    fileprivate var rice: RiceWindow { single.window }

    fileprivate init(_ estimator: AdaptiveFit, tapCount: Int) {
      paths = estimator.paths.makeWorkspace(tapCount: tapCount)
      single = RiceFit(estimator.paths.receiver).makeWorkspace(tapCount: tapCount)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    // Too few taps for a list of paths.
    guard taps.count >= PulseFit.before + PulseFit.after + 1 else {
      return RiceFit(paths.receiver).estimate(taps, into: &estimate, using: workspace.single)
    }
    // Who lets paths trail wants them tried.
    if let window = paths.begin(taps, asksForGaps: margin >= 0, into: &estimate, using: workspace.paths) {
      weigh(window, taps, workspace.paths.fit, workspace.rice, into: &estimate, using: workspace.paths)
    }
    estimate.addAmbiguity()
  }

  private func weigh(
    _ window: PulseFit.Window, _ taps: PreparedTaps, _ fit: PathFit, _ rice: RiceWindow,
    into estimate: inout DelayEstimate, using workspace: PulseFit.Workspace
  ) {
    guard rice.find(taps, halfTap: window.halfTap) else { return }
    guard !window.isCrowded else { return deliver(rice.posterior.summary(), rice, into: &estimate) }
    let scatteringLogMass = rice.posterior.logMass
    guard scatteringLogMass.isFinite else { return }
    let weighing = PathWeighing(rice, scatteringLogMass: scatteringLogMass, margin: margin)
    let first = rice.firstTap - window.firstTap
    func residual(_: Int) -> Double { fit.residualPower(in: first..<first + RiceTables.windowTaps) }
    let isFitted = paths.fitPaths(in: window, taps, into: &estimate, using: workspace) { count, gain in
      weighing.isBeaten(count: count, gain: gain, residual: residual) { path, _ in
        fit.amplitude(path).lengthSquared
      }
    }
    guard isFitted, let solution = workspace.solution, !estimate.paths.isEmpty else {
      return deliver(rice.posterior.summary(), rice, into: &estimate)
    }
    let own = weighing.logMass(estimate.paths, solution, residual: residual) { path, _ in
      fit.amplitude(path).lengthSquared
    }
    paths.addRefusedPath(to: &estimate, using: workspace)
    if let summary = weighing.scattering(beside: own, &estimate.paths) { deliver(summary, rice, into: &estimate) }
  }

  /// Puts the first path before scattering in the place of what `estimate` holds.
  private func deliver(
    _ summary: DelayPosterior.Summary?, _ rice: RiceWindow, into estimate: inout DelayEstimate
  ) {
    guard let summary else { return }
    estimate.paths.removeAll(keepingCapacity: true)
    estimate.paths.append(rice.path(summary))
    estimate.status = rice.isInside ? .ok : .didNotConverge
  }
}
