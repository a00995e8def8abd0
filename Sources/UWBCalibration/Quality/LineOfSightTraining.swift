import Numerics
import UWBDSP

/// Fits a `LineOfSightModel` to labelled exchanges, feature set and λ chosen by leaving one place out.
///
/// Places weigh the same, and so do both classes: a place's share of line of sight is unknown beforehand. `CalibrationChoice` takes
/// the feature set, by the mean logarithmic loss on places left out. As a place's CIRs are all alike, `exchangesPerPlace` of them, evenly
/// spaced, are enough to choose by; the final fit uses all.
///
/// A model starts from the one that ships, with what that knows of the radio's power: the ridge draws it there, not to even odds.
/// Sets and λ are those that did best on simulated sites of 10 to 16 places. A set is tried where each class has five places a feature
/// (Vittinghoff & McCulloch, "Relaxing the rule of ten events per variable", Am. J. Epidemiol. 165, 2007): with fewer, the place that
/// contradicts a model is often the one that was left out. The smallest set always is.
///
/// Cost: settings × places logistic fits. Needs two places of each class at least.
public struct LineOfSightTraining: Sendable, Hashable {
  /// Sets of features of which one is chosen.
  public var featureSets: [QualityFeatureSet]
  /// Penalties of which one is chosen.
  public var lambdas: [Double]
  /// Exchanges of each place that are used, at most.
  public var exchangesPerPlace: Int

  /// Creates one with the given values.
  public init(
    featureSets: [QualityFeatureSet] = [.site, .amplitudes], lambdas: [Double] = [0.1, 0.3, 1],
    exchangesPerPlace: Int = 32
  ) {
    self.featureSets = featureSets
    self.lambdas = lambdas
    self.exchangesPerPlace = exchangesPerPlace
  }

  /// What log-odds of the model that ships are scaled by; three times that is the most that they count.
  private static let shippedScale = 3.0

  /// What was chosen.
  public struct Choice: Sendable, Hashable {
    /// The set of features.
    public var featureSet: QualityFeatureSet
    /// The penalty.
    public var lambda: Double
    /// Mean logarithmic loss on places left out while choosing, nats; `nil` where there was nothing to choose.
    public var loss: Double?
  }

  /// What a training gave.
  public struct Result: Sendable, Hashable {
    /// The model.
    public var model: LineOfSightModel
    /// What was chosen.
    public var choice: Choice
  }

  /// - Parameter samples: those without a label are left out.
  /// - Returns: `nil` where a class has fewer than two places.
  public func fit(_ samples: [QualitySample]) -> Result? {
    let samples = samples.filter { $0.isLineOfSight != nil }
    let few = Self.thinned(samples, perPlace: exchangesPerPlace)
    let placeCount = Self.fewerPlaces(few)
    guard placeCount >= 2 else { return nil }
    let groups = GroupedSamples(few.map(\.group))
    if featureSets.count == 1, lambdas.count == 1 {
      return Self.model(samples, featureSets[0], lambda: lambdas[0]).map {
        Result(model: $0, choice: Choice(featureSet: featureSets[0], lambda: lambdas[0], loss: nil))
      }
    }
    // The best λ of each feature set, charged for that choice; few features before many.
    var models: [(choice: Choice, costs: [Double])] = []
    for set in sets(forPlaces: placeCount) {
      let settings = lambdas.sorted(by: >).compactMap { lambda in
        losses(few, groups, set, lambda).map { (lambda: lambda, costs: $0) }
      }
      guard let best = CalibrationChoice.best(settings.map(\.costs)) else { continue }
      let setting = settings[best.index]
      models.append(
        (
          Choice(featureSet: set, lambda: setting.lambda, loss: CalibrationChoice.mean(setting.costs)), best.costs
        ))
    }
    guard let best = CalibrationChoice.simplest(models.map(\.costs)).map({ models[$0].choice }),
      let model = Self.model(samples, best.featureSet, lambda: best.lambda)
    else { return nil }
    return Result(model: model, choice: best)
  }

  /// Places of a class that a feature takes.
  private static let placesPerFeature = 5

  /// The sets for so many places of the rarer class, few features first.
  private func sets(forPlaces count: Int) -> [QualityFeatureSet] {
    let sorted = featureSets.sorted { $0.features.count < $1.features.count }
    return sorted.prefix(1) + sorted.dropFirst().filter { $0.features.count * Self.placesPerFeature <= count }
  }

  /// Places of the class that has fewer.
  private static func fewerPlaces(_ samples: [QualitySample]) -> Int {
    [true, false].map { label in Set(samples.filter { $0.isLineOfSight == label }.map(\.group)).count }.min() ?? 0
  }

  /// The model for given settings.
  public static func model(
    _ samples: [QualitySample], _ set: QualityFeatureSet, lambda: Double
  ) -> LineOfSightModel? {
    let samples = samples.filter { $0.isLineOfSight != nil }
    let labels = samples.map { $0.isLineOfSight == true }
    let weights = balanced(GroupedSamples(samples.map(\.group)).weights, labels)
    let rows = Rows(samples, set, weights: weights)
    guard
      let solution = regression(lambda, samples, set).fit(
        rows.scaled, labels: labels, weights: weights, offsets: rows.offsets)
    else { return nil }
    return LineOfSightModel(logOdds: rows.model(solution, set))
  }

  /// Standard deviation of the intercept, over sites, of a model that starts from the one that ships.
  private static let interceptDeviation = 2.0

  /// A ridge is a prior over the places that the loss is the mean of: 4 ÷ (1/LOS + 1/NLOS) of them, where both classes weigh the same.
  private static func regression(
    _ lambda: Double, _ samples: [QualitySample], _ set: QualityFeatureSet
  ) -> LogisticRegression {
    guard set.startsFromShipped else { return LogisticRegression(lambda: lambda) }
    let places = [true, false].map { label in
      Double(max(1, Set(samples.filter { $0.isLineOfSight == label }.map(\.group)).count))
    }
    let count = 4 / (1 / places[0] + 1 / places[1])
    return LogisticRegression(
      lambda: lambda, interceptLambda: 1 / (count * interceptDeviation * interceptDeviation))
  }

  /// Features made ready for a fit.
  private struct Rows {
    let scaling: FeatureScaling
    let scaled: FeatureTable
    /// Log-odds of the model that ships; `nil` where the model does not start from it.
    let offsets: [Double]?

    init(_ samples: [QualitySample], _ set: QualityFeatureSet, weights: [Double]) {
      let table = FeatureTable(samples.map(\.features), features: set.features)
      scaling = set == .site ? Self.shippedScaling : FeatureScaling(fitting: table, weights: weights)
      scaled = scaling.scaled(table)
      offsets =
        set.startsFromShipped
        ? samples.map { shippedScale * Self.shippedScaling.scaled($0.features[.siteOdds], column: 0) } : nil
    }

    private static let shippedScaling = FeatureScaling(means: [0], deviations: [shippedScale])

    /// The solution with its offset.
    func model(_ solution: RidgeRegression.Solution, _ set: QualityFeatureSet) -> LinearModel {
      var (features, scaling, coefficients) = (set.features, scaling, solution.coefficients)
      if set == .site {
        coefficients[0] += shippedScale
      } else if set.startsFromShipped {
        features.append(.siteOdds)
        scaling = FeatureScaling(
          means: scaling.means + [0], deviations: scaling.deviations + [shippedScale], clip: scaling.clip)
        coefficients.append(shippedScale)
      }
      return LinearModel(
        features: features, scaling: scaling, coefficients: coefficients, intercept: solution.intercept)
    }
  }

  /// Each place's part in the mean loss, times the number of places.
  private func losses(
    _ samples: [QualitySample], _ groups: GroupedSamples, _ set: QualityFeatureSet, _ lambda: Double
  ) -> [Double]? {
    let labels = samples.map { $0.isLineOfSight == true }
    let weights = Self.balanced(groups.weights, labels)
    let rows = Rows(samples, set, weights: weights)
    // Leaving a place out moves the solution a little: a Newton step or three from that of all.
    var regression = Self.regression(lambda, samples, set)
    regression.tolerance = 1e-3
    guard let all = regression.fit(rows.scaled, labels: labels, weights: weights, offsets: rows.offsets) else {
      return nil
    }
    var losses: [Double] = []
    for left in groups.indices {
      let isLeft = Set(left)
      let others = labels.indices.filter { !isLeft.contains($0) }
      let othersWeights = Self.balanced(groups.weights, labels, among: others)
      guard
        let solution = regression.fit(
          rows.scaled, labels: labels, weights: othersWeights, indices: others, from: all, offsets: rows.offsets)
      else { return nil }
      var sum = 0.0
      for index in left {
        let odds = (rows.offsets?[index] ?? 0) + solution.value(at: index, of: rows.scaled)
        sum += weights[index] * LogisticRegression.loss(logOdds: labels[index] ? odds : -odds)
      }
      losses.append(sum * Double(groups.indices.count))
    }
    return losses
  }

  /// Weights that make both classes weigh the same among `rows`.
  static func balanced(_ weights: [Double], _ labels: [Bool], among rows: [Int]? = nil) -> [Double] {
    var (positive, negative) = (0.0, 0.0)
    for index in rows ?? Array(labels.indices) {
      if labels[index] { positive += weights[index] } else { negative += weights[index] }
    }
    return labels.indices.map { index in
      weights[index] / max(labels[index] ? positive : negative, .leastNormalMagnitude) / 2
    }
  }

  /// At most `count` samples of each place, evenly spaced.
  private static func thinned(_ samples: [QualitySample], perPlace count: Int) -> [QualitySample] {
    GroupedSamples(samples.map(\.group)).indices.flatMap { indices -> [QualitySample] in
      guard indices.count > count else { return indices.map { samples[$0] } }
      return (0..<count).map { samples[indices[$0 * indices.count / count]] }
    }
  }
}
