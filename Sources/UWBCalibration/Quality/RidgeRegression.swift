import UWBDSP

/// Weighted ridge regression with an unpenalised intercept (Hoerl & Kennard, Technometrics 12, 1970):
///
///     minimise  Σ w (y − b − xᵀβ)² / Σ w  +  λ ‖β‖²
///
/// by the normal equations of the centred rows, (C + λI) β = c, through LAPACK. Rows are to be scaled to deviation 1, so that
/// λ means the same for every column; as the first sum is a mean, λ here is what λ·n is where the sum is not divided.
///
/// Cost O(rows · columns²) to gather sums, O(columns³) to solve. Sums of groups add and subtract, so leaving each group out
/// in turn costs one solution a group and no further run over the rows. Don't use it where columns outnumber rows and λ is
/// zero: it then says `nil`.
public struct RidgeRegression: Sendable, Hashable {
  /// Penalty on the squared coefficients.
  public var lambda: Double

  /// Creates one with the given values.
  public init(lambda: Double) {
    self.lambda = lambda
  }

  /// - Returns: coefficients and intercept; `nil` where they are not determined.
  public func fit(_ rows: FeatureTable, targets: [Double], weights: [Double]) -> Solution? {
    var sums = NormalEquations(columnCount: rows.columnCount)
    sums.add(rows, targets: targets, weights: weights, indices: rows.rowCount > 0 ? 0..<rows.rowCount : 0..<0)
    return fit(sums)
  }

  /// Coefficients and intercept.
  public struct Solution: Sendable, Hashable {
    /// Coefficient of each column.
    public var coefficients: [Double]
    /// Value where all columns are 0.
    public var intercept: Double

    /// The value at row `index` of `rows`.
    public func value(at index: Int, of rows: FeatureTable) -> Double {
      var sum = intercept
      for column in 0..<coefficients.count { sum += coefficients[column] * rows[index, column] }
      return sum
    }
  }

  func fit(_ sums: NormalEquations) -> Solution? {
    let columns = sums.columnCount
    guard sums.weight > 0 else { return nil }
    let means = sums.first.map { $0 / sums.weight }
    let target = sums.target / sums.weight
    var matrix = [Double](repeating: 0, count: columns * columns)
    var side = [Double](repeating: 0, count: columns)
    for column in 0..<columns {
      for row in column..<columns {
        matrix[column * columns + row] = sums.second[row * columns + column] / sums.weight - means[row] * means[column]
      }
      matrix[column * columns + column] += lambda
      side[column] = sums.product[column] / sums.weight - means[column] * target
    }
    guard PositiveDefiniteEquations.solve(&matrix, &side), side.allSatisfy(\.isFinite) else { return nil }
    var intercept = target
    for column in 0..<columns { intercept -= side[column] * means[column] }
    return Solution(coefficients: side, intercept: intercept)
  }
}

/// Weighted sums over rows x and targets y: all that a ridge regression needs of them.
struct NormalEquations: Sendable {
  let columnCount: Int
  /// Σ w
  private(set) var weight = 0.0
  /// Σ w y
  private(set) var target = 0.0
  /// Σ w x
  private(set) var first: [Double]
  /// Σ w x y
  private(set) var product: [Double]
  /// Σ w x xᵀ, lower triangle by rows
  private(set) var second: [Double]

  init(columnCount: Int) {
    self.columnCount = columnCount
    first = [Double](repeating: 0, count: columnCount)
    product = first
    second = [Double](repeating: 0, count: columnCount * columnCount)
  }

  mutating func add(_ rows: FeatureTable, targets: [Double], weights: [Double], indices: some Sequence<Int>) {
    precondition(
      rows.rowCount == targets.count && rows.rowCount == weights.count && rows.columnCount == columnCount,
      "\(rows.rowCount) rows of \(rows.columnCount), \(targets.count) targets and \(weights.count) weights")
    let columns = columnCount
    rows.values.withUnsafeBufferPointer { values in
      second.withUnsafeMutableBufferPointer { second in
        for row in indices {
          let start = row * columns
          weight += weights[row]
          target += weights[row] * targets[row]
          for column in 0..<columns {
            let weighted = weights[row] * values[start + column]
            first[column] += weighted
            product[column] += weighted * targets[row]
            for other in 0...column { second[column * columns + other] += weighted * values[start + other] }
          }
        }
      }
    }
  }

  static func - (one: NormalEquations, other: NormalEquations) -> NormalEquations {
    one.combined(with: other, -1)
  }

  static func + (one: NormalEquations, other: NormalEquations) -> NormalEquations {
    one.combined(with: other, 1)
  }

  private func combined(with other: NormalEquations, _ sign: Double) -> NormalEquations {
    var result = self
    result.weight += sign * other.weight
    result.target += sign * other.target
    for index in first.indices {
      result.first[index] += sign * other.first[index]
      result.product[index] += sign * other.product[index]
    }
    for index in second.indices { result.second[index] += sign * other.second[index] }
    return result
  }
}
