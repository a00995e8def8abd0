import Numerics

/// The signal subspace of the forward–backward smoothed covariance, in real numbers.
///
/// Forward–backward averaging R + Π·R*·Π (Π reverses the order) doubles the snapshots. The result is centro-Hermitian,
/// and the unitary Q with Q* = Π·Q turns it into a real matrix: with Z = Qᴴ·X (X the weighted Hankel matrix),
///
///     C = Re(Z·Zᴴ),   Qᴴ·(R + Π·R*·Π)·Q = 2·C
///
/// (Haardt & Nossek 1995). Its eigenvectors E give the subspace Q·E at two thirds of what the complex problem costs
/// (`SymmetricEigenvectors`). Cost O(L²·M + L³).
final class SignalSubspace {
  let response: FrequencyResponse
  /// Eigenvalues of C, ascending.
  var values: UnsafeMutablePointer<Double> { eigen.values.pointer }
  /// W⁻¹·Q·E for the strongest directions, strongest first, by columns of `rows` interleaved numbers: the subspace of
  /// unweighted exponentials. W·it is orthonormal.
  let exponentials: AlignedBuffer<Double>
  private let eigen: SymmetricEigenvectors
  private let rotated: AlignedBuffer<Double>

  init(_ response: FrequencyResponse) {
    self.response = response
    eigen = SymmetricEigenvectors(capacity: response.rows)
    rotated = AlignedBuffer(count: 2 * response.rows * response.columns, zero: 0)
    exponentials = AlignedBuffer(count: 2 * response.rows * response.rows, zero: 0)
  }

  /// Decomposes what `response` holds.
  ///
  /// - Returns: whether the iteration settled.
  func decompose() -> Bool {
    let rows = response.rows
    for column in 0..<response.columns {
      Self.rotate(
        response.matrix.pointer + 2 * column * rows, count: rows, into: rotated.pointer + 2 * column * rows)
    }
    let covariance = eigen.matrix.pointer
    for column in 0..<rows {
      for row in 0...column { covariance[column * rows + row] = 0 }
    }
    for snapshot in 0..<response.columns {
      let z = rotated.pointer + 2 * snapshot * rows
      for column in 0..<rows {
        let x = z[2 * column]
        let y = z[2 * column + 1]
        let target = covariance + column * rows
        for row in 0...column { target[row] += x * z[2 * row] + y * z[2 * row + 1] }
      }
    }
    return eigen.decompose(order: rows)
  }

  /// Decomposes, then counts the paths unless their number is given; `nil` where the iteration did not settle.
  func order(_ window: FrequencyWindow) -> Int? {
    guard decompose() else { return nil }
    let most = window.mostPaths(rank: min(response.rows, 2 * response.columns))
    if window.order != nil { return most }
    return MinimumDescriptionLength.order(
      values, count: response.rows, snapshots: 2 * response.columns, most: most)
  }

  /// Fills the first `count` columns of `exponentials`.
  func makeExponentials(count: Int) {
    let rows = response.rows
    response.rowWeights.withUnsafeBufferPointer { weights in
      for index in 0..<count {
        let source = eigen.matrix.pointer + (rows - 1 - index) * rows
        let target = exponentials.pointer + 2 * index * rows
        Self.rotateBack(source, count: rows, into: target)
        for row in 0..<rows {
          target[2 * row] /= weights[row]
          target[2 * row + 1] /= weights[row]
        }
      }
    }
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
