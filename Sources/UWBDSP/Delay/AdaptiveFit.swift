import Numerics

/// `PulseFit` where the channel near its first path is a few paths, else a first path before scattering (`RiceWindow`): the evidence
/// decides, and where it does not, both count.
///
/// All explain the same 16 taps y. ln of the density of the taps and of the first path's delay is
///
///     paths:  −J/v − 16·ln v − Σ_k [ln(1.75·SNR_k) + ln(12/(2.5·s_k))]      (`PathEvidence`; s_k: Cramér–Rao deviation, taps)
///     Rice:   ln of the mean of L over what scatters (`RiceLikelihood`) and over a pulse that is wrong, less ln of an amplitude's SNR
///
/// Paths are believed where they lead by `margin` for each path but the first: the more paths a fit needs, the likelier they stand for
/// more. Where a wrong pulse explains the taps better than scattering does, they need a larger lead: what a wrong pulse leaves looks like
/// further paths. One path that leaves nothing but noise is kept unasked. Else two paths are fitted, and more only as long as they lead or what
/// they would cost still lets them.
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

  /// Further lead that paths need for each but the first where a wrong pulse explains the taps.
  private static let misfitMargin = 8.0
  /// What noise alone leaves of the window's 16 taps beside three or four paths, rather less than more.
  private static let leastResidual = 14.0
  /// What the weakest path that is believed costs.
  private static let leastCost = 7.4
  /// Taps: the deviation that paths among others are credited with as long as theirs is not known.
  private static let usualDeviation = 0.2

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    // Too few taps for a list of paths.
    guard taps.count >= PulseFit.before + PulseFit.after + 1 else {
      return RiceFit(paths.receiver).estimate(taps, into: &estimate, using: workspace.single)
    }
    guard let question = paths.begin(taps, into: &estimate, using: workspace.paths) else { return }
    let rice = workspace.rice
    guard rice.find(taps, halfTap: question.halfTap), let rival = rice.posterior.summary() else { return }
    let isFitted = paths.answer(question, taps, into: &estimate, using: workspace.paths) { count in
      isBeaten(by: rival.logMass, workspace, count: count, from: question.firstTap)
    }
    guard isFitted, let ending = workspace.paths.ending, let own = logMass(estimate, ending, workspace) else {
      return deliver(rival, rice, into: &estimate)
    }
    paths.addDoubt(to: &estimate, using: workspace.paths)
    guard own.isFinite else { return }
    rice.posterior.addCrest(own, delay: estimate.paths[0].delayTaps, deviation: estimate.paths[0].deviationTaps)
    guard let summary = rice.posterior.summary() else { return }
    guard own > rival.logMass else { return deliver(summary, rice, into: &estimate) }
    estimate.paths[0].delayTaps = summary.delay
    estimate.paths[0].deviationTaps = summary.deviation
  }

  /// Puts the first path before scattering in the place of what `estimate` holds.
  private func deliver(
    _ summary: DelayPosterior.Summary, _ rice: RiceWindow, into estimate: inout DelayEstimate
  ) {
    estimate.paths.removeAll(keepingCapacity: true)
    estimate.paths.append(rice.path(summary))
    estimate.status = rice.isInside ? .ok : .didNotConverge
  }

  /// How far the evidence for paths has to lead.
  private func needed(_ count: Int, _ rice: RiceWindow) -> Double {
    // No number of paths makes up for an infinite one.
    guard margin.isFinite else { return margin }
    return (margin + (rice.isMisfit ? Self.misfitMargin : 0)) * Double(max(0, count - 1))
  }

  /// Whether paths neither lead nor could with one more that left nothing but noise; the fit's last `solve` was of the paths.
  private func isBeaten(by rival: Double, _ workspace: Workspace, count: Int, from start: Int) -> Bool {
    let (fit, rice) = (workspace.paths.fit, workspace.rice)
    var cost = needed(count, rice)
    for index in 0..<count {
      cost += rice.cost(power: fit.amplitude(index).lengthSquared, deviation: Self.usualDeviation)
    }
    let further = cost + Self.leastCost + needed(2, rice)
    return rice.logMass(residual: residual(fit, rice, from: start), cost: cost) < rival
      && rice.logMass(noises: Self.leastResidual, cost: further) < rival
  }

  /// ln of the mass of the paths of `estimate`, those that reach into the window; `nil` where there are none.
  private func logMass(_ estimate: DelayEstimate, _ ending: PulseFit.Ending, _ workspace: Workspace) -> Double? {
    guard !estimate.paths.isEmpty else { return nil }
    let rice = workspace.rice
    let scale = (ending.variance / ending.usedVariance).squareRoot()
    var (cost, count) = (0.0, 0)
    for index in estimate.paths.indices
    where estimate.paths[index].delayTaps < Double(rice.firstTap + RiceTables.windowTaps) + 1 {
      let path = estimate.paths[index]
      let deviation = index == 0 ? ending.firstDeviation : path.deviationTaps
      cost += rice.cost(power: path.amplitude.lengthSquared, deviation: scale * deviation)
      count += 1
    }
    return rice.logMass(
      residual: residual(workspace.paths.fit, rice, from: ending.firstTap), cost: cost + needed(count, rice))
  }

  /// What a fit whose window begins at `start` leaves of Rice's window, a power.
  private func residual(_ fit: PathFit, _ rice: RiceWindow, from start: Int) -> Double {
    let first = rice.firstTap - start
    return fit.residualPower(in: first..<first + RiceTables.windowTaps)
  }
}
