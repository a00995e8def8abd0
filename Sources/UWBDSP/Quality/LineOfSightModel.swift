/// Probability that an exchange had line of sight, from the shape of its CIRs: the logistic function of a linear model.
///
/// Even odds are assumed beforehand: how often a place has line of sight is not the model's to know.
public struct LineOfSightModel: Sendable, Hashable, Codable {
  public var logOdds: LinearModel

  public init(logOdds: LinearModel) {
    self.logOdds = logOdds
  }

  /// 0 … 1; allocates nothing.
  public func probability(_ features: QualityFeatures) -> Double {
    LogisticRegression.probability(logOdds: logOdds.value(at: features))
  }
}
