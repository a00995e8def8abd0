/// Probability that an exchange had line of sight, from the shape of its CIRs: the logistic function of a linear model.
///
/// Even odds are assumed beforehand: how often a place has line of sight is not the model's to know. Far from all that it was
/// trained on, a model with a `support` says 0.5.
public struct LineOfSightModel: Sendable, Hashable, Codable {
  /// The linear model of the log-odds.
  public var linear: LinearModel
  /// Where `linear` was trained; `nil` believes it everywhere. No part of a file: models learnt on site have none.
  public var support: FeatureSupport?
  /// What short windows do to its odds; no part of a file either.
  public var windows: ShortWindowOdds?

  private enum CodingKeys: String, CodingKey {
    case linear = "logOdds"
  }

  /// Creates one with the given values.
  public init(logOdds: LinearModel, support: FeatureSupport? = nil, windows: ShortWindowOdds? = nil) {
    linear = logOdds
    self.support = support
    self.windows = windows
  }

  /// 0 … 1; allocates nothing.
  public func probability(_ features: QualityFeatures) -> Double {
    Self.probability(logOdds: logOdds(features))
  }

  /// 1/(1 + e^(−x)) for log-odds x.
  public static func probability(logOdds: Double) -> Double {
    logOdds >= 0 ? 1 / (1 + Double.exp(-logOdds)) : Double.exp(logOdds) / (1 + Double.exp(logOdds))
  }

  /// Logarithm of the odds of line of sight.
  public func logOdds(_ features: QualityFeatures) -> Double {
    let odds = linear.value(at: features)
    return (windows?.logOdds(odds, tapsAfter: features.tapsAfter) ?? odds) * trust(features)
  }

  /// 1 where `features` are like training, 0 where nothing is known of such.
  public func trust(_ features: QualityFeatures) -> Double { support?.trust(features, of: linear.features) ?? 1 }

  /// The model without labels of the site: the odds as they are.
  public static let unlabelled = LineOfSightModel(
    logOdds: LinearModel(
      features: [.siteOdds], scaling: FeatureScaling(means: [0], deviations: [1], clip: 20), coefficients: [1],
      intercept: 0))
}
