import CLapacke
import Numerics

/// Eigenvalues and eigenvectors of a Hermitian matrix, through LAPACK's `zheev`.
///
/// Cost O(n³).
public struct HermitianEigenvectors: Sendable, Hashable {
  /// Rows and columns n.
  public let order: Int

  /// - Precondition: `order` ≥ 1.
  public init(order: Int) {
    precondition(order >= 1, "a matrix of order \(order) has no eigenvectors")
    self.order = order
  }

  /// Memory for matrices of this order; one for each thread.
  public final class Workspace {
    fileprivate let order: Int
    fileprivate let matrix: AlignedBuffer<Double>
    /// Eigenvalues, ascending.
    package let values: AlignedBuffer<Double>
    fileprivate let scratch: AlignedBuffer<Double>
    fileprivate let realScratch: AlignedBuffer<Double>
    fileprivate let scratchCount: Int32

    fileprivate init(_ problem: HermitianEigenvectors) {
      // (block + 1)·n is what zheev's blocked reduction asks for; its block is at most 64.
      scratchCount = Int32(65 * problem.order)
      order = problem.order
      matrix = AlignedBuffer(count: 2 * problem.order * problem.order, zero: 0)
      values = AlignedBuffer(count: problem.order, zero: 0)
      scratch = AlignedBuffer(count: 2 * Int(scratchCount), zero: 0)
      realScratch = AlignedBuffer(count: max(1, 3 * problem.order - 2), zero: 0)
    }

    /// Makes LAPACK ready: the first call of one of its routines costs a hundred times the second.
    package func warmUp() { _ = run() }

    /// Decomposes a matrix into `values` and vectors.
    ///
    /// - Parameter parts: n × n by columns: real parts, then imaginary parts.
    /// - Returns: whether the iteration settled.
    package func decompose(_ parts: UnsafePointer<Double>) -> Bool {
      let square = order * order
      for index in 0..<square {
        matrix.pointer[2 * index] = parts[index]
        matrix.pointer[2 * index + 1] = parts[square + index]
      }
      return run()
    }

    /// Eigenvector `index`, in the order of `values`: interleaved parts.
    package func vector(_ index: Int) -> UnsafePointer<Double> { UnsafePointer(matrix.pointer + 2 * order * index) }

    fileprivate func run() -> Bool {
      uwb_zheev(
        Int32(order), matrix.pointer, Int32(order), values.pointer, scratch.pointer, scratchCount, realScratch.pointer)
        == 0
    }
  }

  /// Allocates everything that a calculation needs.
  public func makeWorkspace() -> Workspace { Workspace(self) }

  /// Decomposes `matrix` = V·diag(values)·Vᴴ.
  ///
  /// - Parameters:
  ///   - matrix: n × n by columns; only its upper triangle is read.
  ///   - values: receives the eigenvalues, ascending.
  ///   - vectors: receives V by columns, of unit length, each with an arbitrary phase.
  /// - Returns: whether the iteration settled; it fails only for input that is not finite.
  public func decompose(
    _ matrix: [Complex<Double>], values: inout [Double], vectors: inout [Complex<Double>], using workspace: Workspace
  ) -> Bool {
    precondition(
      workspace.order == order, "a matrix of order \(order) got a workspace for order \(workspace.order)")
    precondition(
      matrix.count == order * order && values.count == order && vectors.count == order * order,
      "order \(order) got a matrix of \(matrix.count), room for \(values.count) values and \(vectors.count) in vectors")
    for (index, value) in matrix.enumerated() {
      guard value.rawStorage.x.isFinite, value.rawStorage.y.isFinite else { return false }
      workspace.matrix.pointer[2 * index] = value.rawStorage.x
      workspace.matrix.pointer[2 * index + 1] = value.rawStorage.y
    }
    guard workspace.run() else { return false }
    for index in 0..<order { values[index] = workspace.values.pointer[index] }
    for index in 0..<order * order {
      vectors[index] = Complex(workspace.matrix.pointer[2 * index], workspace.matrix.pointer[2 * index + 1])
    }
    return true
  }
}
