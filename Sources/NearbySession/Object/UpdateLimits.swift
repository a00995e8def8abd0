/// Beyond what an update gives no distance or no direction. A limit that is `nil` is off.
public struct UpdateLimits: Sendable, Hashable {
  /// m: farther peers are out of range and have neither distance nor direction.
  public var maximumDistance: Double? = 50
  /// rad: half-angle of the cone round −z, the device's back, outside which no direction is given.
  public var fieldOfViewHalfAngle: Double? = .pi / 3
  /// rad: the same while the device is held sideways; the narrower of the two counts.
  public var landscapeFieldOfViewHalfAngle: Double? = .pi / 6
  /// m: a distance with a larger standard deviation is not given.
  public var maximumDistanceDeviation: Double? = 1
  /// rad: a direction with a larger standard deviation in azimuth or elevation is not given.
  public var maximumAngleDeviation: Double? = .pi / 9
  /// A measurement whose path is less likely to be the direct one gives neither distance nor direction.
  public var minimumLineOfSightProbability: Double? = 0.05
  /// dB: SNR of a peer 1 m behind the device's back in the clear; `nil` where it is not known. It falls by 20 dB a decade of
  /// distance.
  public var snrAtOneMetredB: Double?
  /// dB: a signal that much weaker than at that distance in the clear did not come in by the antennas' own side: antennas in
  /// a plane would take a peer in front of the screen for its mirror image behind the back. No direction is given.
  public var maximumShortfalldB: Double = 5
  /// rad: up to this elevation a peer counts as level with the device.
  public var levelElevation: Double = .pi / 12

  /// Creates one with default values.
  public init() {}

  /// Lets everything through.
  public static var off: UpdateLimits {
    var limits = UpdateLimits()
    limits.maximumDistance = nil
    limits.fieldOfViewHalfAngle = nil
    limits.landscapeFieldOfViewHalfAngle = nil
    limits.maximumDistanceDeviation = nil
    limits.maximumAngleDeviation = nil
    limits.minimumLineOfSightProbability = nil
    limits.snrAtOneMetredB = nil
    return limits
  }
}
