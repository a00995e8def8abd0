import CLapacke

/// Complex least squares with several right-hand sides, min‖A·X − B‖, through LAPACK's `zgels`.
///
/// Both matrices lie in the workspace by columns, `rows` apart, interleaved parts; X replaces the first rows of B. Cost
/// O(m·n²). `LeastSquares` is its checked counterpart for arrays.
struct ComplexLeastSquares {
  let rows: Int
  let mostColumns: Int
  let mostSides: Int
  let matrix: AlignedBuffer<Double>
  let sides: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>

  init(rows: Int, mostColumns: Int, mostSides: Int) {
    self.rows = rows
    self.mostColumns = mostColumns
    self.mostSides = mostSides
    matrix = AlignedBuffer(count: 2 * rows * mostColumns, zero: 0)
    sides = AlignedBuffer(count: 2 * rows * mostSides, zero: 0)
    // min(m, n)·(1 + block) is what is asked for; the block is at most 64.
    scratch = AlignedBuffer(count: 2 * (mostColumns + mostSides) * 65, zero: 0)
  }

  /// - Returns: whether A has full rank.
  func solve(columns: Int, sideCount: Int) -> Bool {
    precondition(
      columns <= min(mostColumns, rows) && sideCount <= mostSides,
      "\(columns) unknowns × \(sideCount) in room for \(mostColumns) × \(mostSides) of \(rows) rows")
    return uwb_zgels(
      Int32(rows), Int32(columns), Int32(sideCount), matrix.pointer, Int32(rows), sides.pointer, Int32(rows),
      scratch.pointer, Int32(scratch.count / 2)) == 0
  }
}
