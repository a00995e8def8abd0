import UWBPlatform
import UWBTypes

/// Smooths one peer's distance and direction over exchanges, and says which exchange does not fit the others.
///
/// The distance runs through `RangeTrack`: hypotheses on motion, outliers and lost line of sight. Delivered is the median of their
/// mixture. Azimuth and elevation each run through a Kalman filter with constant velocity and white acceleration (Bar-Shalom,
/// Li & Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2). Their measurements have
/// the exchange's own deviation.
///
/// With a `DevicePose` the direction is followed in the world's axes and handed out in the device's. A device that turns
/// does not make its peer turn, and the device's own motion counts in the distance.
///
/// Not for swarms: each peer is followed alone. `update` allocates nothing after the first.
public struct PeerTracker: Sendable, Hashable {
  /// How peers move and what measurements are off by. Every value is used by `RangeTrack` but for the angles'.
  public struct Configuration: Sendable, Hashable {
    /// White acceleration of the distance between corners, m/s² over a second.
    public var acceleration: Double
    /// The same for angles, rad/s².
    public var angularAcceleration: Double
    /// Standard deviation of the distance's rate when a peer is first seen and after a corner, m/s.
    public var speed: Double
    /// Mean time between corners, s.
    public var straightTime: Double
    /// Angles beyond so many deviations are jumps.
    public var angleGate: Double
    /// Part of the distances that are far off.
    public var outliers: Double
    /// Outliers in a row that agree: an offset of fewer measurements than this, or of less time (s), is never taken for the distance.
    public var burstLength: Int
    /// Shortest time, s, that a run of agreeing outliers lasts before it is taken for the distance.
    public var burstTime: Double
    /// Mean time for which line of sight lasts, s.
    public var clearTime: Double
    /// Mean time for which line of sight is lost, s.
    public var obstructedTime: Double
    /// What losing line of sight adds to a distance most often, m.
    public var nonLineOfSightBias: Double
    /// A silence of so many seconds starts the filter afresh.
    public var longestGap: Double

    /// Creates one with the given values.
    public init(
      acceleration: Double = 0.7, angularAcceleration: Double = 0.5, speed: Double = 1.3, straightTime: Double = 2,
      angleGate: Double = 4, outliers: Double = 0.02, burstLength: Int = 9, burstTime: Double = 0.6,
      clearTime: Double = 60, obstructedTime: Double = 3, nonLineOfSightBias: Double = 0.5, longestGap: Double = 5
    ) {
      self.acceleration = acceleration
      self.angularAcceleration = angularAcceleration
      self.speed = speed
      self.straightTime = straightTime
      self.angleGate = angleGate
      self.outliers = outliers
      self.burstLength = burstLength
      self.burstTime = burstTime
      self.clearTime = clearTime
      self.obstructedTime = obstructedTime
      self.nonLineOfSightBias = nonLineOfSightBias
      self.longestGap = longestGap
    }
  }

  /// Deviations and distances are kept within these, m: no radio says otherwise.
  private static let deviations = 1e-4...1e3
  private static let distances = -1e6...1e6

  /// Deviations from the predicted angle, from which on the prediction's own deviation is too small. A device may turn faster than the model
  /// has it. Near the ends of an array's range such a turn hides in the large deviation of an angle.
  private static let surprise = 2.5

  /// The settings of this tracker.
  public let configuration: Configuration
  private var distance: RangeTrack?
  private var azimuth: ScalarTrack?
  private var elevation: ScalarTrack?
  private var pose: DevicePose?

  /// A tracker without tracks.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
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

    /// Creates one with the given values.
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

  /// Takes the next measurement of this peer. Measurements without a distance, or without a time, pass unchanged; one that comes
  /// before its predecessor is taken to come with it, and starts the filter afresh where it is more than `longestGap` earlier.
  ///
  /// - Parameter pose: of the local device at that time, where it is known.
  public mutating func update(_ measurement: RangingMeasurement, pose newPose: DevicePose? = nil) -> Output {
    guard measurement.status == .ok, let measured = measurement.distance,
      let stated = measurement.rawDistanceDeviation ?? measurement.distanceDeviation,
      measured.isFinite, stated.isFinite, stated >= 0, measurement.time.isFinite
    else { return Output(measurement: measurement, isOutlier: false) }
    let value = Self.limited(measured, Self.distances)
    let deviation = Self.limited(stated, Self.deviations)
    if let track = distance, abs(measurement.time - track.time) > configuration.longestGap { reset() }
    move(to: newPose)

    let probability = Self.lineOfSightProbability(of: measurement)
    let innovation = distance?.update(
      value, deviation: deviation, time: measurement.time, lineOfSightProbability: probability, configuration)
    if distance == nil {
      distance = RangeTrack(
        value, deviation: deviation, time: measurement.time, lineOfSightProbability: probability, configuration)
    }
    var output = Output(measurement: measurement, isOutlier: false)
    guard let distance else { return output }
    output.measurement.distance = max(0, distance.median)
    output.measurement.distanceDeviation = Self.deviation(of: distance, measurement)
    output.lineOfSightProbability = distance.lineOfSightProbability
    if let innovation {
      output.isOutlier = distance.outlierProbability > 0.5
      output.normalisedInnovation = innovation.variance > 0 ? innovation.value / innovation.variance.squareRoot() : 0
      output.innovationProbability = innovation.probability
    }
    if !output.isOutlier { trackDirection(measurement, into: &output.measurement) }
    return output
  }

  private static func limited(_ value: Double, _ range: ClosedRange<Double>) -> Double {
    min(max(value, range.lowerBound), range.upperBound)
  }

  /// How likely the peer is nearer than `distance` (m), by all measurements so far; `nil` before the first. The error of a
  /// tracked distance is no Gaussian where it is open whether line of sight was lost; this is its distribution.
  public func probability(thatDistanceIsBelow distance: Double) -> Double? {
    self.distance.map { $0.probability(below: distance) }
  }

  /// A classifier's; `nil` where a bias predicted from the CIR is taken off already, obstructed or not.
  private static func lineOfSightProbability(of measurement: RangingMeasurement) -> Double? {
    guard measurement.rangeBias == nil, let probability = measurement.lineOfSightProbability else { return nil }
    return (0...1).contains(probability) ? probability : nil
  }

  /// What is beyond an exchange's own noise is the place's or the device's, calibrated or not: exchanges don't average its error away.
  private static func deviation(of track: RangeTrack, _ measurement: RangingMeasurement) -> Double {
    var standing = 0.0
    if measurement.rangeBias != nil, let deviation = measurement.rangeBiasDeviation {
      standing = deviation * deviation
    } else if let deviation = measurement.distanceDeviation, let raw = measurement.rawDistanceDeviation {
      standing = deviation * deviation - raw * raw
    }
    return (track.variance + max(0, standing)).squareRoot()
  }

  private mutating func reset() {
    distance = nil
    azimuth = nil
    elevation = nil
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
    let shift = -(toPeer * (newPose.position - pose.position)).sum()
    if shift.isFinite { distance?.shift(by: shift) }
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
    guard track.distance(of: angle, deviation: deviation) <= configuration.angleGate else {
      // Angles have no outlier status of their own: a jump is believed at once.
      return ScalarTrack(angle, deviation: deviation, time: time)
    }
    track.widen(towards: angle, deviation: deviation, limit: Self.surprise)
    track.correct(angle, deviation: deviation)
    return track
  }
}
