import Numerics
import UWBDSP

/// As `SearchSubtract`, but with all amplitudes found so far re-solved together after each new path.
///
///     τ_i = argmax |z_{i−1}(τ)|,  (a_1 … a_i) = argmin ‖h − Σ_j a_j·p(τ_j)‖²,  r_i = h − Σ_j a_j·p(τ_j)
///
/// Source: Falsi, Dardari, Mucchi & Win, "Time of arrival estimation for UWB localizers in realistic environments",
/// EURASIP Journal on Applied Signal Processing, 2006, article 32082 ("search, subtract and readjust"). The normal
/// equations are real and K × K (`PathFit`). The search ends after N paths, where no peak passes the threshold, or
/// where a new path can't be told from one that is there.
///
/// Looks at 64 taps before the strongest tap to 8 after; below 13 dB, that tap may be noise's. Delays are never moved
/// again once found, so the first of two paths within some four taps keeps the bias that the other gave it. Two taps apart,
/// many a first path is a false early one, as with `SearchSubtract`. `PulseFit` reaches the bound in both. The deviation is the
/// joint Cramér–Rao bound of the paths found, at their delays: honest about noise, silent about that bias. Cost: a matched
/// filter over the window and the normal equations for each path.
public struct SearchSubtractReadjust: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// N, 1 … 8.
  public var mostPaths: Int

  /// - Precondition: 1 ≤ `mostPaths` ≤ 8.
  public init(_ receiver: ReceiverModel = ReceiverModel(), mostPaths: Int = 8) {
    precondition((1...PathFit.mostPaths).contains(mostPaths), "\(mostPaths) paths: between 1 and 8 can be solved")
    self.receiver = receiver
    self.mostPaths = mostPaths
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let map: MatchedFilterMap
    fileprivate let fit: PathFit
    fileprivate let delays = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)

    fileprivate init(_ estimator: SearchSubtractReadjust) {
      map = MatchedFilterMap(estimator.receiver)
      fit = PathFit(
        table: PulseTable(estimator.receiver), windowTaps: MatchedFilterMap.windowTaps)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    let map = workspace.map
    let fit = workspace.fit
    guard let detection = PathDetection(taps, map, receiver, into: &estimate) else { return }
    fit.load(taps, firstTap: map.firstTap)
    let delays = workspace.delays.pointer
    var count = 0
    while count < mostPaths {
      let peak = map.strongest()
      guard map.power(peak) >= detection.level else { break }
      delays[count] = map.delay(ofPeak: peak)
      guard fit.solve(delays, count: count + 1) != nil, !fit.hasCollapsed(count: count + 1) else { break }
      count += 1
      guard count < mostPaths else { break }
      for tap in 0..<MatchedFilterMap.windowTaps {
        map.residual.pointer[2 * tap] = Float(fit.residuals.real[tap])
        map.residual.pointer[2 * tap + 1] = Float(fit.residuals.imaginary[tap])
      }
      map.filter()
    }
    report(delays, count, variance: detection.variance, fit, firstTap: map.firstTap, into: &estimate)
  }

  private func report(
    _ delays: UnsafeMutablePointer<Double>, _ count: Int, variance: Double, _ fit: PathFit, firstTap: Int,
    into estimate: inout DelayEstimate
  ) {
    var ascending = UnsafeMutableBufferPointer(start: delays, count: count)
    ascending.sort()
    guard count > 0, fit.solve(delays, count: count) != nil, fit.differentiate(delays, count: count) else {
      estimate.status = .didNotConverge
      return
    }
    estimate.status = .ok
    fit.report(delays, count: count, firstTap: firstTap, variance: variance, into: &estimate)
  }
}
