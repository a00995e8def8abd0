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
  public var distanceDeviation: Double
  public var direction: SIMD3<Double>
  /// rad
  public var horizontalAngle: Double
  public var azimuthDeviation: Double
  public var elevationDeviation: Double
  public var lineOfSightProbability: Double
  /// s
  public var time: Double
  public var hasDistance: UInt8
  public var hasDirection: UInt8
  public var hasHorizontalAngle: UInt8
  public var hasLineOfSightProbability: UInt8

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
