import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct HermitianCholeskyTests {
  @Test(arguments: [1, 2, 5, 12])
  func solvesHermitianSystems(order: Int) throws {
    var random = StatisticsRandom(seed: UInt64(1140 + order))
    let factor = (0..<order).map { _ in (0..<order + 2).map { _ in random.complexGaussian() } }
    let matrix = NaiveAlgebra.product(factor, NaiveAlgebra.adjoint(factor))
    let side = (0..<order).map { _ in random.complexGaussian() }
    let cholesky = try #require(
      HermitianCholesky((0..<order).flatMap { column in matrix.map { $0[column] } }, order: order))
    let expected = try #require(NaiveAlgebra.solve(matrix, side.map { [$0] }))
    for (a, b) in zip(cholesky.solve(side), expected) { #expect((a - b[0]).length < 1e-8 * max(1, b[0].length)) }
    // ‖L⁻¹b‖² = bᴴA⁻¹b.
    let white = cholesky.solveLower(side).reduce(0) { $0 + $1.lengthSquared }
    let form = zip(side, expected).reduce(Complex<Double>.zero) { $0 + $1.0.conjugate * $1.1[0] }
    #expect(abs(white / form.real - 1) < 1e-9)
  }

  @Test func refusesWhatIsNotPositiveDefinite() {
    #expect(HermitianCholesky([Complex(0.0)], order: 1) == nil)
    #expect(HermitianCholesky([Complex(-1.0)], order: 1) == nil)
    #expect(HermitianCholesky([Complex(Double.nan)], order: 1) == nil)
    #expect(HermitianCholesky([.one, Complex(0, 1), Complex(0, -1), .one], order: 2) == nil)
    #expect(HermitianCholesky([.one, Complex(0, 2), Complex(0, -2), .one], order: 2) == nil)
  }
}
