import Numerics
import UWBPlatform

/// `PulseFit` where the channel near its first path is a few paths, `RiceFit` where it is one path before many, `DenseOnset` where it is a
/// continuum: the evidence chooses.
///
/// All explain the same taps y. Per noise variance v and against noise alone, ln of the evidence is
///
///     paths:  (‖y‖² − J)/v − Σ_k [ln(1.75·SNR_k) + ln(12/(2.5·s_k))]      (`PathEvidence`; s_k: Cramér–Rao deviation, taps)
///     Rice:   ln of the mean over gaps, delays and ρ of L  (`RiceLikelihood`), less ln of the first path's SNR
///     dense:  ln of the mean over profiles, onsets and ρ of L  (`OnsetLikelihood`)
///
/// Paths are kept where they lead by `margin` for each path but the first: the more paths a fit needs, the likelier they stand for more.
/// One path that leaves nothing but noise is kept unasked. Else two paths are fitted, and more only as long as they lead Rice's
/// channel or what they would cost still lets them. What decides is
///
/// - the 16 taps of Rice's window first: paths that lead by 6 more are kept;
/// - the 23 taps of `DenseOnset`'s where the lead is less, on a quarter-tap grid and three profiles;
/// - where paths have lost, how free the first path of Rice's channel stands: with half the power of what follows and known to a tenth of a
///   tap it is taken; else the onset of a dense channel is.
///
/// A fourth explanation is a pulse that is wrong: Rice's channel with a model error of 6 % of the strongest tap. Where the taps' density is
/// highest under that, its first path is delivered.
///
/// A Rice or a dense estimate reports one path. On IEEE 802.15.4a channels, whose first rays may be weak and followed within half a tap,
/// deviations are too small where paths or Rice's channel are chosen. Cost: `PulseFit`'s, mostly of two or three paths, some 4 µs where
/// it found more than one, some 15 µs more where the channel is dense, and 4 µs for the pulse's misfit.
public struct AdaptiveFit: DelayEstimator {
  public var paths: PulseFit
  /// How far the evidence for paths has to lead for each path but the first, in ln of likelihood.
  public var margin: Double

  public init(_ receiver: ReceiverModel = ReceiverModel(), margin: Double = 2) {
    paths = PulseFit(receiver)
    self.margin = margin
  }

  public final class Workspace {
    fileprivate let paths: PulseFit.Workspace
    fileprivate let single: RiceFit.Workspace
    fileprivate var rice: RiceLikelihood { single.likelihood }
    fileprivate let dense: OnsetLikelihood

    fileprivate init(_ estimator: AdaptiveFit, tapCount: Int) {
      let paths = estimator.paths
      self.paths = paths.makeWorkspace(tapCount: tapCount)
      single = RiceFit(paths.receiver).makeWorkspace(tapCount: tapCount)
      dense = OnsetLikelihood(paths.receiver)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  /// Further lead over Rice's channel with which paths are kept without asking for more.
  private static let clearLead = 6.0
  /// Further lead over a continuum that they need where it is less.
  private static let denseLead = 4.0

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    // Too few taps for a list of paths.
    guard taps.count >= OnsetTables.windowTaps else {
      return RiceFit(paths.receiver).estimate(taps, into: &estimate, using: workspace.single)
    }
    guard let question = paths.begin(taps, into: &estimate, using: workspace.paths) else { return }
    var rival: Rival?
    let isFitted = paths.answer(question, taps, into: &estimate, using: workspace.paths) { count in
      if rival == nil { rival = Rival(workspace.rice, taps, question) }
      return rival?.beats(workspace.paths.fit, count: count, question, margin: needed(count)) ?? false
    }
    guard isFitted else {
      guard let rival else { return }
      if takeMisfit(into: &estimate, rival, against: rival.evidence, taps, question, workspace) { return }
      if !rival.isFree, evaluateDense(taps, question, workspace), takeOnset(into: &estimate, workspace) { return }
      estimate.replacePaths(by: rival.path)
      return
    }
    guard let ending = workspace.paths.ending, !estimate.paths.isEmpty else { return }
    if !isOnePath(estimate, ending) {
      let rival = rival ?? Rival(workspace.rice, taps, question)
      if let rival {
        let list = rival.evidence(estimate, ending, workspace.paths.fit)
        let own = list.value - needed(max(1, list.count)) - Self.misfitMargin * Double(max(1, list.count) - 1)
        if takeMisfit(into: &estimate, rival, against: max(own, rival.evidence), taps, question, workspace) { return }
      }
      if improve(&estimate, rival, ending, taps, question, workspace) { return }
    }
    paths.addDoubt(to: &estimate, using: workspace.paths)
  }

  /// Puts Rice's first path in the place of what `estimate` holds where taps that the pulse explains only to `misfit` are likelier than
  /// what explained them so far; whether it did.
  ///
  /// - Parameters:
  ///   - rival: Rice's explanation of the same window at the variance of `question`.
  ///   - evidence: ln of the evidence so far on that window, against noise alone.
  private func takeMisfit(
    into estimate: inout DelayEstimate, _ rival: Rival, against evidence: Double, _ taps: PreparedTaps,
    _ question: PulseFit.Question, _ workspace: Workspace
  ) -> Bool {
    var wide = question
    wide.variance += Self.misfit * Self.misfit * rival.strongestPower
    guard wide.variance > 2 * question.variance, let other = Rival(workspace.rice, taps, wide, firstTap: rival.firstTap)
    else { return false }
    guard other.logDensity(other.evidence, wide.variance) > rival.logDensity(evidence, question.variance) else {
      return false
    }
    estimate.replacePaths(by: other.path)
    return true
  }

  /// Error of a pulse that is not the one that was assumed, relative to the strongest tap.
  private static let misfit = 0.06
  /// Further lead over a misfit that paths need for each but the first: what a wrong pulse leaves looks like further paths.
  private static let misfitMargin = 6.0

  /// How far the evidence for paths has to lead.
  private func needed(_ count: Int) -> Double {
    // No number of paths makes up for an infinite one.
    margin.isInfinite ? margin : margin * Double(count - 1)
  }

  /// Puts the first path of a Rice channel or of a continuum in the place of the paths of `estimate` where these don't lead; whether it did.
  private func improve(
    _ estimate: inout DelayEstimate, _ rival: Rival?, _ ending: PulseFit.Ending, _ taps: PreparedTaps,
    _ question: PulseFit.Question, _ workspace: Workspace
  ) -> Bool {
    var leadsRice = true
    if let rival {
      let own = rival.evidence(estimate, ending, workspace.paths.fit)
      let lead = own.value - rival.evidence - needed(max(1, own.count))
      guard lead <= Self.clearLead else { return false }
      leadsRice = lead > 0
      if !leadsRice, rival.isFree {
        estimate.replacePaths(by: rival.path)
        return true
      }
    }
    guard evaluateDense(taps, question, workspace) else { return false }
    let lead = evidence(estimate, ending, energy: workspace.dense.energy) - workspace.dense.evidence()
    let further = rival != nil && leadsRice ? Self.denseLead : 0
    guard lead <= needed(estimate.paths.count) + further else { return false }
    if let rival, rival.isFree {
      estimate.replacePaths(by: rival.path)
      return true
    }
    return takeOnset(into: &estimate, workspace)
  }

  /// `false` where the CIR's end shifted the window: the tables' onsets are not where the first path may be.
  private func evaluateDense(_ taps: PreparedTaps, _ question: PulseFit.Question, _ workspace: Workspace) -> Bool {
    guard question.firstTap > 0, question.firstTap + OnsetTables.windowTaps < taps.count else { return false }
    workspace.dense.load(taps, firstTap: question.firstTap, variance: question.variance)
    workspace.dense.evaluate(OnsetLikelihood.Stage.deciding)
    return true
  }

  /// Puts the onset of a continuum in the place of what `estimate` holds; `evaluateDense` has to have succeeded.
  private func takeOnset(into estimate: inout DelayEstimate, _ workspace: Workspace) -> Bool {
    workspace.dense.evaluate(OnsetLikelihood.Stage.others)
    guard let path = workspace.dense.path() else { return false }
    estimate.replacePaths(by: path)
    return true
  }

  /// One path whose residual is no more than noise leaves, with a margin of three deviations of its power.
  private func isOnePath(_ estimate: DelayEstimate, _ ending: PulseFit.Ending) -> Bool {
    let window = Double(OnsetTables.windowTaps)
    return estimate.paths.count == 1 && ending.cost < (window + 3 * window.squareRoot()) * ending.variance
  }

  /// ln of the evidence for the paths found, against noise alone.
  private func evidence(_ estimate: DelayEstimate, _ ending: PulseFit.Ending, energy: Double) -> Double {
    var sum = energy - ending.cost / ending.variance
    for index in estimate.paths.indices { sum -= ending.cost(of: index, in: estimate) }
    return sum
  }
}

extension PulseFit.Ending {
  /// What a path costs in evidence. With the bound at the assumed variance: reported deviations count what the residual shows too.
  fileprivate func cost(of index: Int, in estimate: DelayEstimate) -> Double {
    let path = estimate.paths[index]
    let scale = (variance / usedVariance).squareRoot()
    let deviation = index == 0 ? firstDeviation : path.deviationTaps
    return PathEvidence.amplitudeCost(power: path.amplitude.lengthSquared / variance)
      + PathEvidence.delayCost(deviation: scale * deviation)
  }
}

extension DelayEstimate {
  fileprivate mutating func replacePaths(by path: PathEstimate) {
    paths.removeAll(keepingCapacity: true)
    paths.append(path)
    status = .ok
  }
}

/// Rice's explanation of a window, which lists of paths have to beat.
private struct Rival {
  let path: PathEstimate
  let evidence: Double
  /// Whether the first path stands free of what follows.
  let isFree: Bool
  let firstTap: Int
  /// |h|² of the strongest tap of the window.
  let strongestPower: Double
  /// ‖y‖²/v
  private let energy: Double

  /// A first path that stands free has this much of the scattering's power, and this deviation in taps at the most. Where it is weaker, so
  /// may be others before it.
  private static let leastFactor = 0.5
  private static let mostDeviation = 0.1
  /// What noise alone leaves of the window's 16 taps beside three or four paths, rather less than more.
  private static let leastResidual = 14.0
  /// What the weakest path that is believed costs.
  private static let leastCost = 7.4
  /// Taps: the deviation that paths among others are credited with as long as theirs is not known.
  private static let usualDeviation = 0.2

  /// `nil` where the taps are not finite.
  init?(_ likelihood: RiceLikelihood, _ taps: PreparedTaps, _ question: PulseFit.Question, firstTap: Int? = nil) {
    guard
      let finding = firstTap.map({
        likelihood.find(taps, halfTap: 2 * ($0 + RiceTables.roughTap), moves: 0, variance: { _ in question.variance })
      }) ?? likelihood.find(taps, halfTap: question.halfTap, variance: { _ in question.variance })
    else { return nil }
    let (path, factor) = likelihood.path(finding)
    self.path = path
    isFree = factor > Self.leastFactor && path.deviationTaps < Self.mostDeviation
    evidence = likelihood.evidence(finding, path)
    energy = likelihood.energy
    self.firstTap = finding.firstTap
    strongestPower = RiceTables.strongestPower(taps, firstTap: finding.firstTap)
  }

  /// ln of the taps' probability density where `evidence` is that against noise alone of `variance`.
  func logDensity(_ evidence: Double, _ variance: Double) -> Double {
    evidence - energy - Double(RiceTables.windowTaps) * log(variance)
  }

  /// Whether paths neither lead nor could with one more that left nothing but noise.
  ///
  /// - Parameters:
  ///   - fit: its last `solve` was of the paths.
  ///   - margin: the lead that they need.
  func beats(_ fit: PathFit, count: Int, _ question: PulseFit.Question, margin: Double) -> Bool {
    var cost = margin
    for index in 0..<count {
      cost +=
        PathEvidence.amplitudeCost(power: fit.amplitude(index).lengthSquared / question.variance)
        + PathEvidence.delayCost(deviation: Self.usualDeviation)
    }
    let allowed = energy - evidence - cost
    return left(by: fit, from: question.firstTap, question.variance) > allowed
      && Self.leastResidual + Self.leastCost > allowed
  }

  /// ln of the evidence for the paths of `estimate` on Rice's window, and how many of them reach into it.
  func evidence(_ estimate: DelayEstimate, _ ending: PulseFit.Ending, _ fit: PathFit) -> (value: Double, count: Int) {
    var sum = energy - left(by: fit, from: ending.firstTap, ending.variance)
    var count = 0
    for index in estimate.paths.indices
    where estimate.paths[index].delayTaps < Double(firstTap + RiceTables.windowTaps) + 1 {
      sum -= ending.cost(of: index, in: estimate)
      count += 1
    }
    return (sum, count)
  }

  /// What a fit leaves of the window, noise variances.
  private func left(by fit: PathFit, from start: Int, _ variance: Double) -> Double {
    let first = firstTap - start
    return fit.residualPower(in: first..<first + RiceTables.windowTaps) / variance
  }
}
