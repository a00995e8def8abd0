import CUWBKernels
import UWBDSP

/// The strongest left singular vectors of the channel's Hankel matrix X, by its snapshots' Gram matrix.
///
/// XᴴX = W·Λ·Wᴴ has M columns where X has L > M rows, and X·W spans what X's left singular vectors span. Squaring costs digits: a path
/// 10⁸ times weaker than the strongest in power would be lost. Where the number of paths is known, `LeadingVectors` finds their space alone;
/// `HermitianEigenvectors` finds all values where paths have to be counted. Cost O(L·M² + M³).
final class SnapshotGram {
  /// X·W for a basis of the strongest directions: L real parts each, then L imaginary parts.
  let vectors: AlignedBuffer<Double>
  private let response: FrequencyResponse
  private let leading: LeadingVectors
  private let products: AlignedBuffer<Double>
  /// XᴴX by columns: real parts, then imaginary parts.
  private let matrix: AlignedBuffer<Double>
  private let eigen: HermitianEigenvectors.Workspace
  /// Whether `eigen` holds the eigenvectors of `matrix`.
  private var isDecomposed = false

  init(_ response: FrequencyResponse) {
    self.response = response
    let order = response.columns
    vectors = AlignedBuffer(count: 2 * response.rows * PathFit.mostPaths, zero: 0)
    leading = LeadingVectors(order: order, limit: min(PathFit.mostPaths, order), isHermitian: true)
    products = AlignedBuffer(count: 4 * order * order, zero: 0)
    matrix = AlignedBuffer(count: 2 * order * order, zero: 0)
    eigen = HermitianEigenvectors(order: order).makeWorkspace()
    eigen.warmUp()
  }

  /// How many paths `response` holds: as many as are asked for, or counted; `nil` where their eigenvalues did not settle.
  func order(_ window: FrequencyWindow) -> Int? {
    makeGram()
    let rank = response.columns
    let most = window.mostPaths(rank: rank)
    if window.order != nil { return most }
    guard decompose() else { return nil }
    return SubspaceStage.pathCount(eigen.values.pointer, order: rank, snapshots: response.rows, most: most)
  }

  private func makeGram() {
    isDecomposed = false
    let order = response.columns
    uwb_gram(response.matrix.pointer, 2 * order, response.rows, 1, products.pointer)
    for column in 0..<order {
      let real = products.pointer + 2 * column * order
      let imaginary = real + 2 * order * order
      for row in 0..<order {
        matrix.pointer[column * order + row] = real[row] + imaginary[order + row]
        // x_rowᴴ·x_column
        matrix.pointer[(order + column) * order + row] = imaginary[row] - real[order + row]
      }
    }
  }

  private func decompose() -> Bool {
    isDecomposed = eigen.decompose(matrix.pointer)
    return isDecomposed
  }

  /// Fills the first `count` of `vectors`; `false` where no eigenvectors were found.
  func makeVectors(count: Int) -> Bool {
    let order = response.columns
    let isLeading = !isDecomposed && leading.find(matrix.pointer, count: count)
    guard isLeading || isDecomposed || decompose() else { return false }
    for index in 0..<count {
      let target = vectors.pointer + 2 * index * response.rows
      target.update(repeating: 0, count: 2 * response.rows)
      for column in 0..<order {
        if isLeading {
          let w = leading.vector(index)
          add(column, times: SIMD2(w[column], w[leading.stride + column]), to: target)
        } else {
          let w = eigen.vector(order - 1 - index)
          add(column, times: SIMD2(w[2 * column], w[2 * column + 1]), to: target)
        }
      }
    }
    return true
  }

  /// Column m of X times a factor.
  private func add(_ column: Int, times factor: SIMD2<Double>, to target: UnsafeMutablePointer<Double>) {
    let rows = response.rows
    let x = response.matrix.pointer + column * rows
    let y = x + response.columns * rows
    for row in 0..<rows {
      target[row] += factor.x * x[row] - factor.y * y[row]
      target[rows + row] += factor.x * y[row] + factor.y * x[row]
    }
  }
}
