import UWBPlatform

/// How many sources a covariance holds, from its eigenvalues, by information criteria.
///
///     minimise over k:   −2·N·(M − k)·ln(geometric/arithmetic mean of the M − k smallest) + penalty(k)
///     AIC: 2·ν(k),   MDL: ν(k)·ln N,   ν = k·(2M − k), after forward–backward averaging k·(2M − k + 1)/2
///
/// (Wax & Kailath, "Detection of signals by information theoretic criteria", 1985; Xu, Roy & Kailath 1994 for the
/// averaged count.) MDL is consistent, AIC finds one source too many every so often, whatever N. Coherent sources count
/// as one unless smoothed. Not for fewer snapshots than antennas: eigenvalues of zero are left out of M then, which makes
/// the answer a guess. Cost O(M²).
enum SourceCountTest {
  /// - Parameters:
  ///   - values: eigenvalues, ascending.
  ///   - snapshots: N.
  /// - Returns: between 0 and the method's limit.
  static func count(
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
    for k in 0...max(0, min(method.limit, size - 1)) {
      let noise = size - k
      var logarithms = 0.0
      var sum = 0.0
      for index in 0..<noise {
        logarithms += log(values[empty + index])
        sum += values[empty + index]
      }
      let likelihood = -2 * Double(snapshots) * (logarithms - Double(noise) * log(sum / Double(noise)))
      let freedom = isAveraged ? Double(k * (2 * size - k + 1)) / 2 : Double(k * (2 * size - k))
      let value = likelihood + freedom * (isMDL ? log(Double(snapshots)) : 2)
      if value < best.value { best = (k, value) }
    }
    return best.count
  }
}
