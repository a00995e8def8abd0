import NearbySession

/// What a device's delegate was told, and what was true at that time.
public struct RoomEvent: Sendable {
  public enum Kind: Sendable {
    case told(NearbySessionEvent)
    case invalidated(NearbyError)
  }

  /// s since the room was opened
  public var time: Double
  public var device: String
  public var peer: String
  public var kind: Kind
  /// Where the peer really is: m, a unit vector in the device's axes, and whether nothing stands between.
  public var truth: (distance: Double, direction: SIMD3<Double>, isClear: Bool)?
}
