/// Line of sight and range bias from the shape of CIRs, as `uwb calibrate bias` fitted them to labelled captures.
public struct QualityCalibration: Sendable, Hashable, Codable {
  /// Name of the first-path estimator that the captures were measured with: biases are its, and hold for no other.
  public var delay: String?
  /// Model of line of sight; `nil` for the one that ships.
  public var lineOfSight: LineOfSightModel?
  /// How strong a clear first path is at the site.
  public var baseline: SignalBaseline?
  /// Model of the range bias; `nil` for none.
  public var rangeBias: RangeBiasModel?

  /// Creates one with the given values.
  public init(
    delay: String? = nil, lineOfSight: LineOfSightModel? = nil, baseline: SignalBaseline? = nil,
    rangeBias: RangeBiasModel? = nil
  ) {
    self.delay = delay
    self.lineOfSight = lineOfSight
    self.baseline = baseline
    self.rangeBias = rangeBias
  }
}
