/// One session of a host, and where it stands.
struct SessionState: Sendable {
  enum Phase: Sendable, Hashable {
    /// Made and never run.
    case idle
    /// Run, and waiting for the user's answer.
    case awaitingPermission
    case running
    /// Run before; run again resumes.
    case paused
    case suspended
    case invalidated
  }

  let generation: UInt32
  var phase = Phase.idle
  /// `nil` after invalidation
  var token: DiscoveryToken?
  var configuration: NearbyConfiguration?
  /// The configuration's peer, kept apart for the path that every measurement takes.
  var peerToken: DiscoveryToken?
  /// Whether the app was told of the peer, and not yet of its removal.
  var isPeerPresent = false
  /// The peer's last sign of life, or when the session last began to run, s.
  var lastActivity = 0.0
  /// When the session was suspended, s.
  var suspendedSince = 0.0
  /// Of its entry in the host's queue: at its deadline or before; infinite where there is none.
  var queuedDeadline = Double.infinity
  var isAssisted = false
  /// What an accessory was last told.
  var shared: ShareableConfigurationData?
  /// The local end's short address towards an accessory.
  var shortAddress: UInt16 = 0
  var error: NearbyError?

  var isActive: Bool { phase == .running || phase == .awaitingPermission }
  var isLive: Bool { phase != .invalidated }

  /// When something is due that happens by itself, s; `nil` for never. It happens once time is beyond it.
  func deadline(_ settings: NearbySettings) -> Double? {
    switch phase {
    case .running:
      isPeerPresent ? lastActivity + settings.timeout : settings.inactivityLimit.map { lastActivity + $0 }
    case .suspended:
      settings.suspensionLimit.map { suspendedSince + $0 }
    case .idle, .awaitingPermission, .paused, .invalidated:
      nil
    }
  }
}
