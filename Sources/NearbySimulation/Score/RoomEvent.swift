import NearbySession

/// What a device's delegate was told, and what was true at that time.
public struct RoomEvent: Sendable {
  /// What a session reported.
  public enum Kind: Sendable {
    /// An event of the session.
    case told(NearbySessionEvent)
    /// The error that ended the session.
    case invalidated(NearbyError)
  }

  /// s since the room was opened
  public var time: Double
  /// Name of the device whose session it is.
  public var device: String
  /// Name of the peer.
  public var peer: String
  /// What it reported.
  public var kind: Kind
  /// Where the peer really is: m, a unit vector in the device's axes, and whether nothing stands between.
  public var truth: (distance: Double, direction: SIMD3<Double>, isClear: Bool)?
}
