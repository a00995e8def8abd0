import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct HermitianEigenvectorsTests {
  private func hermitian(_ order: Int, _ random: inout StatisticsRandom) -> [[Complex<Double>]] {
    var matrix = NaiveAlgebra.identity(order)
    for row in 0..<order {
      matrix[row][row] = Complex(random.gaussian())
      for column in 0..<row {
        matrix[row][column] = random.complexGaussian()
        matrix[column][row] = matrix[row][column].conjugate
      }
    }
    return matrix
  }

  @Test(arguments: [1, 2, 3, 4, 8, 16, 40])
  func decomposesIntoOrthonormalVectors(order: Int) {
    var random = StatisticsRandom(seed: UInt64(300 + order))
    let matrix = hermitian(order, &random)
    let problem = HermitianEigenvectors(order: order)
    var values = [Double](repeating: .nan, count: order)
    var flat = [Complex<Double>](repeating: .zero, count: order * order)
    let byColumns = (0..<order).flatMap { column in matrix.map { $0[column] } }
    #expect(problem.decompose(byColumns, values: &values, vectors: &flat, using: problem.makeWorkspace()))
    #expect(values == values.sorted())
    let trace = (0..<order).reduce(0.0) { $0 + matrix[$1][$1].real }
    #expect(abs(values.reduce(0, +) - trace) < 1e-12 * Double(order))
    let vectors = (0..<order).map { row in (0..<order).map { flat[$0 * order + row] } }
    let gram = NaiveAlgebra.product(NaiveAlgebra.adjoint(vectors), vectors)
    let image = NaiveAlgebra.product(matrix, vectors)
    for row in 0..<order {
      for column in 0..<order {
        #expect((gram[row][column] - (row == column ? .one : .zero)).length < 1e-12)
        #expect((image[row][column] - vectors[row][column] * Complex(values[column])).length < 1e-12 * Double(order))
      }
    }
  }

  /// [[2, j], [−j, 2]] has eigenvalues 1 and 3.
  @Test func knownAnswer() {
    let problem = HermitianEigenvectors(order: 2)
    var values = [0.0, 0.0]
    var vectors = [Complex<Double>](repeating: .zero, count: 4)
    let matrix: [Complex<Double>] = [Complex(2), Complex(0, -1), Complex(0, 1), Complex(2)]
    #expect(problem.decompose(matrix, values: &values, vectors: &vectors, using: problem.makeWorkspace()))
    #expect(abs(values[0] - 1) < 1e-14 && abs(values[1] - 3) < 1e-14)
  }

  @Test func readsTheUpperTriangleAlone() {
    let problem = HermitianEigenvectors(order: 2)
    var values = [0.0, 0.0]
    var vectors = [Complex<Double>](repeating: .zero, count: 4)
    let matrix: [Complex<Double>] = [Complex(2), Complex(77, 5), Complex(0, 1), Complex(2)]
    #expect(problem.decompose(matrix, values: &values, vectors: &vectors, using: problem.makeWorkspace()))
    #expect(abs(values[0] - 1) < 1e-14 && abs(values[1] - 3) < 1e-14)
  }

  @Test func repeatedAndZeroEigenvalues() {
    let problem = HermitianEigenvectors(order: 3)
    let workspace = problem.makeWorkspace()
    var values = [Double](repeating: .nan, count: 3)
    var vectors = [Complex<Double>](repeating: .zero, count: 9)
    #expect(
      problem.decompose(
        [Complex<Double>](repeating: .zero, count: 9), values: &values, vectors: &vectors, using: workspace))
    #expect(values == [0, 0, 0])
    // v·vᴴ with |v|² = 3 has eigenvalues 0, 0, 3.
    #expect(
      problem.decompose(
        [Complex<Double>](repeating: .one, count: 9), values: &values, vectors: &vectors, using: workspace))
    #expect(abs(values[0]) < 1e-14 && abs(values[1]) < 1e-14 && abs(values[2] - 3) < 1e-14)
  }

  @Test(arguments: [Double.nan, .infinity])
  func inputThatIsNotFiniteFails(bad: Double) {
    let problem = HermitianEigenvectors(order: 2)
    let workspace = problem.makeWorkspace()
    var values = [0.0, 0.0]
    var vectors = [Complex<Double>](repeating: .zero, count: 4)
    for place in 0..<4 {
      var matrix: [Complex<Double>] = [.one, .zero, .zero, .one]
      matrix[place] = Complex(1, bad)
      #expect(!problem.decompose(matrix, values: &values, vectors: &vectors, using: workspace))
    }
    #expect(problem.decompose([.one, .zero, .zero, .one], values: &values, vectors: &vectors, using: workspace))
    #expect(values == [1, 1])
  }

  @Test func refusesForeignWorkspaces() async {
    await #expect(processExitsWith: .failure) {
      var values = [0.0, 0.0]
      var vectors = [Complex<Double>](repeating: .zero, count: 4)
      _ = HermitianEigenvectors(order: 2).decompose(
        [.one, .zero, .zero, .one], values: &values, vectors: &vectors,
        using: HermitianEigenvectors(order: 1).makeWorkspace())
    }
  }
}
