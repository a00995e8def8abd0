import Numerics

/// Dense linear algebra by the textbook, rows of rows, in double precision: the reference for everything faster.
public enum NaiveAlgebra {
  /// Solves A·X = B by Gaussian elimination with partial pivoting; `nil` where a pivot is zero.
  public static func solve(
    _ matrix: [[Complex<Double>]], _ sides: [[Complex<Double>]]
  ) -> [[Complex<Double>]]? {
    var a = matrix
    var b = sides
    let order = a.count
    for column in 0..<order {
      guard let pivot = (column..<order).max(by: { a[$0][column].length < a[$1][column].length }),
        a[pivot][column].length > 0
      else { return nil }
      a.swapAt(column, pivot)
      b.swapAt(column, pivot)
      for row in 0..<order where row != column {
        let factor = a[row][column] / a[column][column]
        guard factor != .zero else { continue }
        for index in column..<order { a[row][index] -= factor * a[column][index] }
        for index in b[row].indices { b[row][index] -= factor * b[column][index] }
      }
    }
    for row in 0..<order {
      for index in b[row].indices { b[row][index] = b[row][index] / a[row][row] }
    }
    return b
  }

  public static func inverse(_ matrix: [[Complex<Double>]]) -> [[Complex<Double>]]? {
    solve(matrix, identity(matrix.count))
  }

  public static func identity(_ order: Int) -> [[Complex<Double>]] {
    (0..<order).map { row in (0..<order).map { $0 == row ? .one : .zero } }
  }

  public static func product(_ a: [[Complex<Double>]], _ b: [[Complex<Double>]]) -> [[Complex<Double>]] {
    a.map { row in
      b[0].indices.map { column in
        row.indices.reduce(Complex<Double>.zero) { $0 + row[$1] * b[$1][column] }
      }
    }
  }

  /// The conjugate transpose.
  public static func adjoint(_ a: [[Complex<Double>]]) -> [[Complex<Double>]] {
    a[0].indices.map { column in a.map { $0[column].conjugate } }
  }

  /// Inverse of a real matrix; `nil` where it is singular.
  public static func inverse(_ matrix: [[Double]]) -> [[Double]]? {
    inverse(matrix.map { $0.map { Complex($0) } })?.map { $0.map(\.real) }
  }

  /// min‖A·x − b‖ by the normal equations AᴴA·x = Aᴴb.
  public static func leastSquares(_ matrix: [[Complex<Double>]], _ side: [Complex<Double>]) -> [Complex<Double>]? {
    let adjoint = adjoint(matrix)
    return solve(product(adjoint, matrix), product(adjoint, side.map { [$0] }))?.map { $0[0] }
  }
}
