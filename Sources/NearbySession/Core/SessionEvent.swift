/// Names a session inside its host. An identifier is never used twice.
public struct SessionID: Sendable, Hashable {
  let slot: Int
  let generation: UInt32
}

/// What a session has to say, in the order in which it happened.
public struct SessionEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// The session started to run.
    case started
    /// A nearby object has new values.
    case update(NearbyObject)
    /// A nearby object was removed.
    case removed(NearbyObject, NearbyObject.RemovalReason)
    /// The session was suspended.
    case suspended
    /// The suspension ended; the session may run again.
    case suspensionEnded
    /// What the app is to send to the accessory, as it is.
    case shareableConfiguration(ShareableConfigurationData, for: NearbyObject)
    /// Camera assistance converged, or says why not.
    case convergence(AlgorithmConvergence, for: NearbyObject)
    /// The last event of a session.
    case invalidated(NearbyError)
    /// For the source of exchanges, not for the app.
    case link(LinkChange)
  }

  /// The session that it happened to.
  public let session: SessionID
  /// s, on the host's clock
  public let time: Double
  /// What happened.
  public let kind: Kind
}
