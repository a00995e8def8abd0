import Numerics

/// Cholesky factors of Hermitian positive definite matrices in a workspace, A = L·Lᴴ. Cost O(n³/3).
///
/// Plain loops, for the few sources and antennas of a covariance, and for bounds.
package struct HermitianCholesky {
  let capacity: Int
  private let lower: AlignedBuffer<SIMD2<Double>>

  package init(order: Int) {
    capacity = order
    lower = AlignedBuffer(count: order * order, zero: SIMD2())
  }

  /// Element of the lower triangle, `row` ≥ `column`: of A before `factorise`, of L after it.
  package subscript(row: Int, column: Int) -> SIMD2<Double> {
    @inline(__always) get { lower.pointer[column * capacity + row] }
    @inline(__always) nonmutating set { lower.pointer[column * capacity + row] = newValue }
  }

  /// Factorises the leading `order` rows; `false` where they are not positive definite.
  ///
  /// - Parameter rounding: what cancellation has to leave of a diagonal element.
  package func factorise(order: Int, rounding: Double = 1e-13) -> Bool {
    for column in 0..<order {
      var pivot = self[column, column].x
      let original = pivot
      for index in 0..<column {
        let value = self[column, index]
        pivot -= (value * value).sum()
      }
      guard pivot > rounding * original, pivot > 0, pivot.isFinite else { return false }
      let root = pivot.squareRoot()
      self[column, column] = SIMD2(root, 0)
      for row in (column + 1)..<max(order, column + 1) {
        var value = self[row, column]
        for index in 0..<column { value -= self[row, index].times(conjugateOf: self[column, index]) }
        self[row, column] = value / root
      }
    }
    return true
  }

  /// Replaces b in L·x = b by x.
  func solveLower(_ x: UnsafeMutablePointer<SIMD2<Double>>, order: Int) {
    for row in 0..<order {
      for index in 0..<row { x[row] -= self[row, index].times(x[index]) }
      x[row] /= self[row, row].x
    }
  }

  /// Replaces b in A·x = b by x.
  package func solve(_ x: UnsafeMutablePointer<SIMD2<Double>>, order: Int) {
    solveLower(x, order: order)
    for row in stride(from: order - 1, through: 0, by: -1) {
      for index in (row + 1)..<max(order, row + 1) { x[row] -= x[index].times(conjugateOf: self[index, row]) }
      x[row] /= self[row, row].x
    }
  }
}

/// Complex numbers as pairs, in workspaces.
extension SIMD2<Double> {
  @inlinable @inline(__always)
  package func times(_ other: Self) -> Self { Self(x * other.x - y * other.y, x * other.y + y * other.x) }

  /// self·other*
  @inlinable @inline(__always)
  package func times(conjugateOf other: Self) -> Self { Self(x * other.x + y * other.y, y * other.x - x * other.y) }
}

extension HermitianCholesky {
  /// - Parameter matrix: by columns; its lower triangle is read. `nil` where it is not positive definite.
  init?(_ matrix: [Complex<Double>], order: Int) {
    precondition(matrix.count == order * order, "\(matrix.count) elements for a matrix of order \(order)")
    self.init(order: order)
    for column in 0..<order {
      for row in column..<order { self[row, column] = SIMD2(matrix[column * order + row]) }
    }
    guard factorise(order: order) else { return nil }
  }

  /// L⁻¹·b
  func solveLower(_ side: [Complex<Double>]) -> [Complex<Double>] { replaced(side) { solveLower($0, order: capacity) } }

  /// A⁻¹·b
  func solve(_ side: [Complex<Double>]) -> [Complex<Double>] { replaced(side) { solve($0, order: capacity) } }

  private func replaced(
    _ side: [Complex<Double>], by body: (UnsafeMutablePointer<SIMD2<Double>>) -> Void
  ) -> [Complex<Double>] {
    let vector = AlignedBuffer<SIMD2<Double>>(count: capacity, zero: SIMD2())
    for (index, value) in side.enumerated() { vector.pointer[index] = SIMD2(value) }
    body(vector.pointer)
    return (0..<capacity).map { Complex(vector.pointer[$0].x, vector.pointer[$0].y) }
  }
}

extension SIMD2<Double> {
  fileprivate init(_ number: Complex<Double>) { self.init(number.real, number.imaginary) }
}
