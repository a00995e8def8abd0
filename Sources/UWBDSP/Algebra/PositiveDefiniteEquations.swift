import CLapacke

/// Symmetric positive definite equations A·x = b by Cholesky, through LAPACK's `dposv`: the normal equations of
/// regressions, tens of unknowns.
///
/// Cost O(n³/3). For the one to eight unknowns of the delay fits `SmallCholesky` is cheaper.
package enum PositiveDefiniteEquations {
  /// Solves in place; `matrix` by columns, its lower triangle counts, and is overwritten by the factor.
  ///
  /// - Returns: whether the matrix is positive definite; only then `side` holds the solution.
  package static func solve(_ matrix: inout [Double], _ side: inout [Double]) -> Bool {
    let order = side.count
    precondition(matrix.count == order * order, "a matrix of \(matrix.count) numbers for \(order) unknowns")
    guard order > 0 else { return true }
    let status = matrix.withUnsafeMutableBufferPointer { matrix in
      side.withUnsafeMutableBufferPointer { side in
        uwb_dposv(Int32(order), 1, matrix.baseAddress, Int32(order), side.baseAddress, Int32(order))
      }
    }
    return status == 0
  }
}
