import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct LeastSquaresTests {
  private static let shapes = [(1, 1), (2, 1), (3, 3), (4, 2), (16, 3), (40, 9), (200, 24)]

  @Test(arguments: shapes)
  func complexProblemsMatchTheNormalEquations(rows: Int, columns: Int) throws {
    var random = StatisticsRandom(seed: UInt64(100 + rows))
    let matrix = (0..<rows).map { _ in (0..<columns).map { _ in random.complexGaussian() } }
    let side = (0..<rows).map { _ in random.complexGaussian() }
    let problem = LeastSquares(rows: rows, columns: columns)
    let workspace = problem.makeWorkspace()
    var solution = [Complex<Double>](repeating: .zero, count: columns)
    let byColumns = (0..<columns).flatMap { column in matrix.map { $0[column] } }
    let residual = try #require(problem.solve(byColumns, side, into: &solution, using: workspace))
    let expected = try #require(NaiveAlgebra.leastSquares(matrix, side))
    var largest = 0.0
    for (a, b) in zip(solution, expected) {
      largest = max(largest, b.length)
      #expect((a - b).length < 1e-8 * max(1, largest))
    }
    // The residual is orthogonal to all columns, and its norm is what was returned.
    let left = zip(matrix, side).map { row, value in
      value - zip(row, solution).reduce(Complex<Double>.zero) { $0 + $1.0 * $1.1 }
    }
    for column in 0..<columns {
      let inner = zip(matrix, left).reduce(Complex<Double>.zero) { $0 + $1.0[column].conjugate * $1.1 }
      #expect(inner.length < 1e-10 * Double(rows))
    }
    let norm = left.reduce(0) { $0 + $1.lengthSquared }.squareRoot()
    #expect(abs(residual - norm) < 1e-10 * Double(rows))
  }

  @Test(arguments: shapes)
  func realProblemsMatchTheNormalEquations(rows: Int, columns: Int) throws {
    var random = StatisticsRandom(seed: UInt64(200 + rows))
    let matrix = (0..<rows).map { _ in (0..<columns).map { _ in random.gaussian() } }
    let side = (0..<rows).map { _ in random.gaussian() }
    let problem = LeastSquares(rows: rows, columns: columns)
    let workspace = problem.makeWorkspace()
    var solution = [Double](repeating: .nan, count: columns)
    let byColumns = (0..<columns).flatMap { column in matrix.map { $0[column] } }
    let residual = try #require(problem.solve(byColumns, side, into: &solution, using: workspace))
    let expected = try #require(
      NaiveAlgebra.leastSquares(matrix.map { $0.map { Complex($0) } }, side.map { Complex($0) }))
    for (a, b) in zip(solution, expected) { #expect(abs(a - b.real) < 1e-8 * max(1, abs(b.real))) }
    let norm = zip(matrix, side).reduce(0.0) { sum, row in
      let left = row.1 - zip(row.0, solution).reduce(0) { $0 + $1.0 * $1.1 }
      return sum + left * left
    }
    #expect(abs(residual - norm.squareRoot()) < 1e-10 * Double(rows))
  }

  @Test func exactSystemsHaveNoResidual() throws {
    let problem = LeastSquares(rows: 2, columns: 2)
    var solution = [0.0, 0.0]
    // 2x + y = 5, x + 3y = 10: x = 1, y = 3.
    let residual = try #require(
      problem.solve([2, 1, 1, 3], [5, 10], into: &solution, using: problem.makeWorkspace()))
    #expect(abs(solution[0] - 1) < 1e-14 && abs(solution[1] - 3) < 1e-14)
    #expect(residual < 1e-13)
  }

  @Test func rankDeficiencyIsReported() {
    let problem = LeastSquares(rows: 4, columns: 2)
    let workspace = problem.makeWorkspace()
    var solution = [0.0, 0.0]
    #expect(problem.solve([1, 2, 3, 4, 2, 4, 6, 8], [1, 1, 1, 1], into: &solution, using: workspace) == nil)
    #expect(problem.solve([1, 2, 3, 4, 0, 0, 0, 0], [1, 1, 1, 1], into: &solution, using: workspace) == nil)
    #expect(problem.solve([Double](repeating: 0, count: 8), [1, 1, 1, 1], into: &solution, using: workspace) == nil)
    var complex = [Complex<Double>](repeating: .zero, count: 2)
    let column = [Complex(1, 1), Complex(0, 2), Complex(-1, 0.5), Complex(3.0, 0)]
    let twice = column + column.map { $0 * Complex(0.3, -2) }
    #expect(problem.solve(twice, column, into: &complex, using: workspace) == nil)
    // And the workspace still works afterwards.
    #expect(problem.solve([1, 0, 0, 0, 0, 1, 0, 0], [3, 4, 0, 12], into: &solution, using: workspace) == 12)
    #expect(solution == [3, 4])
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func inputThatIsNotFiniteHasNoSolution(bad: Double) {
    let problem = LeastSquares(rows: 3, columns: 2)
    let workspace = problem.makeWorkspace()
    let good = [1.0, 0, 1, 0, 1, 1]
    var solution = [0.0, 0.0]
    for place in 0..<6 {
      var matrix = good
      matrix[place] = bad
      #expect(problem.solve(matrix, [1, 2, 3], into: &solution, using: workspace) == nil)
    }
    for place in 0..<3 {
      var side = [1.0, 2, 3]
      side[place] = bad
      #expect(problem.solve(good, side, into: &solution, using: workspace) == nil)
    }
    var complex = [Complex<Double>](repeating: .zero, count: 2)
    var matrix = good.map { Complex($0) }
    let side = [1.0, 2, 3].map { Complex($0) }
    matrix[3] = Complex(1, bad)
    #expect(problem.solve(matrix, side, into: &complex, using: workspace) == nil)
    #expect(
      problem.solve(good.map { Complex($0) }, [Complex(0, bad), .one, .one], into: &complex, using: workspace) == nil)
  }

  @Test func scaleDoesNotMatter() throws {
    let problem = LeastSquares(rows: 3, columns: 2)
    let workspace = problem.makeWorkspace()
    for scale in [1e-200, 1e-20, 1e20, 1e150] {
      var solution = [0.0, 0.0]
      let matrix = [1.0, 0, 1, 0, 1, 1].map { $0 * scale }
      _ = try #require(problem.solve(matrix, [1 * scale, 2 * scale, 3 * scale], into: &solution, using: workspace))
      #expect(abs(solution[0] - 1) < 1e-12 && abs(solution[1] - 2) < 1e-12)
    }
  }

  @Test func refusesForeignWorkspaces() async {
    await #expect(processExitsWith: .failure) {
      var solution = [0.0, 0.0]
      _ = LeastSquares(rows: 3, columns: 2).solve(
        [1, 0, 1, 0, 1, 1], [1, 2, 3], into: &solution, using: LeastSquares(rows: 2, columns: 1).makeWorkspace())
    }
  }
}
