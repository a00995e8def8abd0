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

  static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
}
