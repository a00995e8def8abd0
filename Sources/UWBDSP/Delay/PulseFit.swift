import Numerics

/// Nonlinear least squares over all paths near the first one, their number chosen by a test.
///
///     minimise over K, τ_1 … τ_K, a_1 … a_K:   J = Σ_k |h[k] − Σ_i a_i·p(k − τ_i)|²
///
/// over the taps from 12 before the rough first path to 10 after, whitened where their noise is correlated. The amplitudes are eliminated by
/// variable projection (Golub & Pereyra 1973) with Kaufman's (1975) Jacobian, and the delays move by
/// Levenberg–Marquardt; as the pulse is real, all normal equations are real and K × K. One path more is accepted only
/// if it lowers J by γ·v with γ = 14 + ln(SNR): adding a path to pure noise passes at about 150·e^(−γ), and a phantom
/// first path errs by taps where the true one errs by a hundredth. Where the new path leaves the first one within
/// half a tap of where it was, little is at stake and γ = 5 + ln(SNR): two paths a tap apart are told apart for most
/// phases, and one path at 20 dB is split about once in a thousand. Up to 1.25 taps γ grows with what is at stake. v is the noise variance plus the pulse's model
/// error. Each order starts from the projected matched filter's peak and, where the residual hints at more, from the
/// strongest path split in two. Deviations are the Cramér–Rao bound at the solution, raised where the residual
/// exceeds the noise; the first path's also holds the best path that was refused, by the chance that it is there.
///
/// Cost: the search over all taps (about 1 µs for 1016), then O(window · K²) an iteration. Don't use it with a pulse
/// that is wrong by more than a few per cent: the misfit becomes phantom paths; `EdgeFit` asks less of the pulse.
public struct PulseFit: DelayEstimator {
  public var pulse: PulseShape
  /// Seconds from tap to tap.
  public var tapSpacing: Double
  /// What the pulse leaves unexplained, relative to the strongest tap of the window.
  public var modelError: Double
  /// Chance that noise before the true first path is taken for it (`FirstPathSearch`).
  public var falseAlarmRate: Double
  /// Magnitude of the radio's own clutter before the first path, relative to the strongest path.
  public var clutter: Double
  /// Of the taps' noise.
  public var noise: NoiseCorrelation
  /// Most paths in the window, 1 … 8.
  public var mostPaths: Int

  /// - Precondition: 1 ≤ `mostPaths` ≤ 8.
  public init(
    pulse: PulseShape, tapSpacing: Double = UWB.tap, modelError: Double = 0.003, falseAlarmRate: Double = 1e-6,
    clutter: Double = 0, noise: NoiseCorrelation = .white, mostPaths: Int = 8
  ) {
    precondition((1...8).contains(mostPaths), "\(mostPaths) paths: between 1 and 8 can be fitted")
    self.pulse = pulse
    self.tapSpacing = tapSpacing
    self.modelError = modelError
    self.falseAlarmRate = falseAlarmRate
    self.clutter = clutter
    self.noise = noise
    self.mostPaths = mostPaths
  }

  static let before = 12
  static let after = 10
  /// Constant part of γ, from a path that moves the first one by half a tap or less to one that moves it by 1.25 or more.
  private static let acceptance = Stakes(near: 5, far: 14)
  /// Noise variances that a path has to bring before it is as likely there as not: the price of three more unknowns found
  /// by a search, which is longer where the path may be anywhere.
  private static let evenOdds = Stakes(near: 7, far: 12)
  /// Noise variances that hint at a further path, and make it worth a fit.
  private static let hint = 6.0
  /// The same for a path that stands for two: it is one direction that is looked at, not a grid of them.
  private static let splitHint = 4.0

  /// A figure that depends on how far a further path moves the first one.
  private struct Stakes {
    var near: Double
    var far: Double

    func callAsFunction(shift: Double) -> Double {
      near + (far - near) * min(max((shift - 0.5) / 0.75, 0), 1)
    }
  }

  /// What a fit ended at, for those who weigh it against another model.
  struct Ending {
    var firstTap: Int
    /// Least squares left, J.
    var cost: Double
    /// Noise and model error that were assumed for a tap.
    var variance: Double
    /// What the deviations were scaled with: the larger of `variance` and what the residual shows.
    var usedVariance: Double
    /// The first path's Cramér–Rao deviation at `usedVariance`, taps: without the doubt about a refused path.
    var firstDeviation: Double
  }

  /// A further path that was not believed: how many noise variances it would have brought, and how many it had to.
  fileprivate struct Refusal {
    var gain: Double
    var believable: Double
  }

  public final class Workspace {
    fileprivate let search: FirstPathSearch
    fileprivate let searchMemory: FirstPathSearch.Workspace
    fileprivate let fit: PathFit
    fileprivate let starts: PathStarts
    fileprivate let delays = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)
    fileprivate let trial = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)
    fileprivate let better = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)
    /// The best fit that was refused for the order that stands, if there was one.
    fileprivate let refused = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)
    fileprivate var refusal: Refusal?
    /// How the last estimate ended; `nil` where it fitted nothing.
    fileprivate(set) var ending: Ending?

    fileprivate init(_ estimator: PulseFit, tapCount: Int) {
      search = FirstPathSearch(
        pulse: estimator.pulse, tapSpacing: estimator.tapSpacing, modelError: estimator.modelError,
        falseAlarmRate: estimator.falseAlarmRate, clutter: estimator.clutter, noise: estimator.noise)
      searchMemory = FirstPathSearch.Workspace(tapCount: tapCount)
      let table = PulseTable(estimator.pulse, tapSpacing: estimator.tapSpacing)
      let window = PulseFit.before + PulseFit.after + 1
      fit = PathFit(table: table, windowTaps: window, noise: estimator.noise)
      starts = PathStarts(table: table, windowTaps: window, noise: estimator.noise)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    workspace.ending = nil
    workspace.refusal = nil
    guard taps.isUsable else { return estimate.reset(.emptyImpulseResponse) }
    let found = workspace.search.run(taps, using: workspace.searchMemory)
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: found.threshold.squareRoot())
    guard let halfTap = found.halfTap else { return }

    let fit = workspace.fit
    let window = PulseFit.before + PulseFit.after + 1
    guard taps.count >= window else { return }
    let first = min(max(0, (halfTap + 1) / 2 - PulseFit.before), taps.count - window)
    fit.load(taps, firstTap: first)
    let peak = fit.strongestPower
    let variance = taps.noiseVariance + modelError * modelError * peak
    let logSNR = max(0, Double.log(peak / variance))
    let limits = Limits(variance: variance, logSNR: logSNR)

    let delays = workspace.delays.pointer
    var count = 1
    delays[0] = Double(halfTap) / 2 - Double(first)
    var settled = true
    var cost = fit.refine(delays, count: 1, variance: variance, settled: &settled)
    while count < mostPaths {
      guard let next = addPath(cost: cost, count: count, limits, workspace) else { break }
      count += 1
      cost = next.cost
      settled = next.settled
    }
    fit.sort(delays, count: count)
    workspace.ending = report(delays, count, settled, firstTap: first, variance: variance, fit, into: &estimate)
    guard let used = workspace.ending?.usedVariance,
      let doubt = doubt(workspace, count: count, delay: delays[0], variance: used)
    else { return }
    let stated = estimate.paths[0].deviationTaps
    estimate.paths[0].deviationTaps =
      ((1 - doubt.chance) * stated * stated + doubt.chance * doubt.secondMoment).squareRoot()
  }

  /// What a further path has to bring, in units of the cost.
  private struct Limits {
    var variance: Double
    var logSNR: Double

    func need(shift: Double) -> Double { (PulseFit.acceptance(shift: shift) + logSNR) * variance }
  }

  /// Tries one path more from each start; keeps the best where it lowers the cost by enough.
  private func addPath(
    cost: Double, count: Int, _ limits: Limits, _ workspace: Workspace
  ) -> (cost: Double, settled: Bool)? {
    let fit = workspace.fit
    let variance = limits.variance
    let window = PulseFit.before + PulseFit.after + 1
    guard cost > PulseFit.hint * variance, fit.solve(workspace.delays.pointer, count: count) != nil else { return nil }
    let start = workspace.starts.strongest(fit, count: count)
    let excess = cost / variance - Double(window)
    // Neither the residual's size nor its shape hints at another path: the usual end, so it is made cheap.
    guard
      start.gain > PulseFit.hint * variance || excess > Double(window).squareRoot()
        || fit.splitGain(workspace.delays.pointer, count: count) > PulseFit.splitHint * variance
    else {
      workspace.refusal = nil
      return nil
    }

    var best = (cost: cost, settled: false)
    var improved = false
    workspace.refusal = nil
    let trial = workspace.trial.pointer
    let firstBefore = (0..<count).reduce(.infinity) { min($0, workspace.delays.pointer[$1]) }
    func attempt() {
      var settled = true
      let reached = fit.refine(trial, count: count + 1, variance: variance, settled: &settled)
      let firstAfter = (0...count).reduce(.infinity) { min($0, trial[$1]) }
      let shift = firstBefore - firstAfter
      // Two paths of opposite phase may run into each other and still tell more of the first than one path does; with
      // more, such a pair only dresses up what it stands beside.
      guard reached < best.cost, count == 1 || !fit.hasCollapsed(count: count + 1) else { return }
      guard reached < cost - limits.need(shift: shift) else {
        let believable = PulseFit.evenOdds(shift: shift)
        refuse(Refusal(gain: (cost - reached) / variance, believable: believable), trial, count + 1, workspace)
        return
      }
      best = (reached, settled)
      improved = true
      workspace.better.pointer.update(from: trial, count: count + 1)
    }
    trial.update(from: workspace.delays.pointer, count: count)
    trial[count] = start.delay
    attempt()
    if fit.solve(workspace.delays.pointer, count: count) != nil {
      let strongest = fit.strongestPath(count: count)
      trial.update(from: workspace.delays.pointer, count: count)
      trial[count] = trial[strongest] + 0.7
      trial[strongest] -= 0.7
      attempt()
    }
    guard improved else { return nil }
    workspace.refusal = nil
    workspace.delays.pointer.update(from: workspace.better.pointer, count: count + 1)
    return best
  }

  private func refuse(
    _ refusal: Refusal, _ delays: UnsafePointer<Double>, _ count: Int, _ workspace: Workspace
  ) {
    guard refusal.gain > workspace.refusal?.gain ?? 0 else { return }
    workspace.refusal = refusal
    workspace.refused.pointer.update(from: delays, count: count)
  }

  /// Second moment of the first path's delay about `delay` if the refused path is there, and the chance that it is.
  ///
  /// Even odds are below what a path has to bring before it is accepted: a wrong one costs more than a missed one.
  private func doubt(
    _ workspace: Workspace, count: Int, delay: Double, variance: Double
  ) -> (chance: Double, secondMoment: Double)? {
    let fit = workspace.fit
    guard let refusal = workspace.refusal, count < PathFit.mostPaths else { return nil }
    let delays = workspace.refused.pointer
    fit.sort(delays, count: count + 1)
    guard fit.solve(delays, count: count + 1) != nil, fit.differentiate(delays, count: count + 1) else { return nil }
    fit.invertCurvature(count: count + 1)
    let shift = delays[0] - delay
    let chance = 1 / (1 + Double.exp(refusal.believable - refusal.gain))
    return (chance, variance / 2 * fit.delayCovariance(0, 0) + shift * shift)
  }

  private func report(
    _ delays: UnsafeMutablePointer<Double>, _ count: Int, _ settled: Bool, firstTap: Int, variance: Double,
    _ fit: PathFit, into estimate: inout DelayEstimate
  ) -> Ending? {
    guard let cost = fit.solve(delays, count: count), fit.differentiate(delays, count: count) else {
      estimate.status = .didNotConverge
      return nil
    }
    // Complex samples less complex amplitudes and real delays. Paths too weak to be accepted stay in the residual and
    // move the others, so the larger of what is seen and what is assumed counts.
    let freedom = Double(fit.windowTaps) - 1.5 * Double(count)
    let used = max(variance, cost / freedom)
    estimate.status = settled ? .ok : .didNotConverge
    fit.invertCurvature(count: count)
    for index in 0..<count {
      estimate.paths.append(
        PathEstimate(
          delayTaps: Double(firstTap) + delays[index], amplitude: fit.amplitude(index),
          deviationTaps: (used / 2 * fit.delayCovariance(index, index)).squareRoot(),
          phaseDeviation: (used / 2 * fit.phaseVariance(index, count: count)).squareRoot()))
    }
    return Ending(
      firstTap: firstTap, cost: cost, variance: variance, usedVariance: used,
      firstDeviation: estimate.paths[0].deviationTaps)
  }
}
