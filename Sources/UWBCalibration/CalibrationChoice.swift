import Numerics
import UWBDSP

/// How much of a calibration the data carry: nothing, a constant, or a model. The one rule for all calibrations.
///
/// Costs are mean squares on groups (pairs of devices, places, captures) that were left out while fitting. The simplest candidate
/// is taken that no other beats. To beat another, a candidate has to gain more than chance and more than is negligible:
///
///     gain > SE·(1 + 2/(groups − 1))   and   gain > 0.02·(cost of the other)
///
/// SE is the standard error of the paired difference (Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees", 1984,
/// section 3.4.3). It counts for more where few groups estimate it. The least gain, 1 % of the error, is there for models of many
/// settings: the luckiest of these is a little better on every group.
enum CalibrationChoice {
  private static let negligible = 0.02

  /// - Parameter costs: for each candidate, simplest first, its cost on each group.
  /// - Returns: the candidate's index; `nil` for no candidates.
  static func simplest(_ costs: [[Double]]) -> Int? {
    costs.indices.first { simple in
      !costs[(simple + 1)...].contains { beats($0, costs[simple]) }
    }
  }

  private static func beats(_ costs: [Double], _ others: [Double]) -> Bool {
    let gains = zip(others, costs).map { $0 - $1 }
    let count = Double(gains.count)
    let gain = mean(gains)
    guard count > 1 else { return gain > 0 }
    let variance = gains.reduce(0) { $0 + ($1 - gain) * ($1 - gain) } / (count - 1)
    let error = (variance / count).squareRoot()
    return gain > error * (1 + 2 / (count - 1)) && gain > negligible * mean(others)
  }

  /// The best setting of a model, and the model's cost on each group, charged for that choice.
  ///
  /// - Parameter costs: for each setting its cost on each group.
  static func best(_ costs: [[Double]]) -> (index: Int, costs: [Double])? {
    costs.indices.min { mean(costs[$0]) < mean(costs[$1]) }.map { ($0, costsOfChoosing(costs)) }
  }

  /// What a model costs each group where its setting is chosen by the other groups: the smallest mean of all would be too good.
  ///
  /// - Parameter costs: for each setting its cost on each group.
  static func costsOfChoosing(_ costs: [[Double]]) -> [Double] {
    guard let first = costs.first, first.count > 1 else { return costs.first ?? [] }
    let sums = costs.map { $0.reduce(0, +) }
    return first.indices.map { group in
      costs.indices.map { (others: sums[$0] - costs[$0][group], own: costs[$0][group]) }
        .min { $0.others < $1.others }?.own ?? first[group]
    }
  }

  /// Standard deviation of a place's own error, m, before any was seen, and the number of places that this counts for.
  private static let placePrior = (deviation: 0.1, places: 4.0)
  /// Most that a mean may add to the mean square error where there is nothing to take off: 2 % of its root.
  private static let harm = 0.0404

  /// Whether the mean of groups' errors is so plain that taking it off does no harm.
  ///
  /// Were there nothing but the places' own errors, of variance σ², a mean of n would add z²·σ²/n where it is taken, z standard normal.
  /// With the variance estimated from ν = n − 1 + 4 degrees of freedom, the prior's among them, the mean is taken where |t| > c, and
  ///
  ///     E[z²; |t| > c] = P(3·F₃,ν > c²) ≤ 0.0404·n
  ///
  /// (Student's t; F of Fisher & Snedecor: z² shifts a χ² of one degree of freedom to one of three.)
  static func isPlain(meanOf errors: [Double]) -> Bool {
    let count = Double(errors.count)
    let mean = mean(errors)
    let prior = placePrior.places * placePrior.deviation * placePrior.deviation
    let freedom = placePrior.places + count - 1
    let variance = (prior + errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }) / freedom
    return upperTail(mean * mean * count / variance, freedom: freedom) <= harm * count
  }

  /// P(3·F₃,ν > square): the incomplete beta function of ν/2 and 3/2, by the midpoint rule.
  private static func upperTail(_ square: Double, freedom: Double) -> Double {
    func integral(to limit: Double) -> Double {
      let steps = 400
      return (0..<steps).reduce(0) { sum, step in
        let u = limit * (Double(step) + 0.5) / Double(steps)
        return sum + limit * Double.pow(u, freedom / 2 - 1) * (1 - u).squareRoot()
      }
    }
    return integral(to: freedom / (freedom + square)) / integral(to: 1)
  }

  static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
}
