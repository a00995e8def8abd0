import Numerics

/// Nonlinear least squares over all paths near the first one, their number chosen by a test.
///
///     minimise over K, τ_1 … τ_K, a_1 … a_K:   J = Σ_k |h[k] − Σ_i a_i·p(k − τ_i)|²
///
/// over the taps from 12 before the rough first path to 10 after, whitened where their noise is correlated. Variable projection eliminates
/// the amplitudes (Golub & Pereyra 1973, with Kaufman's Jacobian of 1975), and Levenberg–Marquardt moves the delays. As the pulse is real,
/// all normal equations are real and K × K.
///
/// `OrderSelection` chooses K: it resolves two paths a tap apart for most phases, and splits one path at 20 dB about once in a thousand
/// CIRs. The noise variance counts the pulse's model error too. Deviations are the Cramér–Rao bound at the solution, raised where the
/// residual exceeds the noise. The first path's also holds the refused path, by the chance that it is there.
///
/// One path that leaves nothing but noise goes by `OnePathFit`, which is quicker.
///
/// Cost: the search over all taps, then O(window · K²) a step, of which there are 120 at the most (`OrderSelection`).
/// Don't use it with a pulse that is wrong by more than a few per cent: the misfit becomes phantom paths. `EdgeFit` asks less of the pulse.
public struct PulseFit: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// Most paths in the window, 1 … 8.
  public var mostPaths: Int

  /// - Precondition: 1 ≤ `mostPaths` ≤ 8.
  public init(_ receiver: ReceiverModel = ReceiverModel(), mostPaths: Int = 8) {
    precondition(
      (1...PathFit.mostPaths).contains(mostPaths),
      "\(mostPaths) paths: between 1 and \(PathFit.mostPaths) can be fitted")
    self.receiver = receiver
    self.mostPaths = mostPaths
  }

  package static let before = 12
  package static let after = 10
  static let windowTaps = before + after + 1

  /// The minimum that a fit ended at, for those who weigh it against another model.
  struct Solution {
    var firstTap: Int
    /// Least squares left, J.
    var cost: Double
    /// Noise and model error that were assumed for a tap.
    var variance: Double
    /// What the deviations were scaled with: the larger of `variance` and what the residual shows.
    var usedVariance: Double
    /// The first path's Cramér–Rao deviation at `usedVariance`, taps, without a refused path.
    var firstDeviation: Double
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let rough: RoughFirstPath
    fileprivate let selection: OrderSelection<PathFit>
    /// Of the window that the last estimate asked about.
    var fit: PathFit { selection.model }
    /// `nil` where noise has to be whitened.
    fileprivate let single: OnePathFit?
    /// Of the last estimate; `nil` where it fitted nothing.
    fileprivate(set) var solution: Solution?

    fileprivate init(_ estimator: PulseFit, tapCount: Int) {
      rough = RoughFirstPath(estimator.receiver, tapCount: tapCount)
      let table = PulseTable(estimator.receiver)
      let window = PulseFit.windowTaps
      selection = OrderSelection(
        PathFit(table: table, windowTaps: window, noise: estimator.receiver.noise), mostPaths: estimator.mostPaths)
      single = estimator.receiver.noise.isWhite ? OnePathFit(table: table, windowTaps: window) : nil
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    if let window = begin(taps, into: &estimate, using: workspace),
      fitPaths(in: window, taps, into: &estimate, using: workspace)
    {
      addRefusedPath(to: &estimate, using: workspace)
    }
    estimate.addAmbiguity()
  }

  /// A window in which one path alone does not explain everything, or was not asked to.
  struct Window {
    var firstTap: Int
    /// The rough first path, half taps from the start of the accumulator.
    var halfTap: Int
    /// Where the descent begins, taps from the window's start.
    var start: Double
    /// Whether one path is best there.
    var isSettled = false
    /// Noise and model error of a tap.
    var variance: Double
    /// Whether paths are no explanation (`CrowdedTaps`). Nothing was fitted then.
    var isCrowded = false
  }

  /// The first half of an estimate: finds the first path and settles it where it is alone; else returns the window that is left to `fitPaths`.
  ///
  /// - Parameter asksForGaps: whether there is another explanation for taps that paths would leave gaps in.
  func begin(
    _ taps: PreparedTaps, asksForGaps: Bool = false, into estimate: inout DelayEstimate, using workspace: Workspace
  ) -> Window? {
    workspace.solution = nil
    workspace.selection.forgetRefusal()
    guard let halfTap = workspace.rough.find(taps, into: &estimate), taps.count >= Self.windowTaps else { return nil }
    let first = min(max(0, (halfTap + 1) / 2 - PulseFit.before), taps.count - Self.windowTaps)
    var window = Window(
      firstTap: first, halfTap: halfTap, start: Double(halfTap) / 2 - Double(first), variance: 0)
    if asksForGaps, CrowdedTaps.follow(halfTap, antennas: 1, { _ in taps }) {
      window.isCrowded = true
      return window
    }
    guard let single = workspace.single else {
      workspace.selection.model.load(taps, firstTap: first)
      window.variance = variance(taps, workspace.selection.model.strongestPower)
      return window
    }
    single.load(taps, firstTap: first)
    window.variance = variance(taps, single.strongestPower)
    guard
      let one = single.settle(
        from: window.start, variance: window.variance, tolerance: OrderSelection<PathFit>.settledTolerance)
    else { return window }
    if one.isAlone {
      workspace.solution = report(one, firstTap: first, variance: window.variance, into: &estimate)
      return nil
    }
    (window.start, window.isSettled) = (one.delay, true)
    return window
  }

  /// The second half: as many paths as there are, without `addRefusedPath`; `false`, and nothing in `estimate`, where another explanation beats
  /// them (`OrderSelection`).
  func fitPaths(
    in window: Window, _ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace,
    isBeaten: (Int, Double) -> Bool = { _, _ in false }
  ) -> Bool {
    let fit = workspace.selection.model
    let variance = window.variance
    // Where noise has to be whitened, it is what `begin` has looked at.
    if workspace.single != nil { fit.load(taps, firstTap: window.firstTap) }
    let logSNR = max(0, Double.log(fit.strongestPower / variance))
    let (found, settled, _) = workspace.selection.run(
      from: window.start, isSettled: window.isSettled, variance: variance, logSNR: logSNR, isBeaten: isBeaten)
    guard let count = found else { return false }
    let delays = workspace.selection.positions
    workspace.solution = report(
      delays, count, settled, firstTap: window.firstTap, variance: variance, fit, into: &estimate)
    return true
  }

  /// Raises the first path's deviation by the chance that the refused path is there; `fit` has another residual then.
  func addRefusedPath(to estimate: inout DelayEstimate, using workspace: Workspace) {
    guard let used = workspace.solution?.usedVariance, let first = estimate.paths.first,
      let refused = workspace.selection.refusedPath(
        count: estimate.paths.count, delay: workspace.selection.positions[0], variance: used)
    else { return }
    let stated = first.deviationTaps
    estimate.paths[0].deviationTaps =
      refused.added(to: stated * stated).squareRoot()
  }

  /// Of a tap's noise and of what the pulse leaves unexplained where the window's strongest power is `peak`.
  private func variance(_ taps: PreparedTaps, _ peak: Double) -> Double {
    receiver.variance(noise: taps.noiseVariance, peak: peak)
  }

  private func report(
    _ one: OnePathFit.Result, firstTap: Int, variance: Double, into estimate: inout DelayEstimate
  ) -> Solution {
    let used = max(variance, one.cost / Self.freedom(count: 1))
    let deviation = (used / 2 / one.curvature).squareRoot()
    let amplitude = Complex(one.real, one.imaginary)
    estimate.status = .ok
    estimate.paths.append(
      PathEstimate(
        delayTaps: Double(firstTap) + one.delay, amplitude: amplitude, deviationTaps: deviation,
        phaseDeviation: (used / 2 / (one.pulseEnergy * amplitude.lengthSquared)).squareRoot()))
    return Solution(
      firstTap: firstTap, cost: one.cost, variance: variance, usedVariance: used, firstDeviation: deviation)
  }

  /// Complex samples less complex amplitudes and real delays.
  private static func freedom(count: Int) -> Double { Double(windowTaps) - 1.5 * Double(count) }

  private func report(
    _ delays: UnsafeMutablePointer<Double>, _ count: Int, _ settled: Bool, firstTap: Int, variance: Double,
    _ fit: PathFit, into estimate: inout DelayEstimate
  ) -> Solution? {
    guard let cost = fit.solve(delays, count: count), fit.differentiate(delays, count: count) else {
      // Two of them coincide: one less explains as much.
      guard count == 1 else {
        return report(
          delays, count - 1, false, firstTap: firstTap, variance: variance, fit, into: &estimate)
      }
      estimate.status = .didNotConverge
      return nil
    }
    // Paths too weak to be accepted stay in the residual and move the others, so the larger of what is seen and what is
    // assumed counts.
    let used = max(variance, cost / Self.freedom(count: count))
    estimate.status = settled ? .ok : .didNotConverge
    fit.report(delays, count: count, firstTap: firstTap, variance: used, into: &estimate)
    return Solution(
      firstTap: firstTap, cost: cost, variance: variance, usedVariance: used,
      firstDeviation: estimate.paths[0].deviationTaps)
  }
}
