import Numerics
import UWBDSP

/// How many sources a covariance's eigenvalues show, by minimum description length.
///
///     MDL(k) = n·(L − k)·ln(A_k/G_k) + ½·k·(2L − k)·ln n,
///
/// A_k and G_k the arithmetic and geometric means of the L − k smallest eigenvalues, n snapshots (Wax & Kailath
/// 1985). The smallest k it gives here is 1: that there is a path, the rough search has seen.
///
/// A forward–backward average counts its snapshots twice and has half the free parameters (Xu, Roy & Kailath 1994); but
/// the snapshots of spatial smoothing overlap, which spreads the noise's eigenvalues, and with that smaller penalty
/// noise mostly passes for signal. So the penalty is whole here: the count is seldom too low, and `SubspaceStage` takes out again what is
/// too many.
enum MinimumDescriptionLength {
  /// - Parameters:
  ///   - values: `count` eigenvalues, ascending.
  ///   - most: largest k to be considered, less than `count`.
  static func order(_ values: UnsafePointer<Double>, count: Int, snapshots: Int, most: Int) -> Int {
    let floor = max(values[count - 1] * 1e-14, .leastNormalMagnitude)
    let n = Double(snapshots)
    var sum = 0.0
    var logSum = 0.0
    var best = (score: Double.infinity, order: 1)
    for index in 0..<count - 1 {
      let value = max(values[index], floor)
      sum += value
      logSum += Double.log(value)
      let order = count - 1 - index
      guard order <= most else { continue }
      let noise = Double(index + 1)
      let misfit = n * (noise * Double.log(sum / noise) - logSum)
      let score = misfit + 0.5 * Double(order * (2 * count - order)) * Double.log(n)
      if score < best.score { best = (score, order) }
    }
    return best.order
  }
}
