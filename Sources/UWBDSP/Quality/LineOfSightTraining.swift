import Numerics

/// Fits a `LineOfSightModel` to labelled exchanges, feature set and λ chosen by leaving one place out.
///
/// Places weigh the same, and so do both classes: a place's share of line of sight is unknown beforehand. `CalibrationChoice` takes
/// the feature set, by the mean logarithmic loss on places left out. As a place's CIRs are all alike, `exchangesPerPlace` of them, evenly
/// spaced, are enough to choose by; the final fit uses all.
///
/// Cost: settings × places logistic fits. Needs two places of each class at least.
public struct LineOfSightTraining: Sendable, Hashable {
  public var featureSets: [QualityFeatureSet]
  public var lambdas: [Double]
  public var exchangesPerPlace: Int

  public init(
    featureSets: [QualityFeatureSet] = [.site, .amplitudes, .firstPath, .edges, .firstPathAndEdges, .all],
    lambdas: [Double] = [0.01, 0.03, 0.1, 0.3, 1], exchangesPerPlace: Int = 32
  ) {
    self.featureSets = featureSets
    self.lambdas = lambdas
    self.exchangesPerPlace = exchangesPerPlace
  }

  /// Of the one coefficient that a site's odds have: it keeps a slope finite where the classes part.
  private static let siteLambda = 0.001

  public struct Choice: Sendable, Hashable {
    public var featureSet: QualityFeatureSet
    public var lambda: Double
    /// Mean logarithmic loss on places left out while choosing, nats; `nil` where there was nothing to choose.
    public var loss: Double?
  }

  public struct Result: Sendable, Hashable {
    public var model: LineOfSightModel
    public var choice: Choice
  }

  /// - Parameter samples: those without a label are left out.
  /// - Returns: `nil` where a class has fewer than two places.
  public func fit(_ samples: [QualitySample]) -> Result? {
    let samples = samples.filter { $0.isLineOfSight != nil }
    let few = Self.thinned(samples, perPlace: exchangesPerPlace)
    guard let groups = Self.placesOfBothClasses(few) else { return nil }
    if featureSets.count == 1, lambdas.count == 1 {
      return Self.model(samples, featureSets[0], lambda: lambdas[0]).map {
        Result(model: $0, choice: Choice(featureSet: featureSets[0], lambda: lambdas[0], loss: nil))
      }
    }
    // The best λ of each feature set, charged for that choice; few features before many.
    var models: [(choice: Choice, costs: [Double])] = []
    for set in featureSets.sorted(by: { $0.features.count < $1.features.count }) {
      let settings = (set == .site ? [Self.siteLambda] : lambdas.sorted(by: >)).compactMap { lambda in
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

  /// The model for given settings.
  public static func model(
    _ samples: [QualitySample], _ set: QualityFeatureSet, lambda: Double
  ) -> LineOfSightModel? {
    let samples = samples.filter { $0.isLineOfSight != nil }
    let labels = samples.map { $0.isLineOfSight == true }
    let weights = balanced(GroupedSamples(samples.map(\.group)).weights, labels)
    let table = FeatureTable(samples.map(\.features), features: set.features)
    let scaling = FeatureScaling(fitting: table, weights: weights)
    guard
      let solution = LogisticRegression(lambda: lambda).fit(scaling.scaled(table), labels: labels, weights: weights)
    else { return nil }
    return LineOfSightModel(
      logOdds: LinearModel(
        features: set.features, scaling: scaling, coefficients: solution.coefficients, intercept: solution.intercept))
  }

  /// Each place's part in the mean loss, times the number of places.
  private func losses(
    _ samples: [QualitySample], _ groups: GroupedSamples, _ set: QualityFeatureSet, _ lambda: Double
  ) -> [Double]? {
    let labels = samples.map { $0.isLineOfSight == true }
    let weights = Self.balanced(groups.weights, labels)
    let table = FeatureTable(samples.map(\.features), features: set.features)
    let rows = FeatureScaling(fitting: table, weights: weights).scaled(table)
    // Leaving a place out moves the solution a little: a Newton step or three from that of all.
    let regression = LogisticRegression(lambda: lambda, tolerance: 1e-3)
    guard let all = regression.fit(rows, labels: labels, weights: weights) else { return nil }
    var losses: [Double] = []
    for left in groups.indices {
      let isLeft = Set(left)
      let others = labels.indices.filter { !isLeft.contains($0) }
      let othersWeights = Self.balanced(groups.weights, labels, among: others)
      guard
        let solution = regression.fit(rows, labels: labels, weights: othersWeights, indices: others, from: all)
      else { return nil }
      var sum = 0.0
      for index in left {
        let odds = solution.value(at: index, of: rows)
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

  private static func placesOfBothClasses(_ samples: [QualitySample]) -> GroupedSamples? {
    for label in [true, false] {
      guard Set(samples.filter { $0.isLineOfSight == label }.map(\.group)).count >= 2 else { return nil }
    }
    return GroupedSamples(samples.map(\.group))
  }

  /// At most `count` samples of each place, evenly spaced.
  private static func thinned(_ samples: [QualitySample], perPlace count: Int) -> [QualitySample] {
    GroupedSamples(samples.map(\.group)).indices.flatMap { indices -> [QualitySample] in
      guard indices.count > count else { return indices.map { samples[$0] } }
      return (0..<count).map { samples[indices[$0 * indices.count / count]] }
    }
  }
}
