/// A nearby object for languages without optionals: plain numbers, each with a flag.
///
/// A value that is not there is NaN and its flag 0, never zero and 0. `NearbyObject` has the meaning of each field.
public struct NearbyObjectRecord: Sendable {
  /// The distance of an object that has none.
  public static let distanceNotAvailable = Double.nan
  /// Each component of the direction of an object that has none.
  public static let directionNotAvailable = SIMD3<Double>(repeating: .nan)

  /// m
  public var distance: Double
  /// Standard deviation of the distance, m.
  public var distanceDeviation: Double
  /// Unit vector to the object; NaN where `hasDirection` is 0.
  public var direction: SIMD3<Double>
  /// rad
  public var horizontalAngle: Double
  /// Standard deviation of the azimuth, rad.
  public var azimuthDeviation: Double
  /// Standard deviation of the elevation, rad.
  public var elevationDeviation: Double
  /// Probability of line of sight, 0 to 1.
  public var lineOfSightProbability: Double
  /// s
  public var time: Double
  /// 1 where the distance is known, else 0.
  public var hasDistance: UInt8
  /// 1 where the direction is known, else 0.
  public var hasDirection: UInt8
  /// 1 where the horizontal angle is known, else 0.
  public var hasHorizontalAngle: UInt8
  /// 1 where the probability of line of sight is known, else 0.
  public var hasLineOfSightProbability: UInt8

  /// The record of an object.
  public init(_ object: NearbyObject) {
    distance = object.distance ?? Self.distanceNotAvailable
    distanceDeviation = object.distanceDeviation ?? .nan
    direction = object.direction ?? Self.directionNotAvailable
    horizontalAngle = object.horizontalAngle ?? .nan
    azimuthDeviation = object.azimuthDeviation ?? .nan
    elevationDeviation = object.elevationDeviation ?? .nan
    lineOfSightProbability = object.lineOfSightProbability ?? .nan
    time = object.time
    hasDistance = object.distance == nil ? 0 : 1
    hasDirection = object.direction == nil ? 0 : 1
    hasHorizontalAngle = object.horizontalAngle == nil ? 0 : 1
    hasLineOfSightProbability = object.lineOfSightProbability == nil ? 0 : 1
  }
}
