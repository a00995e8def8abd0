/// Brings features to mean 0 and deviation 1 and clips what lies further out than `clip` deviations, so that one odd CIR
/// can't carry a linear model away.
public struct FeatureScaling: Sendable, Hashable, Codable {
  /// Mean of each column.
  public let means: [Double]
  /// Positive.
  public let deviations: [Double]
  /// Number of deviations beyond which a value is cut, on either side; positive.
  public let clip: Double

  /// Creates one with the given values.
  public init(means: [Double], deviations: [Double], clip: Double = 3) {
    precondition(
      means.count == deviations.count, "\(means.count) means do not go with \(deviations.count) deviations")
    self.means = means
    self.deviations = deviations
    self.clip = clip
  }

  /// Weighted means and deviations of the columns. A column that never changes gets the deviation 1.
  public init(fitting rows: FeatureTable, weights: [Double], clip: Double = 3) {
    precondition(rows.rowCount == weights.count, "\(rows.rowCount) rows do not go with \(weights.count) weights")
    let columns = rows.columnCount
    var means = [Double](repeating: 0, count: columns)
    var squares = means
    var total = 0.0
    for row in 0..<rows.rowCount {
      total += weights[row]
      for column in 0..<columns { means[column] += weights[row] * rows[row, column] }
    }
    for column in 0..<columns { means[column] /= max(total, .leastNormalMagnitude) }
    for row in 0..<rows.rowCount {
      for column in 0..<columns {
        let difference = rows[row, column] - means[column]
        squares[column] += weights[row] * difference * difference
      }
    }
    let deviations = squares.map { square in
      let deviation = (square / max(total, .leastNormalMagnitude)).squareRoot()
      return deviation > 1e-9 ? deviation : 1
    }
    self.init(means: means, deviations: deviations, clip: clip)
  }

  /// A value of a column, scaled.
  public func scaled(_ value: Double, column: Int) -> Double {
    min(max((value - means[column]) / deviations[column], -clip), clip)
  }

  /// A table, scaled column by column.
  public func scaled(_ rows: FeatureTable) -> FeatureTable {
    var result = rows
    for row in 0..<rows.rowCount {
      for column in 0..<rows.columnCount { result[row, column] = scaled(rows[row, column], column: column) }
    }
    return result
  }
}

/// Numbers in rows, one row an observation.
public struct FeatureTable: Sendable, Hashable {
  /// Number of columns.
  public let columnCount: Int
  /// Values row by row.
  public private(set) var values: [Double]
  /// Number of rows.
  public var rowCount: Int { values.count / columnCount }

  /// - Precondition: `values.count` is a multiple of `columnCount`, which is at least 1.
  public init(columnCount: Int, values: [Double] = []) {
    precondition(
      columnCount >= 1 && values.count % columnCount == 0, "\(values.count) numbers do not fill rows of \(columnCount)")
    self.columnCount = columnCount
    self.values = values
  }

  /// The features `features` of each of `rows`.
  public init(_ rows: some Sequence<QualityFeatures>, features: [QualityFeature]) {
    self.init(columnCount: features.count, values: rows.flatMap { row in features.map { row[$0] } })
  }

  /// Value in a row and a column, both from 0.
  public subscript(row: Int, column: Int) -> Double {
    get { values[row * columnCount + column] }
    set { values[row * columnCount + column] = newValue }
  }

  /// The rows `indices`, in their order.
  public func rows(_ indices: some Sequence<Int>) -> FeatureTable {
    FeatureTable(
      columnCount: columnCount,
      values: indices.flatMap { values[($0 * columnCount)..<(($0 + 1) * columnCount)] })
  }
}
