#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Smooths one peer's distance and direction over exchanges, and says which exchange does not fit the others.
///
/// The distance runs through `RangeTrack`: velocity, and two models of the measurement, with and without line of sight, of
/// which the second is considered where measurements say how likely line of sight is.
/// Azimuth and elevation each run through a Kalman filter with constant velocity and white acceleration (Bar-Shalom,
/// Li & Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2), measured with the
/// exchange's own deviation. A distance whose innovation exceeds the gate under both models is an outlier: it moves nothing,
/// unless so many follow each other, for so long, that it is the filter which is wrong; then it starts afresh.
///
/// With a `DevicePose` the direction is followed in the world's axes and handed out in the device's: a device that turns
/// does not make its peer turn, and one that moves changes the distance by what its own motion makes of it.
///
/// Not for swarms: each peer is followed alone. `update` allocates nothing.
public struct PeerTracker: Sendable, Hashable {
  public struct Configuration: Sendable, Hashable {
    /// Standard deviation of the peer's acceleration, m/s², over times of about a second.
    public var acceleration: Double
    /// The same for angles, rad/s².
    public var angularAcceleration: Double
    /// Innovations beyond so many deviations are outliers.
    public var gate: Double
    /// Innovations beyond so many deviations count for less: Huber's way.
    public var heavyTail: Double
    /// So many outliers in a row start the filter afresh.
    public var mostOutliers: Int
    /// A silence of so many seconds starts the filter afresh.
    public var longestGap: Double
    /// How long line of sight lasts, and how long an obstruction does, seconds on average.
    public var clearTime: Double
    public var obstructedTime: Double
    /// What an obstruction adds to a distance, m: mean, and standard deviation.
    public var obstructedBias: Double
    public var obstructedDeviation: Double

    public init(
      acceleration: Double = 2, angularAcceleration: Double = 0.5, gate: Double = 4, heavyTail: Double = 2,
      mostOutliers: Int = 3, longestGap: Double = 10, clearTime: Double = 10, obstructedTime: Double = 3,
      obstructedBias: Double = 0.4, obstructedDeviation: Double = 0.6
    ) {
      self.acceleration = acceleration
      self.angularAcceleration = angularAcceleration
      self.gate = gate
      self.heavyTail = heavyTail
      self.mostOutliers = mostOutliers
      self.longestGap = longestGap
      self.clearTime = clearTime
      self.obstructedTime = obstructedTime
      self.obstructedBias = obstructedBias
      self.obstructedDeviation = obstructedDeviation
    }
  }

  /// What a peer's distance changes by in a second at most, m.
  private static let fastest = 5.0

  public let configuration: Configuration
  private var distance: RangeTrack?
  private var azimuth: ScalarTrack?
  private var elevation: ScalarTrack?
  private var outliers = 0
  /// The outlier before, m and s.
  private var lastOutlier: (value: Double, time: Double) = (0, 0)
  private var pose: DevicePose?

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  public static func == (one: PeerTracker, other: PeerTracker) -> Bool {
    one.configuration == other.configuration && one.distance == other.distance && one.azimuth == other.azimuth
      && one.elevation == other.elevation && one.outliers == other.outliers && one.pose == other.pose
      && one.lastOutlier == other.lastOutlier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(configuration)
    hasher.combine(distance)
    hasher.combine(outliers)
  }

  /// A measurement after tracking.
  public struct Output: Sendable, Hashable {
    /// The measurement with distance, direction and deviations replaced by tracked ones.
    public var measurement: RangingMeasurement
    /// Whether the exchange's own distance was too far off to be used; the distance is then the filter's prediction.
    public var isOutlier: Bool
    /// The measured distance less the predicted one, over the deviation that was predicted for it; `nil` for the first.
    public var normalisedInnovation: Double?
    /// How likely the peer is in line of sight, by how the distances went; `nil` without a distance.
    public var lineOfSightProbability: Double?

    public init(
      measurement: RangingMeasurement, isOutlier: Bool, normalisedInnovation: Double? = nil,
      lineOfSightProbability: Double? = nil
    ) {
      self.measurement = measurement
      self.isOutlier = isOutlier
      self.normalisedInnovation = normalisedInnovation
      self.lineOfSightProbability = lineOfSightProbability
    }
  }

  /// Takes the next measurement of this peer; times do not decrease. Measurements without a distance pass unchanged.
  ///
  /// - Parameter pose: of the local device at that time, where it is known.
  public mutating func update(_ measurement: RangingMeasurement, pose newPose: DevicePose? = nil) -> Output {
    guard measurement.status == .ok, let value = measurement.distance, let deviation = measurement.distanceDeviation,
      value.isFinite, deviation.isFinite, deviation >= 0
    else { return Output(measurement: measurement, isOutlier: false) }
    if let track = distance, measurement.time - track.time > configuration.longestGap { reset() }
    move(to: newPose)

    var output = Output(measurement: measurement, isOutlier: false)
    // A bias that was predicted from the CIR is off already, obstructed or not.
    let known = measurement.rangeBias == nil ? measurement.lineOfSightProbability : nil
    guard var track = distance else {
      let track = RangeTrack(
        value, deviation: deviation, time: measurement.time, lineOfSightProbability: known, configuration)
      distance = track
      output.lineOfSightProbability = track.clear.probability
      if known != nil {
        output.measurement.distance = track.value
        output.measurement.distanceDeviation = track.variance.squareRoot()
      }
      trackDirection(measurement, into: &output.measurement)
      return output
    }
    track.predict(to: measurement.time, isClassified: known != nil, configuration)
    let innovation = track.innovation(of: value, deviation: deviation)
    output.normalisedInnovation = innovation.value / innovation.variance.squareRoot()
    if innovation.distance > configuration.gate {
      // Outliers that contradict each other, too, say nothing of where the peer is.
      let reach = Self.fastest * (measurement.time - lastOutlier.time) + configuration.gate * 1.5 * deviation
      outliers = outliers > 0 && abs(value - lastOutlier.value) <= reach ? outliers + 1 : 1
      lastOutlier = (value, measurement.time)
      if outliers >= configuration.mostOutliers {
        reset()
        return update(measurement, pose: newPose)
      }
      output.isOutlier = true
    } else {
      outliers = 0
      track.correct(value, deviation: deviation, lineOfSightProbability: known, configuration)
      // An outlier leaves the filter where it was: the next prediction starts from what is known.
      distance = track
    }
    output.measurement.distance = track.value
    // The bias is the place's: exchanges of one place don't average its error away.
    output.measurement.distanceDeviation = max(
      track.variance.squareRoot(), measurement.rangeBias == nil ? 0 : measurement.rangeBiasDeviation ?? 0)
    output.lineOfSightProbability = track.clear.probability
    if !output.isOutlier { trackDirection(measurement, into: &output.measurement) }
    return output
  }

  private mutating func reset() {
    distance = nil
    azimuth = nil
    elevation = nil
    outliers = 0
  }

  /// The device's own motion along the line to the peer changes the distance; a turn changes nothing that is kept.
  private mutating func move(to newPose: DevicePose?) {
    defer { pose = newPose }
    guard let newPose, let pose else {
      // Angles in the world's axes mean nothing in the device's, and the other way round.
      if (newPose == nil) != (pose == nil) {
        azimuth = nil
        elevation = nil
      }
      return
    }
    guard let azimuth else { return }
    let toPeer = Direction.unitVector(azimuth: azimuth.value, elevation: elevation?.value ?? 0)
    distance?.shift(by: -(toPeer * (newPose.position - pose.position)).sum())
  }

  private mutating func trackDirection(_ measured: RangingMeasurement, into output: inout RangingMeasurement) {
    // In the world's axes where these are known.
    var angles: (azimuth: Double?, elevation: Double?) = (measured.azimuth, measured.elevation)
    var taken = measured.direction.map(Direction.angles)
    if let pose, let direction = measured.direction {
      let seen = Direction.angles(of: pose.toWorld(direction))
      angles = (measured.azimuth.map { _ in seen.azimuth }, measured.elevation.map { _ in seen.elevation })
      taken = seen
    }
    if let angle = angles.azimuth, let deviation = measured.azimuthDeviation {
      // The nearest of the angle's turns.
      let turns = azimuth.map { ((($0.value - angle) / (2 * .pi)).rounded()) * 2 * .pi } ?? 0
      azimuth = smooth(azimuth, angle + turns, deviation, measured.time)
      output.azimuth = azimuth.map { Self.wrapped($0.value) }
      output.azimuthDeviation = azimuth?.deviation
    }
    if let angle = angles.elevation, let deviation = measured.elevationDeviation {
      elevation = smooth(elevation, angle, deviation, measured.time)
      output.elevation = elevation?.value
      output.elevationDeviation = elevation?.deviation
    }
    guard let taken else { return }
    // An angle that the antennas can't tell stays what the measurement takes it to be.
    let hasAzimuth = angles.azimuth != nil && measured.azimuthDeviation != nil
    let hasElevation = angles.elevation != nil && measured.elevationDeviation != nil
    let direction = Direction.unitVector(
      azimuth: (hasAzimuth ? output.azimuth : nil) ?? taken.azimuth,
      elevation: (hasElevation ? output.elevation : nil) ?? taken.elevation)
    guard let pose else {
      output.direction = direction
      return
    }
    let inDevice = pose.toDevice(direction)
    let back = Direction.angles(of: inDevice)
    output.direction = inDevice
    if measured.azimuth != nil { output.azimuth = back.azimuth }
    if measured.elevation != nil { output.elevation = back.elevation }
  }

  /// −π … π; what lies there already stays as it is, to the bit.
  private static func wrapped(_ angle: Double) -> Double {
    abs(angle) <= .pi ? angle : angle - (angle / (2 * .pi)).rounded() * 2 * .pi
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
