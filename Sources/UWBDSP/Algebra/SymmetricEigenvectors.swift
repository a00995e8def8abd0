import CLapacke

/// Eigenvalues and eigenvectors of a real symmetric matrix, through LAPACK's `dsyev`.
///
/// For covariances that are decomposed once, when tables are made. Cost O(n³): some 20 µs for n = 23.
struct SymmetricEigenvectors {
  /// Rows and columns n.
  let order: Int
  /// The matrix before, its eigenvectors by columns after.
  let matrix: AlignedBuffer<Double>
  /// Eigenvalues, ascending.
  let values: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>

  /// - Precondition: `order` ≥ 1.
  init(order: Int) {
    precondition(order >= 1, "a matrix of order \(order) has no eigenvectors")
    self.order = order
    matrix = AlignedBuffer(count: order * order, zero: 0)
    values = AlignedBuffer(count: order, zero: 0)
    // (block + 2)·n is what dsyev's blocked reduction asks for; its block is at most 64.
    scratch = AlignedBuffer(count: 66 * order, zero: 0)
  }

  /// Decomposes what `matrix` holds (its upper triangle, by columns), in place; `false` for input that is not finite.
  func decompose() -> Bool {
    guard (0..<order * order).allSatisfy({ matrix.pointer[$0].isFinite }) else { return false }
    return uwb_dsyev(
      Int32(order), matrix.pointer, Int32(order), values.pointer, scratch.pointer, Int32(scratch.count)) == 0
  }
}
