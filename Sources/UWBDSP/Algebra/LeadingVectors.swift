import CUWBKernels

/// An orthonormal basis of the space of a small symmetric matrix's one or two leading eigenvectors, without the rest.
///
/// Orthogonal iteration (Golub & Van Loan 2013, section 8.2.4), whose error falls by λ_{K+1}/λ_K a step. It ends where A leaves nothing of
/// the space, and stands only where all other eigenvalues together, root sum square, are less than the smaller one of the space. Cost
/// O(n²·K) a step.
struct LeadingVectors {
  /// Columns that fit.
  static let most = 2
  /// What A may leave outside the space, over A's norm.
  private static let tolerance = 1e-13
  private static let mostSteps = 60

  /// The basis, columns `stride` apart.
  let vectors: AlignedBuffer<Double>
  /// Numbers from one column to the next.
  let stride: Int
  private let order: Int
  private let products: AlignedBuffer<Double>
  /// A with columns of whole vectors, where `order` isn't.
  private let room: AlignedBuffer<Double>

  init(order: Int) {
    self.order = order
    stride = padded(order)
    vectors = AlignedBuffer(count: Self.most * stride, zero: 0)
    products = AlignedBuffer(count: Self.most * stride, zero: 0)
    room = AlignedBuffer(count: stride == order ? 0 : order * stride, zero: 0)
  }

  /// Finds the space of `count` ≤ `most` eigenvectors of A, given by columns, `order` apart.
  ///
  /// - Returns: `false` where the iteration did not settle or others might be as large: then all eigenvectors have to be had.
  func find(_ matrix: UnsafePointer<Double>, count: Int) -> Bool {
    precondition((1...Self.most).contains(count), "\(count) leading vectors of \(Self.most)")
    var columns = matrix
    if stride != order {
      for column in 0..<order { (room.pointer + column * stride).update(from: matrix + column * order, count: order) }
      columns = UnsafePointer(room.pointer)
    }
    // No two are alike, and none is orthogonal to what real arrays hear.
    for column in 0..<count {
      for row in 0..<stride {
        let sign = column == 0 || row % 2 == 0 ? 1.0 : -1.0
        vectors.pointer[column * stride + row] = row < order ? sign + 0.37 * Double((5 * row + 3 * column) % 7) : 0
      }
    }
    return uwb_leading_vectors(
      columns, order, stride, count, Self.tolerance, Self.mostSteps, vectors.pointer, products.pointer)
  }
}
