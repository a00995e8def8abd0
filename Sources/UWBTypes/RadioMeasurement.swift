/// A ready measurement: of a chip that ranges by itself.
public struct RadioMeasurement: Sendable, Hashable {
  /// An angle, and how good the chip thinks it is.
  public struct Angle: Sendable, Hashable {
    /// rad; azimuth positive to the right, elevation upwards
    public var value: Double
    /// rad, standard deviation
    public var deviation: Double
    /// 0 … 1; 0 says that there is no angle.
    public var figureOfMerit: Double

    /// An angle and its standard deviation, rad; the figure of merit is from 0 to 1.
    public init(_ value: Double, deviation: Double = .pi / 36, figureOfMerit: Double = 1) {
      self.value = value
      self.deviation = deviation
      self.figureOfMerit = figureOfMerit
    }
  }

  /// m
  public var distance: Double?
  /// m, standard deviation
  public var distanceDeviation: Double
  /// Azimuth, positive to the right; nil where the radio does not measure it.
  public var azimuth: Angle?
  /// Elevation, positive upwards; nil where the radio does not measure it.
  public var elevation: Angle?
  /// 0 … 1
  public var lineOfSightProbability: Double?
  /// s, on the radio's clock; `nil` takes the host's when the report arrives.
  public var time: Double?

  /// Creates one with the given values.
  public init(
    distance: Double?, distanceDeviation: Double = 0.1, azimuth: Angle? = nil, elevation: Angle? = nil,
    lineOfSightProbability: Double? = nil, time: Double? = nil
  ) {
    self.distance = distance
    self.distanceDeviation = distanceDeviation
    self.azimuth = azimuth
    self.elevation = elevation
    self.lineOfSightProbability = lineOfSightProbability
    self.time = time
  }

  /// The same as an engine would say it; `noDirection` where it holds neither a distance nor an angle.
  ///
  /// - Parameter now: s, where the radio gave no time
  public func measurement(of peer: DeviceAddress, exchange: Int = 0, at now: Double) -> RangingMeasurement {
    var measurement = RangingMeasurement(
      exchange: exchange, time: time ?? now, peer: peer, status: .ok, distance: distance,
      distanceDeviation: distance == nil ? nil : distanceDeviation)
    let azimuth = azimuth.flatMap { $0.figureOfMerit > 0 ? $0 : nil }
    let elevation = elevation.flatMap { $0.figureOfMerit > 0 ? $0 : nil }
    (measurement.azimuth, measurement.azimuthDeviation) = (azimuth?.value, azimuth?.deviation)
    (measurement.elevation, measurement.elevationDeviation) = (elevation?.value, elevation?.deviation)
    if let azimuth, let elevation {
      measurement.direction = Direction.unitVector(azimuth: azimuth.value, elevation: elevation.value)
    }
    measurement.lineOfSightProbability = lineOfSightProbability
    if distance == nil, azimuth == nil, elevation == nil { measurement.status = .noDirection }
    return measurement
  }
}
