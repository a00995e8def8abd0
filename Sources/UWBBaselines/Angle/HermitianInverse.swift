import UWBDSP

/// The inverse of a Hermitian positive definite matrix, by Cholesky factors, in a workspace. Cost O(M³).
final class HermitianInverse {
  let order: Int
  private let factor: HermitianCholesky
  private let column: AlignedBuffer<SIMD2<Double>>

  init(order: Int) {
    self.order = order
    factor = HermitianCholesky(order: order)
    column = AlignedBuffer(count: order, zero: SIMD2())
  }

  /// Writes (matrix + loading·I)⁻¹; both by columns, real parts and then imaginary parts.
  ///
  /// - Returns: `false` where it is not positive definite.
  func invert(
    _ matrix: UnsafePointer<Double>, loading: Double, into target: UnsafeMutablePointer<Double>
  ) -> Bool {
    let square = order * order
    for column in 0..<order {
      for row in column..<order {
        let place = column * order + row
        factor[row, column] = SIMD2(matrix[place] + (row == column ? loading : 0), matrix[square + place])
      }
    }
    guard factor.factorise(order: order, rounding: 0) else { return false }
    let x = column.pointer
    for unit in 0..<order {
      for row in 0..<order { x[row] = SIMD2(row == unit ? 1 : 0, 0) }
      factor.solve(x, order: order)
      for row in 0..<order {
        target[unit * order + row] = x[row].x
        target[square + unit * order + row] = x[row].y
      }
    }
    return true
  }
}
