/// Smooths one peer's distance and direction over exchanges, and says which exchange does not fit the others.
///
/// Distance, azimuth and elevation each run through a Kalman filter with constant velocity and white acceleration
/// (Bar-Shalom, Li & Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2),
/// measured with the exchange's own deviation. A distance whose innovation exceeds the gate is an outlier: it moves
/// nothing, unless so many follow each other that it is the filter which is wrong; then it starts afresh.
public struct PeerTracker: Sendable, Hashable {
  public struct Configuration: Sendable, Hashable {
    /// Standard deviation of the peer's acceleration, m/s², over times of about a second.
    public var acceleration: Double
    /// The same for angles, rad/s².
    public var angularAcceleration: Double
    /// Innovations beyond so many deviations are outliers.
    public var gate: Double
    /// So many outliers in a row start the filter afresh.
    public var mostOutliers: Int
    /// A silence of so many seconds starts the filter afresh.
    public var longestGap: Double

    public init(
      acceleration: Double = 2, angularAcceleration: Double = 0.5, gate: Double = 4, mostOutliers: Int = 3,
      longestGap: Double = 10
    ) {
      self.acceleration = acceleration
      self.angularAcceleration = angularAcceleration
      self.gate = gate
      self.mostOutliers = mostOutliers
      self.longestGap = longestGap
    }
  }

  public let configuration: Configuration
  private var distance: ScalarTrack?
  private var azimuth: ScalarTrack?
  private var elevation: ScalarTrack?
  private var outliers = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// A measurement after tracking.
  public struct Output: Sendable, Hashable {
    /// The measurement with distance, direction and deviations replaced by tracked ones.
    public var measurement: RangingMeasurement
    /// Whether the exchange's own distance was too far off to be used; the distance is then the filter's prediction.
    public var isOutlier: Bool
  }

  /// Takes the next measurement of this peer; times do not decrease. Measurements without a distance pass unchanged.
  public mutating func update(_ measurement: RangingMeasurement) -> Output {
    guard measurement.status == .ok, let value = measurement.correctedDistance,
      let deviation = measurement.correctedDistanceDeviation
    else { return Output(measurement: measurement, isOutlier: false) }
    if let track = distance, measurement.time - track.time > configuration.longestGap { reset() }

    var output = Output(measurement: measurement, isOutlier: false)
    var track = distance ?? ScalarTrack(value, deviation: deviation, time: measurement.time)
    track.predict(to: measurement.time, acceleration: configuration.acceleration)
    if distance != nil, track.distance(of: value, deviation: deviation) > configuration.gate {
      outliers += 1
      if outliers >= configuration.mostOutliers {
        reset()
        return update(measurement)
      }
      output.isOutlier = true
    } else {
      outliers = 0
      if distance != nil { track.correct(value, deviation: deviation) }
    }
    distance = track
    output.measurement.distance = track.value
    // The bias is the place's: exchanges of one place don't average its error away.
    output.measurement.distanceDeviation = max(track.deviation, measurement.rangeBiasDeviation ?? 0)
    output.measurement.rangeBias = nil
    output.measurement.rangeBiasDeviation = nil
    if !output.isOutlier { trackDirection(measurement, into: &output.measurement) }
    return output
  }

  private mutating func reset() {
    distance = nil
    azimuth = nil
    elevation = nil
    outliers = 0
  }

  private mutating func trackDirection(_ measured: RangingMeasurement, into output: inout RangingMeasurement) {
    if let angle = measured.azimuth, let deviation = measured.azimuthDeviation {
      azimuth = smooth(azimuth, angle, deviation, measured.time)
      output.azimuth = azimuth?.value
      output.azimuthDeviation = azimuth?.deviation
    }
    if let angle = measured.elevation, let deviation = measured.elevationDeviation {
      elevation = smooth(elevation, angle, deviation, measured.time)
      output.elevation = elevation?.value
      output.elevationDeviation = elevation?.deviation
    }
    // An angle that the antennas can't tell stays what the measurement takes it to be.
    if let direction = measured.direction {
      let taken = Direction.angles(of: direction)
      output.direction = Direction.unitVector(
        azimuth: output.azimuth ?? taken.azimuth, elevation: output.elevation ?? taken.elevation)
    }
  }

  private func smooth(_ track: ScalarTrack?, _ angle: Double, _ deviation: Double, _ time: Double) -> ScalarTrack {
    guard var track else { return ScalarTrack(angle, deviation: deviation, time: time) }
    track.predict(to: time, acceleration: configuration.angularAcceleration)
    guard track.distance(of: angle, deviation: deviation) <= configuration.gate else {
      // Angles have no outlier status of their own: a jump is believed at once.
      return ScalarTrack(angle, deviation: deviation, time: time)
    }
    track.correct(angle, deviation: deviation)
    return track
  }
}
