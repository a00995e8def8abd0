import Numerics

/// Where in the space of features a model was trained: a Mahalanobis distance (Mahalanobis, Proc. Natl. Inst. Sci. India 2,
/// 1936) from the training rows' mean, and the largest one at which the model is believed.
public struct FeatureSupport: Sendable, Hashable {
  /// Mean of each column over the training rows.
  public let means: [Double]
  /// The inverse covariance's upper factor U by rows, without what lies below the diagonal: d² = |U (x − mean)|².
  public let factor: [Double]
  /// Square of the distance up to which the model counts in full; from twice as far on it counts for nothing.
  public let limit: Double

  /// - Precondition: `factor` holds the upper triangle of as many rows as there are means.
  public init(means: [Double], factor: [Double], limit: Double) {
    precondition(
      factor.count == means.count * (means.count + 1) / 2, "\(factor.count) numbers for \(means.count) features")
    self.means = means
    self.factor = factor
    self.limit = limit
  }

  /// Mean and covariance of `rows`, and the distance within which `share` of them lie.
  ///
  /// - Returns: `nil` where the covariance is not positive definite.
  public init?(fitting rows: FeatureTable, share: Double) {
    let columns = rows.columnCount
    let scaling = FeatureScaling(fitting: rows, weights: Array(repeating: 1, count: rows.rowCount))
    var covariance = [Double](repeating: 0, count: columns * columns)
    for row in 0..<rows.rowCount {
      for column in 0..<columns {
        let value = rows[row, column] - scaling.means[column]
        for other in 0..<columns {
          covariance[column * columns + other] +=
            value * (rows[row, other] - scaling.means[other]) / Double(rows.rowCount)
        }
      }
    }
    guard let factor = Self.inverseFactor(covariance, columns) else { return nil }
    let open = FeatureSupport(means: scaling.means, factor: factor, limit: .infinity)
    let distances = (0..<rows.rowCount).map { row in open.squaredDistance { rows[row, $0] } }.sorted()
    guard !distances.isEmpty else { return nil }
    self.init(
      means: scaling.means, factor: factor, limit: distances[Int(share * Double(distances.count - 1))])
  }

  /// How far the model counts, 1 … 0.
  public func trust(_ features: QualityFeatures, of columns: [QualityFeature]) -> Double {
    min(max(2 - squaredDistance { features[columns[$0]] } / limit, 0), 1)
  }

  func squaredDistance(_ value: (Int) -> Double) -> Double {
    let count = means.count
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: count) { offsets in
      for column in 0..<count { offsets[column] = value(column) - means[column] }
      var distance = 0.0
      var next = 0
      for row in 0..<count {
        var sum = 0.0
        for column in row..<count {
          sum += factor[next] * offsets[column]
          next += 1
        }
        distance += sum * sum
      }
      return distance
    }
  }

  /// Rows of U, UᵀU = C⁻¹: with C = V Vᵀ, V upper triangular, U = V⁻¹.
  private static func inverseFactor(_ covariance: [Double], _ order: Int) -> [Double]? {
    var v = [Double](repeating: 0, count: order * order)
    for column in stride(from: order - 1, through: 0, by: -1) {
      for row in stride(from: column, through: 0, by: -1) {
        var sum = covariance[row * order + column]
        for other in stride(from: column + 1, to: order, by: 1) {
          sum -= v[row * order + other] * v[column * order + other]
        }
        if row == column {
          guard sum > 0 else { return nil }
          v[row * order + row] = sum.squareRoot()
        } else {
          v[row * order + column] = sum / v[column * order + column]
        }
      }
    }
    var u = [Double](repeating: 0, count: order * order)
    for column in 0..<order {
      u[column * order + column] = 1 / v[column * order + column]
      for row in stride(from: column - 1, through: 0, by: -1) {
        var sum = 0.0
        for other in row + 1...column { sum += v[row * order + other] * u[other * order + column] }
        u[row * order + column] = -sum / v[row * order + row]
      }
    }
    return (0..<order).flatMap { row in (row..<order).map { u[row * order + $0] } }
  }
}
