import CLapacke

/// Eigenvalues of a general matrix, real or complex, through LAPACK's `dgeev` and `zgeev`.
///
/// For the few unknowns of ESPRIT and the matrix pencil. The matrix lies in the workspace and is destroyed. Cost O(n³).
package struct GeneralEigenvalues {
  /// Largest order that fits.
  package let capacity: Int
  /// A by columns, `order` apart; interleaved parts where complex.
  package let matrix: AlignedBuffer<Double>
  /// Eigenvalues: all real parts then all imaginary parts (`capacity` apart) of a real matrix, interleaved parts of a
  /// complex one.
  package let values: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>
  private let realScratch: AlignedBuffer<Double>

  package init(capacity: Int) {
    self.capacity = capacity
    matrix = AlignedBuffer(count: 2 * capacity * capacity, zero: 0)
    values = AlignedBuffer(count: 2 * capacity, zero: 0)
    // Both ask for (block + 1)·n at most; the block is at most 64.
    scratch = AlignedBuffer(count: 2 * 66 * capacity, zero: 0)
    realScratch = AlignedBuffer(count: 2 * capacity, zero: 0)
  }

  /// - Returns: whether the iteration settled.
  package func runReal(order: Int) -> Bool {
    precondition(order <= capacity, "a matrix of order \(order) in room for \(capacity)")
    return uwb_dgeev(
      Int32(order), matrix.pointer, Int32(order), values.pointer, values.pointer + capacity, scratch.pointer,
      Int32(scratch.count)) == 0
  }

  /// - Returns: whether the iteration settled.
  package func runComplex(order: Int) -> Bool {
    precondition(order <= capacity, "a matrix of order \(order) in room for \(capacity)")
    return uwb_zgeev(
      Int32(order), matrix.pointer, Int32(order), values.pointer, scratch.pointer, Int32(scratch.count / 2),
      realScratch.pointer) == 0
  }
}
