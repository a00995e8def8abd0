import CUWBKernels
import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct LeadingVectorsTests {
  /// A Hermitian matrix of these eigenvalues, by columns, and its eigenvectors; real where asked for.
  private static func matrix(
    _ values: [Double], isHermitian: Bool, seed: UInt64
  ) -> (matrix: [Complex<Double>], vectors: [[Complex<Double>]]) {
    var random = TrialGenerator(seed: seed)
    let order = values.count
    var vectors: [[Complex<Double>]] = []
    for _ in 0..<order {
      var vector = (0..<order).map { _ in isHermitian ? random.complexNormal() : Complex(random.normal()) }
      // Twice, so that rounding leaves nothing.
      for _ in 0..<2 {
        for other in vectors {
          let overlap = zip(other, vector).reduce(Complex<Double>.zero) { $0 + $1.0.conjugate * $1.1 }
          for index in 0..<order { vector[index] -= overlap * other[index] }
        }
      }
      let norm = vector.reduce(0) { $0 + $1.lengthSquared }.squareRoot()
      vectors.append(vector.map { $0 / Complex(norm) })
    }
    var matrix = [Complex<Double>](repeating: .zero, count: order * order)
    for (value, vector) in zip(values, vectors) {
      for column in 0..<order {
        for row in 0..<order {
          matrix[column * order + row] += Complex(value) * vector[row] * vector[column].conjugate
        }
      }
    }
    return (matrix, vectors)
  }

  /// Real parts, then imaginary parts.
  private static func parts(_ matrix: [Complex<Double>]) -> [Double] {
    matrix.map { $0.real } + matrix.map { $0.imaginary }
  }

  /// How much of the true vectors the first `count` found ones leave out, at the most.
  private static func missed(_ problem: LeadingVectors, _ truth: [[Complex<Double>]], _ isHermitian: Bool) -> Double {
    let found = truth.indices.map { index in
      let vector = problem.vector(index)
      return (0..<problem.order).map { Complex(vector[$0], isHermitian ? vector[problem.stride + $0] : 0) }
    }
    return truth.map { vector in
      var rest = vector
      for other in found {
        let overlap = zip(other, vector).reduce(Complex<Double>.zero) { $0 + $1.0.conjugate * $1.1 }
        for index in rest.indices { rest[index] -= overlap * other[index] }
      }
      return rest.reduce(0) { $0 + $1.lengthSquared }.squareRoot()
    }.max() ?? 0
  }

  @Test(arguments: [false, true], [2, 3, 4, 5, 8, 11, 12, 17])
  func spansTheStrongestEigenvectors(isHermitian: Bool, order: Int) {
    for count in 1...max(1, (order + 1) / 3) where count < order {
      for weakest in [1.0, 1e-3] {
        let values = (0..<order).map { (index: Int) -> Double in
          if index >= count { return 0.05 * weakest / Double(1 + index) }
          return weakest * Double.pow(10, Double(count - 1 - index))
        }
        let (matrix, vectors) = Self.matrix(values, isHermitian: isHermitian, seed: UInt64(7100 + 10 * order + count))
        let problem = LeadingVectors(order: order, limit: count, isHermitian: isHermitian)
        // What was there before does not matter.
        for index in 0..<problem.vectors.count { problem.vectors.pointer[index] = .nan }
        #expect(problem.find(Self.parts(matrix), count: count))
        #expect(Self.missed(problem, Array(vectors.prefix(count)), isHermitian) < 1e-9, "\(count) of \(order)")
      }
    }
  }

  /// Eigenvalues that lie close together are left to whoever decomposes the whole matrix.
  @Test(arguments: [false, true]) func closeEigenvaluesAreGivenUp(isHermitian: Bool) {
    let (matrix, _) = Self.matrix([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3], isHermitian: isHermitian, seed: 7200)
    let problem = LeadingVectors(order: 8, limit: 3, isHermitian: isHermitian)
    for count in 1...3 {
      #expect(!problem.find(Self.parts(matrix), count: count))
    }
  }

  @Test func whatHasTooFewEigenvaluesOrIsNoNumberIsGivenUp() {
    let problem = LeadingVectors(order: 8, limit: 2, isHermitian: false)
    let (matrix, _) = Self.matrix([1, 0, 0, 0, 0, 0, 0, 0], isHermitian: false, seed: 7201)
    #expect(problem.find(matrix.map(\.real), count: 1))
    // One source and nothing else holds no second.
    #expect(!problem.find(matrix.map(\.real), count: 2))
    // So many others that one of them might be as large.
    let (many, _) = Self.matrix([1, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4], isHermitian: false, seed: 7203)
    #expect(!problem.find(many.map(\.real), count: 1))
    for bad in [0, Double.nan, .infinity] {
      #expect(!problem.find([Double](repeating: bad, count: 64), count: 1))
    }
  }

  @Test(arguments: [false, true], [(4, 1), (8, 2), (12, 3), (16, 1)])
  func bothBuildsAgree(isHermitian: Bool, size: (order: Int, count: Int)) {
    let values = (0..<size.order).map { $0 < size.count ? 4 / Double(1 + $0) : 0.01 }
    let (matrix, _) = Self.matrix(values, isHermitian: isHermitian, seed: 7202)
    let numbers = Self.parts(matrix)
    let length = (isHermitian ? 2 : 1) * size.order
    var scratch = [Double](repeating: 0, count: (size.count + 1) * length)
    var (own, portable) = ([Double](repeating: 0, count: size.count * length), [Double]())
    portable = own
    #expect(uwb_leading_vectors(numbers, size.order, isHermitian, size.count, 1e-10, 16, &scratch, &own))
    #expect(
      uwb_leading_vectors_portable(numbers, size.order, isHermitian, size.count, 1e-10, 16, &scratch, &portable))
    for (a, b) in zip(own, portable) { #expect(abs(a - b) < 1e-10) }
  }
}
