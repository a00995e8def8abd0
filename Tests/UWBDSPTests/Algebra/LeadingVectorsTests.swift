import CUWBKernels
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct LeadingVectorsTests {
  /// A random symmetric matrix with these eigenvalues, ascending, and its eigenvectors.
  private static func matrix(
    _ values: [Double], _ random: inout StatisticsRandom
  ) -> (matrix: [Double], eigen: SymmetricEigenvectors) {
    let order = values.count
    let eigen = SymmetricEigenvectors(capacity: order)
    for index in 0..<order * order { eigen.matrix.pointer[index] = random.uniform(-1...1) }
    #expect(eigen.decompose(order: order))
    var matrix = [Double](repeating: 0, count: order * order)
    for column in 0..<order {
      for row in 0..<order {
        for index in 0..<order {
          let vector = eigen.matrix.pointer + index * order
          matrix[column * order + row] += values[index] * vector[row] * vector[column]
        }
      }
    }
    return (matrix, eigen)
  }

  /// The space is that of the matrix's own eigenvectors: each of these lies in it, and the basis is orthonormal.
  @Test(arguments: [2, 3, 5, 8, 13], [1, 2]) func theSpaceIsThatOfTheLargestEigenvalues(order: Int, count: Int) {
    guard count < order else { return }
    var random = StatisticsRandom(seed: 521)
    for trial in 0..<20 {
      var values = (0..<order).map { _ in random.uniform(0.5...1) }.sorted()
      for index in 0..<count { values[order - 1 - index] = 5 * random.uniform(1...100) }
      values.sort()
      let (matrix, eigen) = Self.matrix(values, &random)
      let leading = LeadingVectors(order: order)
      #expect(leading.find(matrix, count: count), "trial \(trial)")
      func dot(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>) -> Double { dotProduct(a, b, count: order) }
      for index in 0..<count {
        let own = leading.vectors.pointer + leading.stride * index
        for other in 0...index {
          let product = dot(own, leading.vectors.pointer + leading.stride * other)
          #expect(abs(product - (index == other ? 1 : 0)) < 1e-13, "trial \(trial)")
        }
        let vector = eigen.matrix.pointer + order * (order - 1 - index)
        let inside = (0..<count).reduce(0.0) {
          let part = dot(vector, leading.vectors.pointer + leading.stride * $1)
          return $0 + part * part
        }
        #expect(abs(inside - 1) < 1e-11, "trial \(trial)")
      }
    }
  }

  /// Where other eigenvalues are as large, or the matrix is zero or no number, all eigenvectors have to be had.
  @Test func whatCannotBeToldApartIsRefused() {
    var random = StatisticsRandom(seed: 522)
    let leading = LeadingVectors(order: 6)
    #expect(!leading.find(Self.matrix([1, 1, 1, 1, 1, 1.2], &random).matrix, count: 1))
    #expect(!leading.find(Self.matrix([1, 1, 1, 1, 9, 9], &random).matrix, count: 1))
    #expect(leading.find(Self.matrix([1, 1, 1, 1, 9, 9], &random).matrix, count: 2))
    #expect(!leading.find([Double](repeating: 0, count: 36), count: 2))
    #expect(!leading.find([Double](repeating: .nan, count: 36), count: 2))
    #expect(!leading.find([Double](repeating: .infinity, count: 36), count: 1))
    // A matrix of one source and nothing else holds no second.
    #expect(!leading.find(Self.matrix([0, 0, 0, 0, 0, 3], &random).matrix, count: 2))
  }

  @Test(arguments: [1, 2]) func theTwoBuildsFindTheSameSpace(count: Int) {
    var random = StatisticsRandom(seed: 523)
    let order = 8
    let (matrix, _) = Self.matrix([0.5, 0.6, 0.7, 0.8, 0.9, 1, count == 1 ? 1 : 20, 30], &random)
    let start = (0..<2 * order).map { _ in random.uniform(-1...1) }
    var (own, portable, room) = (start, start, start)
    #expect(uwb_leading_vectors(matrix, order, order, count, 1e-13, 60, &own, &room))
    #expect(uwb_leading_vectors_portable(matrix, order, order, count, 1e-13, 60, &portable, &room))
    for index in 0..<count * order { #expect(abs(own[index] - portable[index]) < 1e-10, "\(index)") }
  }
}
