/// Names a session inside its host. An identifier is never used twice.
public struct SessionID: Sendable, Hashable {
  let slot: Int
  let generation: UInt32
}

/// What a session has to say, in the order in which it happened.
public struct SessionEvent: Sendable {
  public enum Kind: Sendable, Hashable {
    case started
    case update(NearbyObject)
    case removed(NearbyObject, NearbyObject.RemovalReason)
    case suspended
    case suspensionEnded
    /// What the app is to send to the accessory, as it is.
    case shareableConfiguration(ShareableConfigurationData, for: NearbyObject)
    case convergence(AlgorithmConvergence, for: NearbyObject)
    /// The last event of a session.
    case invalidated(NearbyError)
    /// For the source of exchanges, not for the app.
    case link(LinkChange)
  }

  public let session: SessionID
  /// s, on the host's clock
  public let time: Double
  public let kind: Kind
}
