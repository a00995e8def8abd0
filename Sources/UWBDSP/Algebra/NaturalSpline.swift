/// A natural cubic spline through values at knots: twice continuously differentiable, straight at its ends.
///
/// Between knots i and i + 1, h apart, with a = (x_{i+1} − x)/h, b = 1 − a and second derivatives m (m = 0 at both ends):
///
///     s(x) = a·y_i + b·y_{i+1} + ((a³ − a)·m_i + (b³ − b)·m_{i+1})·h²/6
///
/// Green & Silverman, "Nonparametric Regression and Generalized Linear Models" (1994), section 2.1. Outside of the knots
/// it stays at its end values: calibration curves know nothing there. Cost: O(K) to make, O(log K) to evaluate, no
/// allocation. As a regression it is linear
/// in the values: `basis` is the design, `roughness` the penalty.
package struct NaturalSpline: Sendable, Hashable {
  /// Ascending, at least one.
  package let knots: [Double]
  /// Values at the knots.
  package let values: [Double]
  private let curvatures: [Double]

  /// - Precondition: as many values as knots, at least one; knots ascend and are finite.
  package init(knots: [Double], values: [Double]) {
    precondition(
      !knots.isEmpty && knots.count == values.count, "\(knots.count) knots with \(values.count) values are no spline")
    precondition(Self.areKnots(knots), "the knots of a spline ascend: \(knots)")
    self.knots = knots
    self.values = values
    curvatures = Self.curvatures(knots, values)
  }

  /// Whether these can be knots.
  package static func areKnots(_ knots: [Double]) -> Bool {
    !knots.isEmpty && knots.allSatisfy(\.isFinite) && zip(knots, knots.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Value of the spline at `x`.
  package func callAsFunction(_ x: Double) -> Double {
    let last = knots.count - 1
    if x.isNaN { return .nan }
    if x <= knots[0] { return values[0] }
    if x >= knots[last] { return values[last] }
    var (lower, upper) = (0, last)
    while upper - lower > 1 {
      let middle = (lower + upper) / 2
      if knots[middle] <= x { lower = middle } else { upper = middle }
    }
    let h = knots[upper] - knots[lower]
    let a = (knots[upper] - x) / h
    let b = 1 - a
    return a * values[lower] + b * values[upper]
      + ((a * a * a - a) * curvatures[lower] + (b * b * b - b) * curvatures[upper]) * h * h / 6
  }

  /// What each value at `knots` counts in s(x): splines with unit values, one for each knot.
  package static func basis(knots: [Double]) -> [NaturalSpline] {
    knots.indices.map { index in
      var values = [Double](repeating: 0, count: knots.count)
      values[index] = 1
      return NaturalSpline(knots: knots, values: values)
    }
  }

  /// ∫ s″(x)² dx as a quadratic form of the values, by rows: yᵀ·R·y.
  ///
  /// s″ is piecewise linear, so that the integral is that of products of linear pieces: h/3·(m_i n_i + m_{i+1} n_{i+1}) +
  /// h/6·(m_i n_{i+1} + m_{i+1} n_i).
  package static func roughness(knots: [Double]) -> [Double] {
    let basis = basis(knots: knots)
    let count = knots.count
    var form = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      for column in 0...row {
        let (m, n) = (basis[row].curvatures, basis[column].curvatures)
        var sum = 0.0
        for index in 0..<count - 1 {
          let h = knots[index + 1] - knots[index]
          sum += h / 3 * (m[index] * n[index] + m[index + 1] * n[index + 1])
          sum += h / 6 * (m[index] * n[index + 1] + m[index + 1] * n[index])
        }
        form[row * count + column] = sum
        form[column * count + row] = sum
      }
    }
    return form
  }

  /// Second derivatives at the knots, by elimination in the tridiagonal equations
  /// h_{i−1}·m_{i−1} + 2(h_{i−1} + h_i)·m_i + h_i·m_{i+1} = 6·(slope_i − slope_{i−1}).
  private static func curvatures(_ knots: [Double], _ values: [Double]) -> [Double] {
    let count = knots.count
    var result = [Double](repeating: 0, count: count)
    guard count > 2 else { return result }
    var factors = [Double](repeating: 0, count: count)
    for index in 1..<count - 1 {
      let before = knots[index] - knots[index - 1]
      let after = knots[index + 1] - knots[index]
      let bend = 6 * ((values[index + 1] - values[index]) / after - (values[index] - values[index - 1]) / before)
      let pivot = 2 * (before + after) - before * factors[index - 1]
      factors[index] = after / pivot
      result[index] = (bend - before * result[index - 1]) / pivot
    }
    for index in stride(from: count - 2, through: 1, by: -1) { result[index] -= factors[index] * result[index + 1] }
    return result
  }
}
