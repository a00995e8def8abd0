import CLapacke

/// Square real equations A·X = B by LU with partial pivoting, through LAPACK's `dgesv`.
///
/// Both matrices lie in the workspace by columns, `order` apart; X replaces B. Cost O(n³).
package struct LinearEquations {
  package let capacity: Int
  package let matrix: AlignedBuffer<Double>
  package let sides: AlignedBuffer<Double>
  private let pivots: AlignedBuffer<Int32>

  package init(capacity: Int) {
    self.capacity = capacity
    matrix = AlignedBuffer(count: capacity * capacity, zero: 0)
    sides = AlignedBuffer(count: capacity * capacity, zero: 0)
    pivots = AlignedBuffer(count: capacity, zero: 0)
  }

  /// - Returns: whether A is regular.
  package func solve(order: Int, sideCount: Int) -> Bool {
    precondition(
      order <= capacity && sideCount <= capacity, "\(order) equations × \(sideCount) in room for \(capacity)")
    return uwb_dgesv(
      Int32(order), Int32(sideCount), matrix.pointer, Int32(order), pivots.pointer, sides.pointer, Int32(order)) == 0
  }
}
