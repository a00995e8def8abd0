/// Judges one exchange: line of sight, range bias, and what the distance's deviation then is.
struct QualityStage: Sendable {
  private let lineOfSight: LineOfSightModel
  private let judgesByShape: Bool
  private let baseline: SignalBaseline?
  private let signal: NominalSignal?
  private let rangeBias: RangeBiasModel?

  /// Whether `judge` gives a range bias.
  var predictsRangeBias: Bool { rangeBias != nil }

  /// - Parameters:
  ///   - delay: the estimator in use. A calibration of another says nothing about its bias.
  ///   - signal: what is known of the radio where nothing is of the site.
  init(_ calibration: QualityCalibration?, delay: DelayMethod, signal: NominalSignal? = nil) {
    self.signal = signal
    lineOfSight = calibration?.lineOfSight ?? .unlabelled
    judgesByShape = lineOfSight.linear.features == [.siteOdds]
    baseline = calibration?.baseline
    rangeBias = calibration?.delay == delay.name ? calibration?.rangeBias : nil
  }

  /// Completes `measurement` from the features of its receptions; what can't be told stays `nil`.
  ///
  /// - Returns: the exchange's features, its distance entered.
  @discardableResult
  func judge(
    _ first: QualityFeatures?, _ second: QualityFeatures?, into measurement: inout RangingMeasurement
  ) -> QualityFeatures? {
    guard var features = Self.joined(first, second) else { return nil }
    if let distance = measurement.distance { features.setDistance(distance) }
    let isRanged = measurement.distance != nil
    features.setSiteOdds(isRanged ? baseline : nil, signal: isRanged ? signal : nil)
    if measurement.distance != nil || !lineOfSight.linear.features.contains(.freeSpacePeak) {
      measurement.isLineOfSightUnknown = judgesByShape && LineOfSightModel.simulated.trust(features) == 0
      measurement.lineOfSightProbability =
        measurement.isLineOfSightUnknown ? 0.5 : lineOfSight.probability(features)
    }
    if measurement.distance != nil, let rangeBias {
      measurement.rangeBias = rangeBias.value(features)
      measurement.rangeBiasDeviation = rangeBias.deviation(features)
    }
    return features
  }

  /// An exchange's features are the mean of its receptions'.
  static func joined(_ first: QualityFeatures?, _ second: QualityFeatures?) -> QualityFeatures? {
    guard let first else { return second }
    guard let second else { return first }
    return .mean(first, second)
  }
}
