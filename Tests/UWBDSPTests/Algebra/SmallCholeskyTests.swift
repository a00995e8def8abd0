import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct SmallCholeskyTests {
  private func positiveDefinite(_ order: Int, _ random: inout StatisticsRandom) -> [[Double]] {
    let factor = (0..<order).map { _ in (0..<order + 2).map { _ in random.gaussian() } }
    return factor.map { a in factor.map { b in zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } } }
  }

  private func load(_ matrix: [[Double]], into cholesky: SmallCholesky) {
    for row in matrix.indices { for column in 0...row { cholesky[row, column] = matrix[row][column] } }
  }

  @Test(arguments: 1...8)
  func solvesRealAndComplexSides(order: Int) {
    var random = StatisticsRandom(seed: UInt64(400 + order))
    // Capacity beyond the order, and one workspace for all: what PulseFit does.
    let cholesky = SmallCholesky(order: 8)
    for _ in 0..<50 {
      let matrix = positiveDefinite(order, &random)
      load(matrix, into: cholesky)
      #expect(cholesky.factorise(order: order))
      let exact = (0..<order).map { _ in random.complexGaussian() }
      let sides = matrix.map { row in zip(row, exact).reduce(Complex<Double>.zero) { $0 + Complex($1.0) * $1.1 } }
      let real = AlignedBuffer<Double>(count: order, zero: 0)
      let both = AlignedBuffer<Double>(count: 2 * order, zero: 0)
      for (index, side) in sides.enumerated() {
        real.pointer[index] = side.real
        both.pointer[2 * index] = side.real
        both.pointer[2 * index + 1] = side.imaginary
      }
      cholesky.solve(real.pointer, order: order)
      cholesky.solveComplex(both.pointer, order: order)
      for index in 0..<order {
        // The condition number of these random matrices stays below 10⁶.
        #expect(abs(real.pointer[index] - exact[index].real) < 1e-8)
        #expect(abs(both.pointer[2 * index] - exact[index].real) < 1e-8)
        #expect(abs(both.pointer[2 * index + 1] - exact[index].imaginary) < 1e-8)
      }
    }
  }

  @Test func factorIsTheKnownOne() {
    // [[4, 2], [2, 5]] = L·Lᵀ with L = [[2, 0], [1, 2]].
    let cholesky = SmallCholesky(order: 2)
    load([[4, 2], [2, 5]], into: cholesky)
    #expect(cholesky.factorise(order: 2))
    #expect([cholesky[0, 0], cholesky[1, 0], cholesky[1, 1]] == [2, 1, 2])
  }

  @Test func refusesWhatIsNotPositiveDefinite() {
    let cholesky = SmallCholesky(order: 3)
    let bad: [[[Double]]] = [
      [[0]], [[-1]], [[.nan]], [[1, 0], [1, 1]], [[1, 0], [2, 1]], [[1, 0], [.nan, 1]],
      [[1, 0, 0], [0.5, 1, 0], [1.5, 1.5, 3]],
    ]
    for matrix in bad {
      load(matrix, into: cholesky)
      #expect(!cholesky.factorise(order: matrix.count))
    }
  }
}

@Suite struct DotProductTests {
  @Test(arguments: 0...13)
  func sumsAllProducts(count: Int) {
    var random = StatisticsRandom(seed: UInt64(500 + count))
    let a = (0..<count).map { _ in random.gaussian() }
    let b = (0..<count).map { _ in random.gaussian() }
    let sum = a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        guard let first = a.baseAddress, let second = b.baseAddress else { return 0.0 }
        return dotProduct(first, second, count: count)
      }
    }
    #expect(abs(sum - zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }) < 1e-12)
  }
}
