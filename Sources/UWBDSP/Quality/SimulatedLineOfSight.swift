extension LineOfSightModel {
  /// The model that ships.
  public static let simulated = LineOfSightModel(
    logOdds: LinearModel(
      features: [.kurtosis], scaling: FeatureScaling(means: [0], deviations: [1]), coefficients: [0], intercept: 0))
}
