import CLapacke
import Numerics

/// Dense linear least squares by QR: the x that minimises ‖A·x − b‖₂, through LAPACK's `gels`.
///
/// For problems of general shape (calibration, polynomial fits). The delay fits solve their few unknowns in place.
/// Cost O(m·n²). A must have full column rank.
package struct LeastSquares: Sendable, Hashable {
  /// Rows m of A.
  package let rows: Int
  /// Columns n of A, at most m.
  package let columns: Int

  /// - Precondition: 1 ≤ `columns` ≤ `rows`.
  package init(rows: Int, columns: Int) {
    precondition(
      columns >= 1 && rows >= columns, "a least-squares problem of \(rows) rows × \(columns) columns has no one answer")
    self.rows = rows
    self.columns = columns
  }

  /// Memory for problems of this shape, real or complex; one for each thread.
  package final class Workspace {
    fileprivate let problem: LeastSquares
    fileprivate let matrix: AlignedBuffer<Double>
    fileprivate let side: AlignedBuffer<Double>
    fileprivate let scratch: AlignedBuffer<Double>
    fileprivate let scratchCount: Int32

    fileprivate init(_ problem: LeastSquares) {
      self.problem = problem
      // Blocked QR wants n·(block + 1) scratch; 64 is LAPACK's own upper block size.
      scratchCount = Int32(problem.columns * 65 + problem.rows)
      matrix = AlignedBuffer(count: 2 * problem.rows * problem.columns, zero: 0)
      side = AlignedBuffer(count: 2 * problem.rows, zero: 0)
      scratch = AlignedBuffer(count: 2 * Int(scratchCount), zero: 0)
    }
  }

  /// Allocates everything that a calculation needs.
  package func makeWorkspace() -> Workspace { Workspace(self) }

  /// Solves the real problem.
  ///
  /// - Parameters:
  ///   - matrix: A by columns, `rows` · `columns` numbers.
  ///   - side: b, `rows` numbers.
  ///   - solution: receives x, `columns` numbers.
  /// - Returns: the residual's norm ‖A·x − b‖₂, or `nil` where A lacks full rank or a number is not finite.
  package func solve(
    _ matrix: [Double], _ side: [Double], into solution: inout [Double], using workspace: Workspace
  ) -> Double? {
    check(matrix.count, side.count, solution.count, workspace)
    for index in 0..<matrix.count {
      guard matrix[index].isFinite else { return nil }
      workspace.matrix.pointer[index] = matrix[index]
    }
    for index in 0..<side.count {
      guard side[index].isFinite else { return nil }
      workspace.side.pointer[index] = side[index]
    }
    let status = uwb_dgels(
      Int32(rows), Int32(columns), 1, workspace.matrix.pointer, Int32(rows), workspace.side.pointer, Int32(rows),
      workspace.scratch.pointer, workspace.scratchCount)
    guard status == 0, isWellPosed(workspace.matrix.pointer, stride: 1) else { return nil }
    for index in 0..<columns { solution[index] = workspace.side.pointer[index] }
    return residual(workspace.side.pointer, from: columns, to: rows)
  }

  /// Solves the complex problem; arguments as in the real one.
  package func solve(
    _ matrix: [Complex<Double>], _ side: [Complex<Double>], into solution: inout [Complex<Double>],
    using workspace: Workspace
  ) -> Double? {
    check(matrix.count, side.count, solution.count, workspace)
    for (index, value) in matrix.enumerated() {
      guard value.rawStorage.x.isFinite, value.rawStorage.y.isFinite else { return nil }
      workspace.matrix.pointer[2 * index] = value.rawStorage.x
      workspace.matrix.pointer[2 * index + 1] = value.rawStorage.y
    }
    for (index, value) in side.enumerated() {
      guard value.rawStorage.x.isFinite, value.rawStorage.y.isFinite else { return nil }
      workspace.side.pointer[2 * index] = value.rawStorage.x
      workspace.side.pointer[2 * index + 1] = value.rawStorage.y
    }
    let status = uwb_zgels(
      Int32(rows), Int32(columns), 1, workspace.matrix.pointer, Int32(rows), workspace.side.pointer, Int32(rows),
      workspace.scratch.pointer, workspace.scratchCount)
    guard status == 0, isWellPosed(workspace.matrix.pointer, stride: 2) else { return nil }
    for index in 0..<columns {
      solution[index] = Complex(workspace.side.pointer[2 * index], workspace.side.pointer[2 * index + 1])
    }
    return residual(workspace.side.pointer, from: 2 * columns, to: 2 * rows)
  }

  private func check(_ matrixCount: Int, _ sideCount: Int, _ solutionCount: Int, _ workspace: Workspace) {
    precondition(
      workspace.problem == self,
      "a problem of \(rows) × \(columns) got a workspace for \(workspace.problem.rows) × \(workspace.problem.columns)")
    precondition(
      matrixCount == rows * columns && sideCount == rows && solutionCount == columns,
      "a problem of \(rows) × \(columns) got a matrix of \(matrixCount), a side of \(sideCount) and "
        + "room for \(solutionCount) unknowns")
  }

  /// `gels` reports rank loss only for an exact zero on R's diagonal; rounding leaves a tiny number there instead.
  private func isWellPosed(_ triangle: UnsafeMutablePointer<Double>, stride: Int) -> Bool {
    var largest = 0.0
    var smallest = Double.infinity
    for index in 0..<columns {
      let size = abs(triangle[stride * (index * rows + index)])
      largest = max(largest, size)
      smallest = min(smallest, size)
    }
    return smallest > largest * Double(rows) * Double.ulpOfOne
  }

  private func residual(_ side: UnsafeMutablePointer<Double>, from start: Int, to end: Int) -> Double {
    var sum = 0.0
    for index in start..<end { sum += side[index] * side[index] }
    return sum.squareRoot()
  }
}
