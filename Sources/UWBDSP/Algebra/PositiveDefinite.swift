import CLapacke
import UWBPlatform

/// Symmetric positive definite matrices of any order, A = L·Lᵀ, through LAPACK: for Gaussian processes, where
/// `SmallCholesky` would be slow. The matrix lies in memory of its own by columns; its lower triangle counts.
/// Cost O(n³/3); the inverse twice that again.
package final class PositiveDefinite {
  package let order: Int
  /// A, then L after `factorise`, then A⁻¹ after `invert`: lower triangle.
  package let matrix: AlignedBuffer<Double>

  package init(order: Int) {
    precondition(order >= 1, "a matrix of order \(order) has no sense")
    self.order = order
    matrix = AlignedBuffer(count: order * order, zero: 0)
  }

  /// - Returns: whether A is positive definite.
  package func factorise() -> Bool { uwb_dpotrf(Int32(order), matrix.pointer, Int32(order)) == 0 }

  /// Half the logarithm of A's determinant, after `factorise`.
  package var halfLogDeterminant: Double {
    var sum = 0.0
    for index in 0..<order { sum += log(matrix.pointer[index * order + index]) }
    return sum
  }

  /// Replaces the columns of B (`order` × `count`) by L⁻¹·B, after `factorise`.
  package func whiten(_ sides: UnsafeMutablePointer<Double>, count: Int) {
    _ = uwb_dtrtrs(Int32(order), Int32(count), matrix.pointer, Int32(order), sides, Int32(order))
  }

  /// Replaces L by A⁻¹, both triangles. - Returns: whether it exists.
  package func invert() -> Bool {
    guard uwb_dpotri(Int32(order), matrix.pointer, Int32(order)) == 0 else { return false }
    for column in 0..<order {
      for row in (column + 1)..<max(order, column + 1) {
        matrix.pointer[row * order + column] = matrix.pointer[column * order + row]
      }
    }
    return true
  }

  /// A⁻¹·b, after `invert`.
  package func product(_ vector: [Double]) -> [Double] {
    (0..<order).map { row in
      var sum = 0.0
      for column in 0..<order { sum += matrix.pointer[column * order + row] * vector[column] }
      return sum
    }
  }
}
