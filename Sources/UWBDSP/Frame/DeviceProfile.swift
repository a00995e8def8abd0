/// What the engine has to know of a kind of radio before it can use its captures.
public struct DeviceProfile: Sendable, Hashable {
  /// The name by which captures and the command line refer to it.
  public var name: String
  /// The pulse that one path leaves in the accumulator.
  public var pulse: PulseShape
  /// From the chip's first path (its leading edge, for which antenna delays are calibrated) to the pulse's peak, taps.
  public var peakOffsetTaps: Double
  /// Standard deviation of a receive timestamp whose CIR was not captured (the peer's), seconds.
  public var receptionDeviation: Double
  /// What is left of a fit when noise is gone, relative to the path's amplitude: how well `pulse` describes this radio.
  public var modelError: Double
  /// Taps after which the accumulator's additive pattern (clock leakage) repeats; 1 for a plain offset, `nil` for none.
  public var backgroundPeriodTaps: Int?

  public init(
    name: String, pulse: PulseShape, peakOffsetTaps: Double, receptionDeviation: Double, modelError: Double,
    backgroundPeriodTaps: Int? = nil
  ) {
    self.name = name
    self.pulse = pulse
    self.peakOffsetTaps = peakOffsetTaps
    self.receptionDeviation = receptionDeviation
    self.modelError = modelError
    self.backgroundPeriodTaps = backgroundPeriodTaps
  }
}
