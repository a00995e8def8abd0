/// All that `uwb calibrate` learns of a set-up, in one value and one file. Each verb writes its own part and leaves the
/// others as they are.
public struct Calibration: Sendable, Hashable, Codable {
  /// The layout that this version writes. It reads those before it, which hold no `origins`.
  public static let version = 2

  /// Version of the file's format.
  public var version = Calibration.version
  /// Antenna delays and what received power adds to a distance: `calibrate delay`.
  public var delay: DelayCalibration?
  /// Line of sight and range bias from the shape of CIRs: `calibrate bias`.
  public var quality: QualityCalibration?
  /// How the antennas really respond to direction: `calibrate angle`.
  public var angle: AngleCalibration?
  /// What the parts were made of; `nil` in files of version 1.
  public var origins: CalibrationOrigins?

  /// Creates one with the given values.
  public init(
    delay: DelayCalibration? = nil, quality: QualityCalibration? = nil, angle: AngleCalibration? = nil,
    origins: CalibrationOrigins? = nil
  ) {
    self.delay = delay
    self.quality = quality
    self.angle = angle
    self.origins = origins
  }
}
