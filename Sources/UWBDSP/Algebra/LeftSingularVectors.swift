import CLapacke

/// Singular values and left singular vectors of a complex matrix, through LAPACK's `zgesvd`: A = U·diag(values)·Wᴴ.
///
/// The matrix lies in the workspace and is destroyed. Cost O(m²·n) for m ≤ n.
struct LeftSingularVectors {
  let rows: Int
  let columns: Int
  /// A by columns, `rows` apart, interleaved parts.
  let matrix: AlignedBuffer<Double>
  /// Singular values, descending; the smaller of `rows` and `columns` of them.
  let values: AlignedBuffer<Double>
  /// U by columns, `rows` apart, interleaved parts.
  let vectors: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>
  private let realScratch: AlignedBuffer<Double>

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    let rank = min(rows, columns)
    matrix = AlignedBuffer(count: 2 * rows * columns, zero: 0)
    values = AlignedBuffer(count: rank, zero: 0)
    vectors = AlignedBuffer(count: 2 * rows * rank, zero: 0)
    // 2·min + max is the least; the blocked reductions ask for (m + n)·block, and the block is at most 64.
    scratch = AlignedBuffer(count: 2 * (rows + columns) * 66, zero: 0)
    realScratch = AlignedBuffer(count: 5 * rank, zero: 0)
    // The first call of a LAPACK routine costs a hundred times the second.
    _ = decompose()
  }

  /// - Returns: whether the iteration settled.
  func decompose() -> Bool {
    uwb_zgesvd(
      Int32(rows), Int32(columns), matrix.pointer, Int32(rows), values.pointer, vectors.pointer, Int32(rows),
      scratch.pointer, Int32(scratch.count / 2), realScratch.pointer) == 0
  }
}
