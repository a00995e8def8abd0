/// How an angle estimator ended.
public enum DirectionStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// The direction is good.
  case ok
  /// Other directions explain the antennas nearly as well: `alternatives` holds them.
  case ambiguous
  /// The antennas ask for a direction beyond the end of the array's range; the nearest one inside is given.
  case outsideFieldOfView
  /// Too few antennas, or amplitudes that are zero or not finite: there is no direction.
  case unusable
  /// A refinement did not settle; the best direction met is given.
  case didNotConverge
}

/// Direction of one source. Angles in radians, in the axes of `NOTATION.md`.
public struct SourceDirection: Sendable, Hashable, Codable {
  /// Unit vector to the source.
  public var direction: SIMD3<Double>
  /// Positive to the right; `nil` where the geometry can't tell (a row of antennas along y).
  public var azimuth: Double?
  /// Standard deviation of `azimuth`.
  public var azimuthDeviation: Double?
  /// Positive upwards; `nil` where the geometry can't tell (a row of antennas that is not along y).
  public var elevation: Double?
  /// Standard deviation of `elevation`.
  public var elevationDeviation: Double?

  /// Creates one with the given values.
  public init(
    direction: SIMD3<Double>, azimuth: Double? = nil, azimuthDeviation: Double? = nil, elevation: Double? = nil,
    elevationDeviation: Double? = nil
  ) {
    self.direction = direction
    self.azimuth = azimuth
    self.azimuthDeviation = azimuthDeviation
    self.elevation = elevation
    self.elevationDeviation = elevationDeviation
  }

  /// What an angle's computed deviation is stated as: no smaller than numbers resolve, no larger than any angle's, π where it is NaN.
  package static func stated(_ deviation: Double) -> Double {
    deviation.isNaN ? .pi : min(max(deviation, 1e-12), .pi)
  }
}
