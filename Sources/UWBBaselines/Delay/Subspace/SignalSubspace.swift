import CUWBKernels
import Numerics
import UWBDSP

/// The signal subspace of the forward–backward smoothed covariance, in real numbers.
///
/// Forward–backward averaging R + Π·R*·Π (Π reverses the order) doubles the snapshots. The result is centro-Hermitian,
/// and the unitary Q with Q* = Π·Q turns it into a real matrix: with Z = Qᴴ·X (X the weighted Hankel matrix),
///
///     C = Re(Z·Zᴴ),   Qᴴ·(R + Π·R*·Π)·Q = 2·C
///
/// (Haardt & Nossek 1995). Its eigenvectors E give the subspace Q·E at two thirds of what the complex problem costs. Where the number of
/// paths is known, `LeadingVectors` finds their space alone; `SymmetricEigenvectors` finds all values where paths have to be counted.
/// Cost O(L²·M + L³).
final class SignalSubspace {
  let response: FrequencyResponse
  /// Eigenvalues of C, ascending, after `decompose`.
  var values: UnsafeMutablePointer<Double> { eigen.values.pointer }
  /// W⁻¹·Q·E for a basis E of the strongest directions, by columns of `rows` interleaved numbers: the subspace of
  /// unweighted exponentials. W·it is orthonormal.
  let exponentials: AlignedBuffer<Double>
  private let eigen: SymmetricEigenvectors
  private let leading: LeadingVectors
  /// Whether `eigen` holds eigenvectors, and C no longer.
  private var isDecomposed = false
  /// Z by rows: real parts of all snapshots, then imaginary parts.
  private let rotated: AlignedBuffer<Double>

  init(_ response: FrequencyResponse) {
    self.response = response
    eigen = SymmetricEigenvectors(capacity: response.rows)
    leading = LeadingVectors(
      order: response.rows, limit: min(PathFit.mostPaths, response.rows), isHermitian: false)
    rotated = AlignedBuffer(count: 2 * response.rows * response.columns, zero: 0)
    exponentials = AlignedBuffer(count: 2 * response.rows * response.rows, zero: 0)
  }

  /// Makes C of what `response` holds, and decomposes it.
  ///
  /// - Returns: whether the iteration settled.
  func decompose() -> Bool {
    makeCovariance()
    return decomposeCovariance()
  }

  private func decomposeCovariance() -> Bool {
    isDecomposed = eigen.decompose(order: response.rows)
    return isDecomposed
  }

  /// C into the matrix of `eigen`.
  private func makeCovariance() {
    isDecomposed = false
    let (rows, columns) = (response.rows, response.columns)
    let half = rows / 2
    let low = rows - half
    let root = 2.0.squareRoot()
    for column in 0..<columns {
      let x = response.matrix.pointer + column * rows
      let y = x + columns * rows
      // √2·Qᴴ·x
      let target = rotated.pointer + column
      for row in 0..<half {
        let mirror = rows - 1 - row
        let (sum, difference) = (target + 2 * row * columns, target + 2 * (low + row) * columns)
        sum[0] = x[row] + x[mirror]
        sum[columns] = y[row] + y[mirror]
        difference[0] = y[row] - y[mirror]
        difference[columns] = x[mirror] - x[row]
      }
      if rows % 2 == 1 {
        target[2 * half * columns] = root * x[half]
        target[(2 * half + 1) * columns] = root * y[half]
      }
    }
    uwb_gram(rotated.pointer, rows, 2 * columns, 0.5, eigen.matrix.pointer)
  }

  /// How many paths there are: as many as are asked for, or counted; `nil` where their eigenvalues did not settle.
  func order(_ window: FrequencyWindow) -> Int? {
    makeCovariance()
    let most = window.mostPaths(rank: min(response.rows, 2 * response.columns))
    if window.order != nil { return most }
    guard decomposeCovariance() else { return nil }
    return SubspaceStage.pathCount(values, order: response.rows, snapshots: 2 * response.columns, most: most)
  }

  /// Fills the first `count` columns of `exponentials`; `false` where no eigenvectors were found.
  func makeExponentials(count: Int) -> Bool {
    let rows = response.rows
    let isLeading = !isDecomposed && leading.find(eigen.matrix.pointer, count: count)
    guard isLeading || isDecomposed || decomposeCovariance() else { return false }
    response.rowWeights.withUnsafeBufferPointer { weights in
      for index in 0..<count {
        let source =
          isLeading ? leading.vector(index) : UnsafePointer(eigen.matrix.pointer + (rows - 1 - index) * rows)
        let target = exponentials.pointer + 2 * index * rows
        Self.rotateBack(source, count: rows, into: target)
        for row in 0..<rows {
          target[2 * row] /= weights[row]
          target[2 * row + 1] /= weights[row]
        }
      }
    }
    return true
  }

  /// Qᴴ·x: sums of mirrored elements, then −j times their differences.
  @inline(__always)
  static func rotate(_ source: UnsafePointer<Double>, count: Int, into target: UnsafeMutablePointer<Double>) {
    let half = count / 2
    let low = count - half
    let scale = 0.5.squareRoot()
    for index in 0..<half {
      let mirror = count - 1 - index
      let (x, y) = (source[2 * index], source[2 * index + 1])
      let (u, v) = (source[2 * mirror], source[2 * mirror + 1])
      target[2 * index] = scale * (x + u)
      target[2 * index + 1] = scale * (y + v)
      target[2 * (low + index)] = scale * (y - v)
      target[2 * (low + index) + 1] = scale * (u - x)
    }
    if count % 2 == 1 {
      target[2 * half] = source[2 * half]
      target[2 * half + 1] = source[2 * half + 1]
    }
  }

  /// Q·x for real x.
  @inline(__always)
  private static func rotateBack(
    _ source: UnsafePointer<Double>, count: Int, into target: UnsafeMutablePointer<Double>
  ) {
    let half = count / 2
    let low = count - half
    let scale = 0.5.squareRoot()
    for index in 0..<half {
      let mirror = count - 1 - index
      target[2 * index] = scale * source[index]
      target[2 * index + 1] = scale * source[low + index]
      target[2 * mirror] = scale * source[index]
      target[2 * mirror + 1] = -scale * source[low + index]
    }
    if count % 2 == 1 {
      target[2 * half] = source[half]
      target[2 * half + 1] = 0
    }
  }
}
