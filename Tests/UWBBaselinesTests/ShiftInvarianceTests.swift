import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import UWBBaselines

@Suite struct ShiftInvarianceTests {
  /// Fills X₁ = B and X₂ = B·T·diag(values)·T⁻¹ for random B and a random mixture T of the columns.
  private static func fill(
    _ problem: ShiftInvariance, rows: Int, values: [Complex<Double>], isComplex: Bool, seed: UInt64
  ) {
    var random = TrialGenerator(seed: seed)
    let count = values.count
    func draw() -> Complex<Double> { isComplex ? random.complexNormal() : Complex(random.normal()) }
    // Columns b_i of B·T turn by their own value; mixing both sides alike leaves Ψ's eigenvalues as they are.
    let columns = (0..<count).map { _ in (0..<rows).map { _ in draw() } }
    let mixture = (0..<count).map { _ in (0..<count).map { _ in draw() } }
    for index in 0..<count {
      let first = problem.first(index, count: count)
      let second = problem.second(index, count: count)
      for row in 0..<rows {
        var (x, y) = (Complex<Double>.zero, Complex<Double>.zero)
        for source in 0..<count {
          x += columns[source][row] * mixture[source][index]
          y += values[source] * columns[source][row] * mixture[source][index]
        }
        (first[row], second[row]) = (x.real, y.real)
        guard isComplex else { continue }
        (first[problem.stride + row], second[problem.stride + row]) = (x.imaginary, y.imaginary)
      }
    }
  }

  private static func expectSame(_ found: ShiftInvariance, _ values: [Complex<Double>], _ tolerance: Double) {
    for value in values {
      let nearest = values.indices.map { index in
        (Complex(found.values.pointer[index].x, found.values.pointer[index].y) - value).length
      }.min()
      #expect((nearest ?? 1) < tolerance, "\(value)")
    }
  }

  @Test(arguments: 1...5, [7, 11]) func realTurnsAreFound(count: Int, rows: Int) {
    let values = (0..<count).map { Complex([0.4, -1.2, 3.0, 0.0, -0.3][$0]) }
    let problem = ShiftInvariance(rows: rows, limit: 5, isComplex: false)
    // What was there before does not matter.
    for before in [5, count] {
      let all = before == count ? values : (0..<before).map { Complex(Double($0) - 1.5) }
      Self.fill(problem, rows: rows, values: all, isComplex: false, seed: UInt64(7300 + count))
      #expect(problem.totalLeastSquares(count: before))
      if before == count { Self.expectSame(problem, values, 1e-7) }
    }
  }

  @Test(arguments: 1...5, [7, 11]) func complexTurnsAreFound(count: Int, rows: Int) {
    let values = (0..<count).map { Complex(length: 1, phase: [0.4, -1.2, 3.0, 0.0, -0.3][$0]) }
    let problem = ShiftInvariance(rows: rows, limit: 5, isComplex: true)
    Self.fill(problem, rows: rows, values: values, isComplex: true, seed: UInt64(7310 + count))
    #expect(problem.leastSquares(count: count))
    Self.expectSame(problem, values, 1e-7)
  }

  /// Least squares by its definition: the residual of each column is orthogonal to X₁.
  @Test func noisyTurnsAreThoseOfTheNormalEquations() {
    var random = TrialGenerator(seed: 7320)
    let problem = ShiftInvariance(rows: 7, limit: 1, isComplex: true)
    let x = (0..<7).map { _ in random.complexNormal() }
    let y = (0..<7).map { _ in random.complexNormal() }
    let (first, second) = (problem.first(0, count: 1), problem.second(0, count: 1))
    for row in 0..<7 {
      (first[row], first[problem.stride + row]) = (x[row].real, x[row].imaginary)
      (second[row], second[problem.stride + row]) = (y[row].real, y[row].imaginary)
    }
    #expect(problem.leastSquares(count: 1))
    let value = Complex(problem.values.pointer[0].x, problem.values.pointer[0].y)
    let overlap = zip(x, y).reduce(Complex<Double>.zero) { $0 + $1.0.conjugate * ($1.1 - value * $1.0) }
    #expect(overlap.length < 1e-13)
  }

  /// Two sources that noise has run into one: both come out at the pair's real part.
  @Test func aComplexPairComesAsItsRealPart() {
    let problem = ShiftInvariance(rows: 7, limit: 2, isComplex: false)
    var random = TrialGenerator(seed: 7330)
    let columns = (0..<2).map { _ in (0..<7).map { _ in random.normal() } }
    for row in 0..<7 {
      let (a, b) = (columns[0][row], columns[1][row])
      (problem.first(0, count: 2)[row], problem.first(1, count: 2)[row]) = (a, b)
      // Ψ = [0.3 −0.2; 0.2 0.3]
      (problem.second(0, count: 2)[row], problem.second(1, count: 2)[row]) = (0.3 * a + 0.2 * b, 0.3 * b - 0.2 * a)
    }
    #expect(problem.totalLeastSquares(count: 2))
    for index in 0..<2 { #expect(abs(problem.values.pointer[index].x - 0.3) < 1e-9) }
  }

  @Test(arguments: 1...3) func columnsThatAreZeroAreRefused(count: Int) {
    let real = ShiftInvariance(rows: 7, limit: 3, isComplex: false)
    #expect(!real.totalLeastSquares(count: count))
    let complex = ShiftInvariance(rows: 7, limit: 3, isComplex: true)
    #expect(!complex.leastSquares(count: count))
  }
}
