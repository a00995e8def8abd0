import UWBDSP

/// What plain methods make of the same places, each left out in turn: what models of CIRs have to beat.
public enum QualityBaseline {
  /// Errors less the mean error of all other places.
  public static func lessConstant(_ errors: [Double], groups: [Int]) -> [Double] {
    residuals(FeatureTable(columnCount: 1, values: [Double](repeating: 0, count: errors.count)), errors, groups, 1)
  }

  /// Errors less what a ridge regression on `rows` of all other places foresees, all exchanges weighing the same. What is
  /// not finite counts as the column's mean.
  public static func lessRidge(
    _ rows: FeatureTable, _ errors: [Double], groups: [Int], lambda: Double = 0.01
  ) -> [Double] {
    residuals(rows, errors, groups, lambda)
  }

  private static func residuals(
    _ rows: FeatureTable, _ errors: [Double], _ groups: [Int], _ lambda: Double
  ) -> [Double] {
    let weights = [Double](repeating: 1, count: errors.count)
    var result = errors
    for left in GroupedSamples(groups).indices {
      let isLeft = Set(left)
      let others = errors.indices.filter { !isLeft.contains($0) }
      let filled = filledIn(rows, others)
      let scaling = FeatureScaling(
        fitting: filled.rows(others), weights: others.map { weights[$0] })
      let scaled = scaling.scaled(filled)
      var sums = NormalEquations(columnCount: rows.columnCount)
      sums.add(scaled, targets: errors, weights: weights, indices: others)
      guard let solution = RidgeRegression(lambda: lambda).fit(sums) else { continue }
      for index in left { result[index] -= solution.value(at: index, of: scaled) }
    }
    return result
  }

  private static func filledIn(_ rows: FeatureTable, _ training: [Int]) -> FeatureTable {
    var result = rows
    for column in 0..<rows.columnCount {
      let known = training.lazy.map { rows[$0, column] }.filter(\.isFinite)
      let mean = known.reduce(0, +) / Double(max(known.count, 1))
      for row in 0..<rows.rowCount where !rows[row, column].isFinite { result[row, column] = mean }
    }
    return result
  }
}
