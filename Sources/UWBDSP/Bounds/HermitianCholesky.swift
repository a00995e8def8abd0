import Numerics

/// The Cholesky factor of a Hermitian positive definite matrix, A = L·Lᴴ, for bounds: plain, and of any size.
struct HermitianCholesky {
  private let order: Int
  /// L by columns.
  private var lower: [Complex<Double>]

  /// - Parameter matrix: by columns; its lower triangle is read. `nil` where it is not positive definite.
  init?(_ matrix: [Complex<Double>], order: Int) {
    precondition(matrix.count == order * order, "\(matrix.count) elements for a matrix of order \(order)")
    self.order = order
    lower = matrix
    for column in 0..<order {
      var pivot = lower[column * order + column].real
      let original = pivot
      for index in 0..<column { pivot -= lower[index * order + column].lengthSquared }
      guard pivot > 1e-13 * original, pivot > 0 else { return nil }
      let root = pivot.squareRoot()
      lower[column * order + column] = Complex(root)
      for row in (column + 1)..<max(order, column + 1) {
        var value = lower[column * order + row]
        for index in 0..<column {
          value -= lower[index * order + row] * lower[index * order + column].conjugate
        }
        lower[column * order + row] = value / Complex(root)
      }
    }
  }

  /// L⁻¹·b
  func solveLower(_ side: [Complex<Double>]) -> [Complex<Double>] {
    var result = side
    for row in 0..<order {
      for index in 0..<row { result[row] -= lower[index * order + row] * result[index] }
      result[row] = result[row] / lower[row * order + row]
    }
    return result
  }

  /// A⁻¹·b
  func solve(_ side: [Complex<Double>]) -> [Complex<Double>] {
    var result = solveLower(side)
    for row in stride(from: order - 1, through: 0, by: -1) {
      for index in (row + 1)..<max(order, row + 1) {
        result[row] -= lower[row * order + index].conjugate * result[index]
      }
      result[row] = result[row] / lower[row * order + row]
    }
    return result
  }
}
