import Numerics
import UWBDSP

/// Weighted logistic regression with a ridge on the coefficients, and another on the intercept (none, μ = 0, by default):
///
///     minimise  Σ w ln(1 + exp(−s (o + b + xᵀβ))) / Σ w  +  λ/2 ‖β‖²  +  μ/2 b²,      s = ±1
///
///
/// o are log-odds that are known beforehand (offsets), 0 where none are. The minimum is found by Newton's method, which here is
/// iteratively reweighted least squares (le Cessie & van Houwelingen, "Ridge estimators in logistic regression", Appl. Statist. 41, 1992),
/// steps halved until they lower the sum. Each step solves (XᵀWX + λI) δ = gradient through LAPACK.
///
/// Cost O(rows · columns²) a step, 5 to 10 steps. λ has to be positive where a plane parts the classes: without it the
/// coefficients have no end.
public struct LogisticRegression: Sendable, Hashable {
  /// Penalty on the squared coefficients.
  public var lambda: Double
  /// μ
  public var interceptLambda: Double
  /// The fit has settled where no coefficient moves further than this.
  public var tolerance: Double

  /// Creates one with the given values.
  public init(lambda: Double, interceptLambda: Double = 0, tolerance: Double = 1e-6) {
    self.lambda = lambda
    self.interceptLambda = interceptLambda
    self.tolerance = tolerance
  }

  private static let mostIterations = 50
  private static let mostHalvings = 20

  /// - Parameters:
  ///   - indices: the rows that count; all by default.
  ///   - start: where to begin; the null model by default.
  ///   - offsets: log-odds of each row before the model; none by default.
  /// - Returns: coefficients and intercept of the log-odds; `nil` where the iteration did not settle.
  public func fit(
    _ rows: FeatureTable, labels: [Bool], weights: [Double], indices: [Int]? = nil,
    from start: RidgeRegression.Solution? = nil, offsets: [Double]? = nil
  ) -> RidgeRegression.Solution? {
    precondition(
      rows.rowCount == labels.count && rows.rowCount == weights.count,
      "\(rows.rowCount) rows, \(labels.count) labels and \(weights.count) weights")
    let indices = indices ?? Array(0..<rows.rowCount)
    let offsets = offsets ?? [Double](repeating: 0, count: rows.rowCount)
    precondition(offsets.count == rows.rowCount, "\(rows.rowCount) rows and \(offsets.count) offsets")
    let order = rows.columnCount + 1
    // The intercept is unknown 0.
    var unknowns = [Double](repeating: 0, count: order)
    if let start {
      unknowns[0] = start.intercept
      for column in 1..<order { unknowns[column] = start.coefficients[column - 1] }
    }
    var total = 0.0
    for row in indices { total += weights[row] }
    guard total > 0 else { return nil }

    var loss = objective(unknowns, rows, labels, weights, offsets, indices, total)
    for _ in 0..<Self.mostIterations {
      var (hessian, step) = curvature(unknowns, rows, labels, weights, offsets, indices, total)
      guard PositiveDefiniteEquations.solve(&hessian, &step), step.allSatisfy(\.isFinite) else { return nil }
      var scale = 1.0
      var next = unknowns
      var nextLoss = loss
      for _ in 0..<Self.mostHalvings {
        for index in 0..<order { next[index] = unknowns[index] + scale * step[index] }
        nextLoss = objective(next, rows, labels, weights, offsets, indices, total)
        if nextLoss <= loss + 1e-12 * abs(loss) { break }
        scale /= 2
      }
      unknowns = next
      loss = nextLoss
      if step.allSatisfy({ abs($0) * scale <= tolerance }) {
        return RidgeRegression.Solution(coefficients: Array(unknowns.dropFirst()), intercept: unknowns[0])
      }
    }
    return nil
  }

  /// ln(1 + e^(−x)): what an answer with log-odds x for the truth costs.
  public static func loss(logOdds: Double) -> Double {
    logOdds >= 0 ? Double.log(onePlus: Double.exp(-logOdds)) : -logOdds + Double.log(onePlus: Double.exp(logOdds))
  }

  /// ln of `LineOfSightModel.probability(logOdds:)`.
  public static func logProbability(logOdds: Double) -> Double { -loss(logOdds: logOdds) }

  private func objective(
    _ unknowns: [Double], _ rows: FeatureTable, _ labels: [Bool], _ weights: [Double], _ offsets: [Double],
    _ indices: [Int], _ total: Double
  ) -> Double {
    let columns = rows.columnCount
    var sum = 0.0
    rows.values.withUnsafeBufferPointer { values in
      unknowns.withUnsafeBufferPointer { unknowns in
        for row in indices {
          var odds = offsets[row] + unknowns[0]
          for column in 0..<columns { odds += unknowns[column + 1] * values[row * columns + column] }
          sum += weights[row] * Self.loss(logOdds: labels[row] ? odds : -odds)
        }
      }
    }
    var penalty = 0.0
    for column in 1...columns { penalty += unknowns[column] * unknowns[column] }
    return sum / total + lambda / 2 * penalty + interceptLambda / 2 * unknowns[0] * unknowns[0]
  }

  /// The Hessian, lower triangle by columns, and the negative gradient.
  private func curvature(
    _ unknowns: [Double], _ rows: FeatureTable, _ labels: [Bool], _ weights: [Double], _ offsets: [Double],
    _ indices: [Int], _ total: Double
  ) -> (hessian: [Double], descent: [Double]) {
    let columns = rows.columnCount
    let order = columns + 1
    var hessian = [Double](repeating: 0, count: order * order)
    var descent = [Double](repeating: 0, count: order)
    rows.values.withUnsafeBufferPointer { values in
      hessian.withUnsafeMutableBufferPointer { hessian in
        descent.withUnsafeMutableBufferPointer { descent in
          for row in indices {
            let start = row * columns
            var odds = offsets[row] + unknowns[0]
            for column in 0..<columns { odds += unknowns[column + 1] * values[start + column] }
            let probability = LineOfSightModel.probability(logOdds: odds)
            let pull = weights[row] / total * ((labels[row] ? 1 : 0) - probability)
            let bend = weights[row] / total * probability * (1 - probability)
            descent[0] += pull
            hessian[0] += bend
            for column in 0..<columns {
              let value = values[start + column]
              descent[column + 1] += pull * value
              hessian[column + 1] += bend * value
              let weighted = bend * value
              // Column `other` of the triangle, row `column`: filled as rows of its transpose, which lie in a run.
              let base = (column + 1) * order + 1
              for other in 0...column { hessian[base + other] += weighted * values[start + other] }
            }
          }
        }
      }
    }
    // Gathered by rows above; LAPACK reads the lower triangle by columns.
    for row in 1..<order {
      for column in 1...row {
        let value = hessian[row * order + column]
        hessian[row * order + column] = 0
        hessian[column * order + row] = value
      }
    }
    for index in 1..<order {
      hessian[index * order + index] += lambda
      descent[index] -= lambda * unknowns[index]
    }
    // Certain answers leave the intercept without curvature.
    hessian[0] += interceptLambda + 1e-12
    descent[0] -= interceptLambda * unknowns[0]
    return (hessian, descent)
  }
}
