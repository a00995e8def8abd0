import Numerics
import UWBDSP

/// Take the strongest peak of the matched filter's output for a path, subtract its pulse, and look again.
///
///     r₀ = h;  τ_i = argmax |z_{i−1}(τ)|,  a_i = Σ r_{i−1}·p(τ_i) / Σ p(τ_i)²,  r_i = r_{i−1} − a_i·p(τ_i)
///
/// This ends where N paths are found or no peak passes the threshold. The first path is the earliest of them. Source: Falsi,
/// Dardari, Mucchi & Win, "Time of arrival estimation for UWB localizers in realistic environments", EURASIP Journal
/// on Applied Signal Processing, 2006, article 32082 ("search and subtract"). They fix N. Here noise ends the search too:
/// the level is one that it passes with probability `falseAlarmRate` in the 64 taps before the strongest one.
///
/// Looks at 64 taps before the strongest tap to 8 after; below 13 dB, that tap may be noise's. Exact (the
/// maximum-likelihood estimate) for one path, and within a few per cent of the bound for paths six taps apart and more.
/// Nearer ones bias each other, since each is measured with the next still in place. What a biased one leaves looks like
/// further paths, earlier ones too: two taps apart, many a first path is one of those. `SearchSubtractReadjust` mends the
/// amplitudes, `PulseFit` the delays too. The deviation is the Cramér–Rao bound of a lone path, so it is too small where
/// paths overlap. Cost: a matched filter over the window for each path.
public struct SearchSubtract: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// N, 1 … 16.
  public var mostPaths: Int

  /// - Precondition: 1 ≤ `mostPaths` ≤ 16.
  public init(_ receiver: ReceiverModel = ReceiverModel(), mostPaths: Int = 12) {
    precondition(
      (1...DelayEstimate.pathCapacity).contains(mostPaths), "\(mostPaths) paths: between 1 and 16 can be subtracted")
    self.receiver = receiver
    self.mostPaths = mostPaths
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let map: MatchedFilterMap
    fileprivate let table: PulseTable
    fileprivate let column = AlignedBuffer<Double>(count: MatchedFilterMap.windowTaps, zero: 0)

    fileprivate init(_ estimator: SearchSubtract) {
      map = MatchedFilterMap(estimator.receiver)
      table = PulseTable(estimator.receiver)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    let map = workspace.map
    guard let detection = PathDetection(taps, map, receiver, into: &estimate) else { return }
    estimate.status = .ok
    while estimate.paths.count < mostPaths {
      let peak = map.strongest()
      guard map.power(peak) >= detection.level else { break }
      let delay = map.delay(ofPeak: peak)
      let amplitude = subtract(delay, workspace)
      let path = map.path(delay: delay, amplitude: amplitude, variance: detection.variance)
      let position = estimate.paths.firstIndex { $0.delayTaps > path.delayTaps } ?? estimate.paths.count
      estimate.paths.insert(path, at: position)
      if estimate.paths.count < mostPaths { map.filter() }
    }
  }

  /// Removes the best path at `delay` from the residual; returns its amplitude.
  private func subtract(_ delay: Double, _ workspace: Workspace) -> Complex<Double> {
    let column = workspace.column.pointer
    let residual = workspace.map.residual.pointer
    let count = MatchedFilterMap.windowTaps
    workspace.table.evaluate(delay: delay, firstTap: 0, count: count, into: column)
    var real = 0.0
    var imaginary = 0.0
    for tap in 0..<count {
      real += column[tap] * Double(residual[2 * tap])
      imaginary += column[tap] * Double(residual[2 * tap + 1])
    }
    let energy = max(dotProduct(column, column, count: count), .leastNormalMagnitude)
    real /= energy
    imaginary /= energy
    for tap in 0..<count {
      residual[2 * tap] -= Float(real * column[tap])
      residual[2 * tap + 1] -= Float(imaginary * column[tap])
    }
    return Complex(real, imaginary)
  }
}
