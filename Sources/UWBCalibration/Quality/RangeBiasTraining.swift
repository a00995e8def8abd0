import Numerics
import UWBDSP

/// Fits a `RangeBiasModel` to labelled exchanges, all settings chosen by leaving one place out; `CalibrationChoice` says whether
/// a model is worth its settings at all, or a constant, or nothing.
///
/// For each first-path estimator, feature set and λ the ridge regression of ln(error − floor) is fitted without one place and
/// scored on it in metres, for every place. What the chosen settings leave, place by place, trains the deviation. That is a ridge
/// regression of ln|residual|, its λ chosen the same way by the likelihood of the residuals.
/// Scales of features are those of all training places.
///
/// Cost: one run over the rows for each estimator and feature set, then settings × places solutions: a second for thousands of
/// exchanges. Needs three places at least, and says nothing about radios or rooms unlike them.
public struct RangeBiasTraining: Sendable, Hashable {
  /// What may be chosen.
  public var featureSets: [QualityFeatureSet]
  /// Penalties of the bias of which one is chosen.
  public var lambdas: [Double]
  /// Penalties of the deviation of which one is chosen.
  public var deviationLambdas: [Double]
  /// Residuals count as at least this, m: the logarithm of a lucky hit says nothing.
  public var leastResidual: Double

  /// Creates one with the given values.
  public init(
    featureSets: [QualityFeatureSet] = [.amplitudes, .firstPath, .edges, .firstPathAndEdges, .all],
    lambdas: [Double] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3], deviationLambdas: [Double] = [0.03, 0.1, 0.3, 1, 3],
    leastResidual: Double = 0.01
  ) {
    self.featureSets = featureSets
    self.lambdas = lambdas
    self.deviationLambdas = deviationLambdas
    self.leastResidual = leastResidual
  }

  /// What was chosen.
  public struct Choice: Sendable, Hashable {
    /// The first-path estimator.
    public var delay: DelayMethod
    /// `nil` for no model: a constant, or nothing (`isZero`).
    public var featureSet: QualityFeatureSet?
    /// Whether no bias is taken off.
    public var isZero = false
    /// The penalty of the bias.
    public var lambda: Double
    /// The penalty of the deviation.
    public var deviationLambda: Double
    /// Root of the mean square error on places left out while choosing, places weighing the same, m.
    public var error: Double

    /// The features' name, `constant` or `none`.
    public var name: String { featureSet?.rawValue ?? (isZero ? "none" : "constant") }
  }

  /// What a training gave.
  public struct Result: Sendable, Hashable {
    /// The model.
    public var model: RangeBiasModel
    /// What was chosen.
    public var choice: Choice
  }

  /// - Parameter candidates: for each first-path estimator the same exchanges in the same order, as it measured them. Those
  ///   without a true distance are left out.
  /// - Returns: `nil` for fewer than three places.
  public func fit(_ candidates: [(delay: DelayMethod, samples: [QualitySample])]) -> Result? {
    let plain = [true, false].flatMap { isZero in
      candidates.compactMap { plainSetting($0.delay, $0.samples.filter { $0.trueDistance != nil }, isZero: isZero) }
    }
    let models = featureSets.sorted { $0.features.count < $1.features.count }.compactMap { model($0, candidates) }
    guard let best = CalibrationChoice.simplest(plain.map(\.costs) + models.map(\.costs)) else { return nil }
    if best < plain.count { return plain[best].result }
    return finish(models[best - plain.count].choice, models[best - plain.count].fold)
  }

  /// The best estimator and λ for one feature set, and what the set costs each place with these chosen by the others.
  private func model(
    _ set: QualityFeatureSet, _ candidates: [(delay: DelayMethod, samples: [QualitySample])]
  ) -> (choice: Choice, fold: Fold, costs: [Double])? {
    var settings: [(choice: Choice, fold: Fold)] = []
    var costs: [[Double]] = []
    for candidate in candidates {
      let samples = candidate.samples.filter { $0.trueDistance != nil }
      let groups = GroupedSamples(samples.map(\.group))
      guard groups.indices.count >= 3 else { continue }
      let fold = Fold(samples, set, groups)
      let sums = fold.sums(fold.logErrors)
      for lambda in lambdas.sorted(by: >) {
        guard let residuals = fold.errorsLeft(sums, lambda: lambda) else { continue }
        let cost = groups.means(residuals.map { $0 * $0 })
        costs.append(cost)
        settings.append(
          (
            Choice(
              delay: candidate.delay, featureSet: set, lambda: lambda, deviationLambda: 0,
              error: CalibrationChoice.mean(cost).squareRoot()), fold
          ))
      }
    }
    return CalibrationChoice.best(costs).map { (settings[$0.index].choice, settings[$0.index].fold, $0.costs) }
  }

  /// Nothing, or a constant, as models without a feature.
  private struct Plain {
    var result: Result
    var costs: [Double]
  }

  private func plainSetting(_ delay: DelayMethod, _ samples: [QualitySample], isZero: Bool) -> Plain? {
    let groups = GroupedSamples(samples.map(\.group))
    let count = Double(groups.indices.count)
    guard count >= 3 else { return nil }
    let errors = samples.map { $0.distance - ($0.trueDistance ?? 0) }
    let means = groups.means(errors)
    let total = means.reduce(0, +)
    // Places weigh the same; without a place the constant is the mean of the others.
    var residuals = errors
    for (group, indices) in groups.indices.enumerated() where !isZero {
      for index in indices { residuals[index] -= (total - means[group]) / (count - 1) }
    }
    let costs = groups.means(residuals.map { $0 * $0 })
    let error = CalibrationChoice.mean(costs).squareRoot()
    // (n + 1)/(n − 1) for how little n places know of another.
    let deviation = max(error, leastResidual) * ((count + 1) / (count - 1)).squareRoot()
    func model(_ intercept: Double) -> LinearModel {
      LinearModel(
        features: [], scaling: FeatureScaling(means: [], deviations: []), coefficients: [], intercept: intercept)
    }
    return Plain(
      result: Result(
        model: RangeBiasModel(
          bias: model(isZero ? 0 : total / count),
          logResidual: model(Double.log(deviation) - RangeBiasModel.logarithmOffset)),
        choice: Choice(delay: delay, featureSet: nil, isZero: isZero, lambda: 0, deviationLambda: 0, error: error)),
      costs: costs)
  }

  private func finish(_ choice: Choice, _ fold: Fold) -> Result? {
    var choice = choice
    guard let residuals = fold.errorsLeft(fold.sums(fold.logErrors), lambda: choice.lambda),
      let bias = RidgeRegression(lambda: choice.lambda).fit(
        fold.rows, targets: fold.logErrors, weights: fold.groups.weights)
    else { return nil }
    let logarithms = residuals.map { Double.log(max(abs($0), leastResidual)) }
    let sums = fold.sums(logarithms)
    var least = Double.infinity
    for lambda in deviationLambdas {
      guard let left = fold.residuals(logarithms, sums, lambda: lambda) else { continue }
      // −ln of the normal density, less its constant, place by place.
      var cost = 0.0
      for index in residuals.indices {
        let logDeviation = logarithms[index] - left[index] + RangeBiasModel.logarithmOffset
        let normalised = residuals[index] * Double.exp(-logDeviation)
        cost += fold.groups.weights[index] * (logDeviation + 0.5 * normalised * normalised)
      }
      if cost < least {
        least = cost
        choice.deviationLambda = lambda
      }
    }
    guard
      let logResidual = RidgeRegression(lambda: choice.deviationLambda).fit(
        fold.rows, targets: logarithms, weights: fold.groups.weights)
    else { return nil }
    func model(_ solution: RidgeRegression.Solution) -> LinearModel {
      LinearModel(
        features: choice.featureSet?.features ?? [], scaling: fold.scaling, coefficients: solution.coefficients,
        intercept: solution.intercept)
    }
    return Result(
      model: RangeBiasModel(bias: model(bias), floor: fold.floor, logResidual: model(logResidual)), choice: choice)
  }

  /// One estimator's rows under one feature set.
  private struct Fold {
    let groups: GroupedSamples
    let scaling: FeatureScaling
    let rows: FeatureTable
    let errors: [Double]
    let floor: Double
    let logErrors: [Double]

    /// Of the floor below the least mean error of a place, m: the scale of a bias. Far larger, the model would be linear.
    private static let depth = 0.5

    init(_ samples: [QualitySample], _ set: QualityFeatureSet, _ groups: GroupedSamples) {
      self.groups = groups
      let table = FeatureTable(samples.map(\.features), features: set.features)
      scaling = FeatureScaling(fitting: table, weights: groups.weights)
      rows = scaling.scaled(table)
      errors = samples.map { $0.distance - ($0.trueDistance ?? 0) }
      let floor = (groups.means(errors).min() ?? 0) - Self.depth
      self.floor = floor
      logErrors = errors.map { Double.log(max($0 - floor, Self.depth / 4)) }
    }

    /// Errors less what a model of all other places says, m.
    func errorsLeft(_ sums: [NormalEquations], lambda: Double) -> [Double]? {
      residuals(logErrors, sums, lambda: lambda).map { left in
        errors.indices.map { errors[$0] - floor - Double.exp(logErrors[$0] - left[$0]) }
      }
    }

    /// The sums of each place.
    func sums(_ targets: [Double]) -> [NormalEquations] {
      groups.indices.map { indices in
        var sums = NormalEquations(columnCount: rows.columnCount)
        sums.add(rows, targets: targets, weights: groups.weights, indices: indices)
        return sums
      }
    }

    /// Target less what a regression on all other places says, for every row.
    func residuals(_ targets: [Double], _ sums: [NormalEquations], lambda: Double) -> [Double]? {
      let all = sums.dropFirst().reduce(sums[0], +)
      var residuals = targets
      for (group, indices) in groups.indices.enumerated() {
        guard let solution = RidgeRegression(lambda: lambda).fit(all - sums[group]) else { return nil }
        for index in indices { residuals[index] -= solution.value(at: index, of: rows) }
      }
      return residuals
    }
  }
}

extension GroupedSamples {
  /// Mean over each place's exchanges.
  func means(_ values: [Double]) -> [Double] {
    indices.map { rows in rows.reduce(0) { $0 + values[$1] } / Double(rows.count) }
  }
}
