/// All that `uwb calibrate` learns of a set-up, in one value and one file. Each verb writes its own part and leaves the
/// others as they are.
public struct Calibration: Sendable, Hashable, Codable {
  /// The layout that this version reads and writes.
  public static let version = 1

  public var version = Calibration.version
  /// Antenna delays and what received power adds to a distance: `calibrate delay`.
  public var delay: DelayCalibration?
  /// Line of sight and range bias from the shape of CIRs: `calibrate bias`.
  public var quality: QualityCalibration?
  /// How the antennas really answer to direction: `calibrate angle`.
  public var angle: AngleCalibration?

  public init(
    delay: DelayCalibration? = nil, quality: QualityCalibration? = nil, angle: AngleCalibration? = nil
  ) {
    self.delay = delay
    self.quality = quality
    self.angle = angle
  }
}
