#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Smooths one peer's distance and direction over exchanges, and says which exchange does not fit the others.
///
/// The distance runs through `RangeTrack`: velocity, measurements with and without line of sight, outliers, and a deviation
/// that counts what is not known of these.
/// Azimuth and elevation each run through a Kalman filter with constant velocity and white acceleration (Bar-Shalom,
/// Li & Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2), measured with the
/// exchange's own deviation. A distance that is rather an outlier than not hardly moves anything, unless so many agree with each
/// other that it is the filter which is wrong; then it starts afresh.
///
/// With a `DevicePose` the direction is followed in the world's axes and handed out in the device's: a device that turns
/// does not make its peer turn, and one that moves changes the distance by what its own motion makes of it.
///
/// Not for swarms: each peer is followed alone. `update` allocates nothing.
public struct PeerTracker: Sendable, Hashable {
  public struct Configuration: Sendable, Hashable {
    /// Standard deviation of the distance's acceleration between corners, m/s², over times of about a second.
    public var acceleration: Double
    /// The same for angles, rad/s².
    public var angularAcceleration: Double
    /// Standard deviation of a distance's rate in the long run, m/s: how fast people are.
    public var speed: Double
    /// How long people walk straight on, seconds on average, and by how much a corner changes the distance's rate, m/s: somebody who walks
    /// at 1.5 m/s and turns to anywhere changes it by that, root mean square.
    public var straightTime: Double
    public var turn: Double
    /// Angles beyond so many deviations are jumps.
    public var gate: Double
    /// Part of the distances that are far off.
    public var outliers: Double
    /// So many outliers in a row that agree with each other start the filter afresh.
    public var mostOutliers: Int
    /// A silence of so many seconds starts the filter afresh.
    public var longestGap: Double
    /// How long line of sight lasts, and how long an obstruction does, seconds on average. The first is where the filter
    /// starts from; it learns how it is here.
    public var clearTime: Double
    public var obstructedTime: Double
    /// What losing line of sight adds to a distance, m: mean of an exponential distribution.
    public var detour: Double
    /// The same where a peer is obstructed when it is first seen: mean, and standard deviation.
    public var obstructedBias: Double
    public var obstructedDeviation: Double
    /// By how much such a detour wanders in a second of walking, m.
    public var detourDrift: Double
    /// How long a track is right before it has to jump, seconds on average: detours begin unnoticed.
    public var jumpTime: Double
    /// Whether the part of outliers, the rate of losses and the acceleration are learned as measurements come; what is configured is
    /// then where they start.
    public var isAdaptive: Bool

    public init(
      acceleration: Double = 0.25, angularAcceleration: Double = 0.5, speed: Double = 2, straightTime: Double = 3,
      turn: Double = 1.5, gate: Double = 4, outliers: Double = 0.04, mostOutliers: Int = 3, longestGap: Double = 5,
      clearTime: Double = 12, obstructedTime: Double = 4, detour: Double = 0.5,
      obstructedBias: Double = 0.6, obstructedDeviation: Double = 0.5,
      detourDrift: Double = 0.005, jumpTime: Double = 200, isAdaptive: Bool = true
    ) {
      self.acceleration = acceleration
      self.angularAcceleration = angularAcceleration
      self.speed = speed
      self.straightTime = straightTime
      self.turn = turn
      self.gate = gate
      self.outliers = outliers
      self.mostOutliers = mostOutliers
      self.longestGap = longestGap
      self.clearTime = clearTime
      self.obstructedTime = obstructedTime
      self.detour = detour
      self.obstructedBias = obstructedBias
      self.obstructedDeviation = obstructedDeviation
      self.detourDrift = detourDrift
      self.jumpTime = jumpTime
      self.isAdaptive = isAdaptive
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
    /// Whether the exchange's own distance was rather an outlier than not; the distance is then as good as predicted.
    public var isOutlier: Bool
    /// The measured distance less the predicted one, over the deviation that was predicted for it; `nil` for the first.
    public var normalisedInnovation: Double?
    /// How likely a distance up to the measured one was before it came, outliers included; `nil` for the first. The
    /// prediction is no Gaussian: where the models hold, this number (and not the innovation) has a known distribution, the
    /// uniform one.
    public var innovationProbability: Double?
    /// How likely the peer is in line of sight, by how the distances went; `nil` without a distance.
    public var lineOfSightProbability: Double?

    public init(
      measurement: RangingMeasurement, isOutlier: Bool, normalisedInnovation: Double? = nil,
      innovationProbability: Double? = nil, lineOfSightProbability: Double? = nil
    ) {
      self.measurement = measurement
      self.isOutlier = isOutlier
      self.normalisedInnovation = normalisedInnovation
      self.innovationProbability = innovationProbability
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

    guard var track = distance else {
      return begin(measurement, value, deviation, outliers: configuration.outliers)
    }
    let innovation = track.update(
      value, deviation: deviation, time: measurement.time, lineOfSightProbability: Self.word(of: measurement),
      mayLose: measurement.rangeBias == nil, configuration)
    if innovation.isOutlier {
      // Outliers that contradict each other, too, say nothing of where the peer is.
      let reach = Self.fastest * (measurement.time - lastOutlier.time) + configuration.gate * 1.5 * deviation
      outliers = outliers > 0 && abs(value - lastOutlier.value) <= reach ? outliers + 1 : 1
      lastOutlier = (value, measurement.time)
      if outliers >= configuration.mostOutliers {
        reset()
        pose = newPose
        // Two that agree are hardly both outliers.
        return begin(
          measurement, value, deviation, outliers: configuration.outliers * configuration.outliers, after: track)
      }
    } else {
      outliers = 0
    }
    distance = track
    var output = Output(measurement: measurement, isOutlier: innovation.isOutlier)
    output.normalisedInnovation =
      innovation.variance > 0 ? innovation.value / innovation.variance.squareRoot() : 0
    output.innovationProbability = innovation.probability
    output.measurement.distance = max(0, track.value)
    output.measurement.distanceDeviation = Self.deviation(of: track, measurement)
    output.lineOfSightProbability = track.lineOfSightProbability
    if !output.isOutlier { trackDirection(measurement, into: &output.measurement) }
    return output
  }

  /// How likely the peer is nearer than `distance` (m), by all measurements so far; `nil` before the first. The error of a
  /// tracked distance is no Gaussian where it is open whether line of sight was lost; this is its distribution.
  public func probability(thatDistanceIsBelow distance: Double) -> Double? {
    self.distance.map { $0.probability(below: distance) }
  }

  /// Starts from one measurement.
  ///
  /// - Parameter before: the track that it contradicts
  private mutating func begin(
    _ measurement: RangingMeasurement, _ value: Double, _ deviation: Double, outliers: Double,
    after before: RangeTrack? = nil
  ) -> Output {
    let word = Self.word(of: measurement)
    var track = RangeTrack(
      value, deviation: deviation, time: measurement.time, lineOfSightProbability: word, outliers: outliers,
      configuration)
    if let before, measurement.rangeBias == nil {
      track.recall(before, value, deviation: deviation, lineOfSightProbability: word, configuration)
    }
    distance = track
    var output = Output(measurement: measurement, isOutlier: false)
    output.measurement.distance = max(0, word == nil && before == nil ? value : track.value)
    output.measurement.distanceDeviation = Self.deviation(of: track, measurement)
    output.lineOfSightProbability = track.lineOfSightProbability
    trackDirection(measurement, into: &output.measurement)
    return output
  }

  /// What the measurement says for line of sight. A bias that was predicted from the CIR is off already, obstructed or not.
  private static func word(of measurement: RangingMeasurement) -> Double? {
    measurement.rangeBias == nil ? measurement.lineOfSightProbability : nil
  }

  /// What a calibration takes off is the place's or the device's: exchanges don't average its error away.
  private static func deviation(of track: RangeTrack, _ measurement: RangingMeasurement) -> Double {
    var standing = 0.0
    if measurement.rangeBias != nil, let deviation = measurement.rangeBiasDeviation {
      standing = deviation * deviation
    } else if let deviation = measurement.distanceDeviation, let raw = measurement.rawDistanceDeviation {
      standing = deviation * deviation - raw * raw
    }
    return max(track.variance, standing).squareRoot()
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
