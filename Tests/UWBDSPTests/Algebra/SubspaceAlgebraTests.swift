import Numerics
import Testing

@testable import UWBDSP

/// The small problems under the subspace estimators.
@Suite struct SubspaceAlgebraTests {
  @Test(arguments: [1, 2, 5, 12, 40])
  func symmetricMatrixIsRebuiltFromItsEigenvectors(order: Int) {
    var random = SubspaceRandom(seed: UInt64(71 + order))
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
    var random = SubspaceRandom(seed: 72)
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

  /// A·Aᴴ·u = s²·u, and the u are orthonormal.
  @Test(arguments: [(5, 3), (12, 8), (4, 7)])
  func leftSingularVectorsDiagonaliseTheGram(rows: Int, columns: Int) {
    var random = SubspaceRandom(seed: UInt64(73 + rows))
    let matrix = (0..<rows * columns).map { _ in random.complexNormal() }
    let problem = LeftSingularVectors(rows: rows, columns: columns)
    for (index, value) in matrix.enumerated() {
      problem.matrix.pointer[2 * index] = value.real
      problem.matrix.pointer[2 * index + 1] = value.imaginary
    }
    #expect(problem.decompose())
    let rank = min(rows, columns)
    func vector(_ index: Int) -> [Complex<Double>] {
      (0..<rows).map {
        let at = 2 * (index * rows + $0)
        return Complex(problem.vectors.pointer[at], problem.vectors.pointer[at + 1])
      }
    }
    func inner(_ a: [Complex<Double>], _ b: [Complex<Double>]) -> Complex<Double> {
      zip(a, b).reduce(.zero) { $0 + $1.0.conjugate * $1.1 }
    }
    for index in 0..<rank {
      let u = vector(index)
      let power = problem.values.pointer[index] * problem.values.pointer[index]
      let adjoint = (0..<columns).map { column in inner((0..<rows).map { matrix[column * rows + $0] }, u) }
      for row in 0..<rows {
        let image = (0..<columns).reduce(Complex<Double>.zero) { $0 + matrix[$1 * rows + row] * adjoint[$1] }
        #expect((image - u[row] * Complex(power)).length < 1e-11 * Double(rows * columns))
      }
      for other in 0..<rank {
        #expect((inner(u, vector(other)) - Complex(index == other ? 1 : 0)).length < 1e-12 * Double(rows))
      }
    }
  }

  @Test func complexLeastSquaresLeavesAnOrthogonalResidual() {
    var random = SubspaceRandom(seed: 74)
    let problem = ComplexLeastSquares(rows: 11, mostColumns: 4, mostSides: 4)
    let matrix = (0..<11 * 3).map { _ in random.complexNormal() }
    let sides = (0..<11 * 2).map { _ in random.complexNormal() }
    for (index, value) in matrix.enumerated() {
      problem.matrix.pointer[2 * index] = value.real
      problem.matrix.pointer[2 * index + 1] = value.imaginary
    }
    for (index, value) in sides.enumerated() {
      problem.sides.pointer[2 * index] = value.real
      problem.sides.pointer[2 * index + 1] = value.imaginary
    }
    #expect(problem.solve(columns: 3, sideCount: 2))
    for side in 0..<2 {
      let residual = (0..<11).map { row in
        (0..<3).reduce(sides[side * 11 + row]) {
          let at = 2 * (side * 11 + $1)
          return $0 - matrix[$1 * 11 + row] * Complex(problem.sides.pointer[at], problem.sides.pointer[at + 1])
        }
      }
      for column in 0..<3 {
        let overlap = (0..<11).reduce(Complex<Double>.zero) {
          $0 + matrix[column * 11 + $1].conjugate * residual[$1]
        }
        #expect(overlap.length < 1e-11)
      }
    }
    for index in 0..<2 * 11 * 2 { problem.matrix.pointer[index] = index < 2 * 11 ? 1 : 0 }
    #expect(!problem.solve(columns: 2, sideCount: 1))
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
    var random = SubspaceRandom(seed: UInt64(80 + pairs))
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
