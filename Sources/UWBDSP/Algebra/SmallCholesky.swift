/// Cholesky factors of symmetric positive definite matrices of a few rows, in place: A = L·Lᵀ.
///
/// For the normal equations of the delay fits, 1 … 8 unknowns, where a LAPACK call costs more than the work.
struct SmallCholesky {
  let capacity: Int
  private let lower: AlignedBuffer<Double>

  init(order: Int) {
    capacity = order
    lower = AlignedBuffer(count: order * order, zero: 0)
  }

  /// Element of the lower triangle, `row` ≥ `column`: of A before `factorise`, of L after it.
  subscript(row: Int, column: Int) -> Double {
    get { lower.pointer[row * capacity + column] }
    nonmutating set { lower.pointer[row * capacity + column] = newValue }
  }

  /// Factorises the leading `order` rows; `false` where they are not positive definite to working precision.
  func factorise(order: Int) -> Bool {
    for row in 0..<order {
      for column in 0...row {
        var value = self[row, column]
        for index in 0..<column { value -= self[row, index] * self[column, index] }
        if row == column {
          // Relative to the element it started from: what is left after cancellation has to be more than rounding.
          guard value > 1e-13 * self[row, row], value > 0 else { return false }
          self[row, row] = value.squareRoot()
        } else {
          self[row, column] = value / self[column, column]
        }
      }
    }
    return true
  }

  /// Replaces b in A·x = b by x.
  func solve(_ vector: UnsafeMutablePointer<Double>, order: Int) {
    substitute(vector, order: order, stride: 1)
  }

  /// As `solve`, for complex b given as interleaved parts.
  func solveComplex(_ vector: UnsafeMutablePointer<Double>, order: Int) {
    substitute(vector, order: order, stride: 2)
    substitute(vector + 1, order: order, stride: 2)
  }

  private func substitute(_ vector: UnsafeMutablePointer<Double>, order: Int, stride: Int) {
    for row in 0..<order {
      var value = vector[row * stride]
      for index in 0..<row { value -= self[row, index] * vector[index * stride] }
      vector[row * stride] = value / self[row, row]
    }
    for row in Swift.stride(from: order - 1, through: 0, by: -1) {
      var value = vector[row * stride]
      for index in (row + 1)..<max(order, row + 1) { value -= self[index, row] * vector[index * stride] }
      vector[row * stride] = value / self[row, row]
    }
  }
}
