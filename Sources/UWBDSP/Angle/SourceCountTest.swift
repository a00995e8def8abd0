import UWBPlatform

/// How many sources a covariance holds, from its eigenvalues, by information criteria.
///
///     minimise over k:   −2·N·(M − k)·ln(geometric/arithmetic mean of the M − k smallest) + penalty(k)
///     AIC: 2·ν(k),   MDL: ν(k)·ln N,   ν = k·(2M − k), after forward–backward averaging k·(2M − k + 1)/2
///
/// (Wax & Kailath, "Detection of signals by information theoretic criteria", 1985; Xu, Roy & Kailath 1994 for the
/// averaged count.) MDL is consistent, AIC finds one source too many every so often, whatever N. Coherent sources count
/// as one unless smoothed. Not for fewer snapshots than antennas: eigenvalues of zero are left out of M then, which makes
/// the answer a guess. Cost O(M).
package enum SourceCountTest {
  /// - Parameters:
  ///   - values: eigenvalues, ascending.
  ///   - snapshots: N.
  /// - Returns: between 0 and the method's limit.
  package static func count(
    _ method: SourceCount, values: UnsafePointer<Double>, order: Int, snapshots: Int, isAveraged: Bool
  ) -> Int {
    let isMDL: Bool
    switch method {
    case .known(let count): return min(count, order - 1)
    case .aic: isMDL = false
    case .mdl: isMDL = true
    }
    let floor = 1e-12 * max(values[order - 1], 0)
    let empty = (0..<order).first { values[$0] > floor } ?? order - 1
    let size = order - empty
    var best = (count: 0, value: Double.infinity)
    var (logarithms, sum) = (0.0, 0.0)
    for noise in 1...size {
      logarithms += log(values[empty + noise - 1])
      sum += values[empty + noise - 1]
      let k = size - noise
      guard k <= method.limit else { continue }
      let likelihood = -2 * Double(snapshots) * (logarithms - Double(noise) * log(sum / Double(noise)))
      let freedom = isAveraged ? Double(k * (2 * size - k + 1)) / 2 : Double(k * (2 * size - k))
      let value = likelihood + freedom * (isMDL ? log(Double(snapshots)) : 2)
      if value <= best.value { best = (k, value) }
    }
    return best.count
  }
}
