/// The inverse of a Hermitian positive definite matrix, by Cholesky factors, in a workspace. Cost O(M³).
final class HermitianInverse {
  let order: Int
  private let lower: AlignedBuffer<SIMD2<Double>>
  private let column: AlignedBuffer<SIMD2<Double>>

  init(order: Int) {
    self.order = order
    lower = AlignedBuffer(count: order * order, zero: SIMD2())
    column = AlignedBuffer(count: order, zero: SIMD2())
  }

  /// Writes (matrix + loading·I)⁻¹; both by columns, real parts and then imaginary parts.
  ///
  /// - Returns: `false` where it is not positive definite.
  func invert(
    _ matrix: UnsafePointer<Double>, loading: Double, into target: UnsafeMutablePointer<Double>
  ) -> Bool {
    let l = lower.pointer
    let square = order * order
    for column in 0..<order {
      for row in column..<order {
        var value = SIMD2(matrix[column * order + row], matrix[square + column * order + row])
        if row == column { value.x += loading }
        for k in 0..<column {
          let (a, b) = (l[k * order + row], l[k * order + column])
          value.x -= a.x * b.x + a.y * b.y
          value.y -= a.y * b.x - a.x * b.y
        }
        if row == column {
          guard value.x > 0, value.x.isFinite else { return false }
          l[column * order + column] = SIMD2(value.x.squareRoot(), 0)
        } else {
          l[column * order + row] = value / l[column * order + column].x
        }
      }
    }
    let x = column.pointer
    for unit in 0..<order {
      for row in 0..<order {
        x[row] = SIMD2(row == unit ? 1 : 0, 0)
        for k in unit..<max(row, unit) {
          let a = l[k * order + row]
          x[row] -= SIMD2(a.x * x[k].x - a.y * x[k].y, a.x * x[k].y + a.y * x[k].x)
        }
        x[row] /= l[row * order + row].x
      }
      for row in stride(from: order - 1, through: 0, by: -1) {
        for k in (row + 1)..<max(order, row + 1) {
          let a = l[row * order + k]
          x[row] -= SIMD2(a.x * x[k].x + a.y * x[k].y, a.x * x[k].y - a.y * x[k].x)
        }
        x[row] /= l[row * order + row].x
        target[unit * order + row] = x[row].x
        target[square + unit * order + row] = x[row].y
      }
    }
    return true
  }
}
