/// Where a peer is, as its session last learned.
public struct NearbyObject: Sendable, Hashable {
  /// Whether the peer is level with the device.
  public enum VerticalDirectionEstimate: String, Sendable, Hashable, CaseIterable {
    /// Not known.
    case unknown
    /// On about the same level.
    case same
    /// Above the device.
    case above
    /// Below the device.
    case below
    /// Not level, but on which side the measurement can't tell.
    case aboveOrBelow
  }

  /// Why a peer was removed.
  public enum RemovalReason: String, Sendable, Hashable, CaseIterable {
    /// No activity for the host's period.
    case timeout
    /// The peer invalidated its session.
    case peerEnded
  }

  /// Why an update has no distance, or no direction.
  public enum Unavailability: String, Sendable, Hashable, CaseIterable {
    /// The exchange failed.
    case exchangeFailed
    /// The exchange went well and gave no such value.
    case notMeasured
    /// The object is too far away.
    case outOfRange
    /// The direct path is too unlikely: something stands between.
    case obstructed
    /// The standard deviation is beyond the limit.
    case uncertain
    /// The signal is too weak to come in on the antennas' side.
    case weakSignal
    /// The object is outside the antennas' field of view.
    case outsideFieldOfView
    /// Inside the field of view of an upright device, and outside that of one held sideways.
    case orientation
  }

  /// The token that the app supplied in the configuration.
  public var discoveryToken: DiscoveryToken
  /// m; `nil` where the peer is out of range or the measurement deserves no trust
  public var distance: Double?
  /// Unit vector from the local device to the peer, in the device's axes: +x right, +y up, −z out of its back.
  public var direction: SIMD3<Double>?
  /// rad, positive to the right
  public var horizontalAngle: Double?
  /// Whether the object is above or below the device.
  public var verticalDirectionEstimate: VerticalDirectionEstimate
  /// m, standard deviation
  public var distanceDeviation: Double?
  /// rad, standard deviation of `horizontalAngle`
  public var azimuthDeviation: Double?
  /// rad, standard deviation
  public var elevationDeviation: Double?
  /// 0 … 1
  public var lineOfSightProbability: Double?
  /// Why `distance` is `nil`.
  public var distanceUnavailability: Unavailability?
  /// Why `direction` is `nil`; itself `nil` on a device that never has one (`DeviceCapabilities`).
  public var directionUnavailability: Unavailability?
  /// s, on the host's clock: when the host was told
  public var time: Double

  /// Creates one with the given values.
  public init(
    discoveryToken: DiscoveryToken, distance: Double? = nil, direction: SIMD3<Double>? = nil,
    horizontalAngle: Double? = nil, verticalDirectionEstimate: VerticalDirectionEstimate = .unknown,
    distanceDeviation: Double? = nil, azimuthDeviation: Double? = nil, elevationDeviation: Double? = nil,
    lineOfSightProbability: Double? = nil, time: Double
  ) {
    self.discoveryToken = discoveryToken
    self.distance = distance
    self.direction = direction
    self.horizontalAngle = horizontalAngle
    self.verticalDirectionEstimate = verticalDirectionEstimate
    self.distanceDeviation = distanceDeviation
    self.azimuthDeviation = azimuthDeviation
    self.elevationDeviation = elevationDeviation
    self.lineOfSightProbability = lineOfSightProbability
    self.time = time
  }

  mutating func removeDistance(_ reason: Unavailability) {
    distanceUnavailability = distanceUnavailability ?? reason
    distance = nil
    distanceDeviation = nil
  }

  mutating func removeDirection(_ reason: Unavailability) {
    directionUnavailability = directionUnavailability ?? reason
    direction = nil
    horizontalAngle = nil
    verticalDirectionEstimate = .unknown
    azimuthDeviation = nil
    elevationDeviation = nil
  }
}
