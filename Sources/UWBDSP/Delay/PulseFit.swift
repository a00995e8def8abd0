import Numerics

/// Nonlinear least squares over all paths near the first one, their number chosen by a test.
///
///     minimise over K, τ_1 … τ_K, a_1 … a_K:   J = Σ_k |h[k] − Σ_i a_i·p(k − τ_i)|²
///
/// over the taps from 12 before the rough first path to 10 after, whitened where their noise is correlated. The amplitudes are eliminated by
/// variable projection (Golub & Pereyra 1973) with Kaufman's (1975) Jacobian, and the delays move by
/// Levenberg–Marquardt; as the pulse is real, all normal equations are real and K × K. `PathCount` chooses K: two paths
/// a tap apart are told apart for most phases, and one path at 20 dB is split about once in a thousand. The noise
/// variance counts the pulse's model error too. Deviations are the Cramér–Rao bound at the solution, raised where the residual
/// exceeds the noise; the first path's also holds the best path that was refused, by the chance that it is there.
///
/// One path that leaves nothing but noise goes by `OnePathFit`, which is quicker.
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

  public final class Workspace {
    fileprivate let search: FirstPathSearch
    fileprivate let searchMemory: FirstPathSearch.Workspace
    fileprivate let paths: PathCount<PathFit>
    /// `nil` where noise has to be whitened.
    fileprivate let single: OnePathFit?
    /// How the last estimate ended; `nil` where it fitted nothing.
    fileprivate(set) var ending: Ending?

    fileprivate init(_ estimator: PulseFit, tapCount: Int) {
      search = FirstPathSearch(
        pulse: estimator.pulse, tapSpacing: estimator.tapSpacing, modelError: estimator.modelError,
        falseAlarmRate: estimator.falseAlarmRate, clutter: estimator.clutter, noise: estimator.noise)
      searchMemory = FirstPathSearch.Workspace(tapCount: tapCount)
      let table = PulseTable(estimator.pulse, tapSpacing: estimator.tapSpacing)
      let window = PulseFit.before + PulseFit.after + 1
      paths = PathCount(
        PathFit(table: table, windowTaps: window, noise: estimator.noise), mostPaths: estimator.mostPaths)
      single = estimator.noise.isWhite ? OnePathFit(table: table, windowTaps: window) : nil
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    workspace.ending = nil
    workspace.paths.forgetRefusal()
    guard taps.isUsable else { return estimate.reset(.emptyImpulseResponse) }
    let found = workspace.search.run(taps, using: workspace.searchMemory)
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: found.threshold.squareRoot())
    guard let halfTap = found.halfTap else { return }

    let fit = workspace.paths.model
    let window = PulseFit.before + PulseFit.after + 1
    guard taps.count >= window else { return }
    let first = min(max(0, (halfTap + 1) / 2 - PulseFit.before), taps.count - window)
    var start = Double(halfTap) / 2 - Double(first)
    if let single = workspace.single {
      single.load(taps, firstTap: first)
      let variance = self.variance(taps, single.strongestPower)
      if let one = single.settle(
        from: start, variance: variance, tolerance: PathCount<PathFit>.settledTolerance)
      {
        if one.isAlone {
          workspace.ending = report(one, firstTap: first, variance: variance, into: &estimate)
          return
        }
        start = one.delay
      }
    }
    fit.load(taps, firstTap: first)
    let peak = fit.strongestPower
    let variance = self.variance(taps, peak)
    let logSNR = max(0, Double.log(peak / variance))
    let (count, settled) = workspace.paths.run(
      from: start, variance: variance, logSNR: logSNR)
    let delays = workspace.paths.positions
    workspace.ending = report(delays, count, settled, firstTap: first, variance: variance, fit, into: &estimate)
    guard let used = workspace.ending?.usedVariance,
      let doubt = workspace.paths.doubt(count: count, delay: delays[0], variance: used)
    else { return }
    let stated = estimate.paths[0].deviationTaps
    estimate.paths[0].deviationTaps =
      ((1 - doubt.chance) * stated * stated + doubt.chance * doubt.secondMoment).squareRoot()
  }

  /// Of a tap's noise and of what the pulse leaves unexplained where the window's strongest power is `peak`.
  private func variance(_ taps: PreparedTaps, _ peak: Double) -> Double {
    taps.noiseVariance + modelError * modelError * peak
  }

  private func report(
    _ one: OnePathFit.Result, firstTap: Int, variance: Double, into estimate: inout DelayEstimate
  ) -> Ending {
    let used = max(variance, one.cost / Self.freedom(count: 1))
    let deviation = (used / 2 / one.curvature).squareRoot()
    let amplitude = Complex(one.real, one.imaginary)
    estimate.status = .ok
    estimate.paths.append(
      PathEstimate(
        delayTaps: Double(firstTap) + one.delay, amplitude: amplitude, deviationTaps: deviation,
        phaseDeviation: (used / 2 / (one.pulseEnergy * amplitude.lengthSquared)).squareRoot()))
    return Ending(
      firstTap: firstTap, cost: one.cost, variance: variance, usedVariance: used, firstDeviation: deviation)
  }

  /// Complex samples less complex amplitudes and real delays.
  private static func freedom(count: Int) -> Double { Double(before + after + 1) - 1.5 * Double(count) }

  private func report(
    _ delays: UnsafeMutablePointer<Double>, _ count: Int, _ settled: Bool, firstTap: Int, variance: Double,
    _ fit: PathFit, into estimate: inout DelayEstimate
  ) -> Ending? {
    guard let cost = fit.solve(delays, count: count), fit.differentiate(delays, count: count) else {
      estimate.status = .didNotConverge
      return nil
    }
    // Paths too weak to be accepted stay in the residual and move the others, so the larger of what is seen and what is
    // assumed counts.
    let used = max(variance, cost / Self.freedom(count: count))
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
