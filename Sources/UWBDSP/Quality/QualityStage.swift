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

  /// Completes `measurement` from the features of its receptions, in which it enters the distance and what hangs on it; what can't be told
  /// stays `nil`.
  func judge(_ features: inout QualityFeatures?, into measurement: inout RangingMeasurement) {
    if let distance = measurement.distance { features?.setDistance(distance) }
    let isRanged = measurement.distance != nil
    features?.setSiteOdds(isRanged ? baseline : nil, signal: isRanged ? signal : nil)
    guard let features else { return }
    if measurement.distance != nil || !lineOfSight.linear.features.contains(.freeSpacePeak) {
      measurement.isLineOfSightUnknown = judgesByShape && LineOfSightModel.simulated.trust(features) == 0
      measurement.lineOfSightProbability =
        measurement.isLineOfSightUnknown ? 0.5 : lineOfSight.probability(features)
    }
    if measurement.distance != nil, let rangeBias {
      measurement.rangeBias = rangeBias.value(features)
      measurement.rangeBiasDeviation = rangeBias.deviation(features)
    }
  }
}
