import Numerics
import TestSupport
import Testing
import UWBDSP

/// The small problems under the subspace estimators.
@Suite struct SubspaceAlgebraTests {
  @Test(arguments: [1, 2, 5, 12, 40])
  func symmetricMatrixIsRebuiltFromItsEigenvectors(order: Int) {
    var random = TrialGenerator(seed: UInt64(71 + order))
    var matrix = [Double](repeating: 0, count: order * order)
    for column in 0..<order {
      for row in 0...column {
        matrix[column * order + row] = random.normal()
        matrix[row * order + column] = matrix[column * order + row]
      }
    }
    let problem = SymmetricEigenvectors(capacity: max(order, 12))
    for index in 0..<order * order { problem.matrix.pointer[index] = matrix[index] }
    #expect(problem.decompose(order: order))
    for row in 0..<order {
      for column in 0..<order {
        var sum = 0.0
        for index in 0..<order {
          sum +=
            problem.values.pointer[index] * problem.matrix.pointer[index * order + row]
            * problem.matrix.pointer[index * order + column]
        }
        #expect(abs(sum - matrix[column * order + row]) < 1e-12 * Double(order))
      }
    }
  }

  /// A companion matrix has its polynomial's roots for eigenvalues: (z − 2)(z² + 1) = z³ − 2z² + z − 2.
  @Test func generalEigenvaluesOfACompanionMatrix() {
    let problem = GeneralEigenvalues(capacity: 4)
    let companion = [0.0, 1, 0, 0, 0, 1, 2, -1, 2]
    for index in 0..<9 { problem.matrix.pointer[index] = companion[index] }
    #expect(problem.runReal(order: 3))
    let real = (0..<3).map { Complex(problem.values.pointer[$0], problem.values.pointer[4 + $0]) }
    for index in 0..<9 {
      problem.matrix.pointer[2 * index] = companion[index]
      problem.matrix.pointer[2 * index + 1] = 0
    }
    #expect(problem.runComplex(order: 3))
    let complex = (0..<3).map { Complex(problem.values.pointer[2 * $0], problem.values.pointer[2 * $0 + 1]) }
    for expected in [Complex(2.0, 0), Complex(0.0, 1), Complex(0.0, -1)] {
      for values in [real, complex] {
        #expect((values.map { ($0 - expected).length }.min() ?? 1) < 1e-12)
      }
    }
  }

  @Test func linearEquationsAreSolvedOrRefused() {
    var random = TrialGenerator(seed: 72)
    let problem = LinearEquations(capacity: 8)
    for order in 1...8 {
      let matrix = (0..<order * order).map { _ in random.normal() }
      let solution = (0..<2 * order).map { _ in random.normal() }
      for index in 0..<order * order { problem.matrix.pointer[index] = matrix[index] }
      for side in 0..<2 {
        for row in 0..<order {
          problem.sides.pointer[side * order + row] = (0..<order).reduce(0) {
            $0 + matrix[$1 * order + row] * solution[side * order + $1]
          }
        }
      }
      #expect(problem.solve(order: order, sideCount: 2))
      for index in 0..<2 * order { #expect(abs(problem.sides.pointer[index] - solution[index]) < 1e-8) }
    }
    for index in 0..<4 { problem.matrix.pointer[index] = 1 }
    #expect(!problem.solve(order: 2, sideCount: 1))
  }
}

@Suite struct PolynomialRootsTests {
  /// Σ c_k·z^k of the product of (z − z_i).
  private func expand(_ roots: [Complex<Double>]) -> [Complex<Double>] {
    roots.reduce([Complex(1)]) { product, root in
      var next = [Complex<Double>](repeating: .zero, count: product.count + 1)
      for (power, value) in product.enumerated() {
        next[power + 1] += value
        next[power] -= root * value
      }
      return next
    }
  }

  private func find(_ coefficients: [Complex<Double>]) -> (settled: Bool, roots: [Complex<Double>]) {
    let problem = PolynomialRoots(degree: coefficients.count - 1)
    for (index, value) in coefficients.enumerated() {
      problem.coefficients.pointer[2 * index] = value.real
      problem.coefficients.pointer[2 * index + 1] = value.imaginary
    }
    let settled = problem.find()
    return (
      settled, (0..<problem.degree).map { Complex(problem.roots.pointer[2 * $0], problem.roots.pointer[2 * $0 + 1]) }
    )
  }

  /// Each true root has one found root of its own within `tolerance`.
  private func expectSame(_ found: [Complex<Double>], _ expected: [Complex<Double>], _ tolerance: Double) {
    var left = found
    for root in expected {
      guard let best = left.indices.min(by: { (left[$0] - root).length < (left[$1] - root).length }) else { return }
      #expect((left[best] - root).length < tolerance)
      left.remove(at: best)
    }
  }

  @Test(arguments: 1...20)
  func findsRandomRootsInMirroredPairs(pairs: Int) {
    var random = TrialGenerator(seed: UInt64(80 + pairs))
    let inside = (0..<pairs).map { index in
      Complex(
        length: 0.6 + 0.35 * random.uniform(),
        phase: 2 * Double.pi * (Double(index) + 0.5 * random.uniform()) / Double(pairs))
    }
    let all = inside + inside.map { Complex(1) / $0.conjugate }
    let (settled, roots) = find(expand(all))
    #expect(settled)
    expectSame(roots, all, 1e-6)
  }

  @Test func findsKnownRootsFarApart() {
    let all = [Complex(0.001, 0), Complex(0, 30.0), Complex(-1, 1), Complex(2, 0)]
    let (settled, roots) = find(expand(all))
    #expect(settled)
    expectSame(roots, all, 1e-9)
  }

  @Test func doubleRootsSettleToTheRootOfRounding() {
    let all = [Complex(0.6, 0.8), Complex(0.6, 0.8), Complex(-1.0, 0), Complex(-1.0, 0)]
    expectSame(find(expand(all)).roots, all, 1e-6)
  }

  @Test func aVanishingLeadingCoefficientIsRefused() {
    #expect(!find([Complex(1), Complex(2), .zero]).settled)
  }
}
