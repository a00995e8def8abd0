import CUWBKernels

/// The space of the strongest eigenvectors of a real symmetric or a Hermitian matrix, by orthogonal iteration.
///
///     Q ← orthonormalised A²·Q,   until ‖(I − Q·Qᴴ)·A²·Q‖ says that Q no longer turns
///
/// (Golub & Van Loan 2013, section 8.2.4.) A step makes the angle to the true space smaller by (λ_{K+1}/λ_K)². The start is a
/// pivoted Cholesky factorization of A, so A has to be positive semidefinite. Use it where the space is all that counts: single vectors may
/// turn within it. Cost: 2·n²·K for a step, 3 to 6 steps where sources stand clear of the noise. Close eigenvalues settle too slowly;
/// `find` says so early, and the caller decomposes the whole matrix.
package struct LeadingVectors {
  /// n
  package let order: Int
  /// Most vectors.
  package let limit: Int
  /// n rounded up to whole vectors of the machine.
  package let stride: Int
  /// Orthonormal vectors: `stride` real parts each, and of a Hermitian matrix as many imaginary parts behind them.
  package let vectors: AlignedBuffer<Double>
  private let isHermitian: Bool
  private let padding: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>

  /// Angle to the eigenvectors' space that may be left, rad.
  private static let tolerance = 1e-10
  private static let stepLimit = 16

  package init(order: Int, limit: Int, isHermitian: Bool) {
    self.order = order
    self.limit = limit
    self.isHermitian = isHermitian
    stride = padded(order)
    let parts = isHermitian ? 2 : 1
    vectors = AlignedBuffer(count: limit * parts * stride, zero: 0)
    scratch = AlignedBuffer(count: (limit + 1) * parts * stride, zero: 0)
    padding = AlignedBuffer(count: stride == order ? 0 : parts * stride * stride, zero: 0)
  }

  /// - Parameter matrix: A by columns, `order` apart: real parts, and of a Hermitian one imaginary parts behind them.
  /// - Returns: whether the first `count` vectors span the space of the `count` strongest eigenvectors.
  package func find(_ matrix: UnsafePointer<Double>, count: Int) -> Bool {
    precondition(count <= limit, "\(count) vectors in room for \(limit)")
    // For more of them the whole matrix costs less.
    guard count > 0, 3 * count <= order + 1 else { return false }
    return uwb_leading_vectors(
      spread(matrix), stride, isHermitian, count, Self.tolerance, Self.stepLimit, scratch.pointer, vectors.pointer)
  }

  /// Vector `index`: its real parts; imaginary ones follow `stride` behind.
  package func vector(_ index: Int) -> UnsafePointer<Double> {
    UnsafePointer(vectors.pointer + index * (isHermitian ? 2 : 1) * stride)
  }

  private func spread(_ matrix: UnsafePointer<Double>) -> UnsafePointer<Double> {
    guard stride != order else { return matrix }
    for part in 0..<(isHermitian ? 2 : 1) {
      for column in 0..<order {
        (padding.pointer + (part * stride + column) * stride).update(
          from: matrix + (part * order + column) * order, count: order)
      }
    }
    return UnsafePointer(padding.pointer)
  }
}
