import Synchronization

/// The interaction with one peer: make it, hand its token over, run it with the peer's.
///
/// Safe from any thread. Letting go of the last reference invalidates the session.
public final class NearbySession: Sendable {
  public let host: NearbyHost
  let id: SessionID
  private let delegation = StateLock(Delegation())

  private struct Delegation: Sendable {
    weak var delegate: (any NearbySessionDelegate)?
    var adapter: Task<Void, Never>?
  }

  /// Makes a session and its token.
  public init(host: NearbyHost) {
    self.host = host
    id = host.makeSession()
  }

  deinit {
    delegation.withLock { $0.adapter }?.cancel()
    host.transact { core, now, events in core.release(id, at: now, into: &events) }
  }

  /// What the device can do; look here first.
  public var deviceCapabilities: DeviceCapabilities { host.deviceCapabilities }

  /// For the peer; `nil` once the session is invalid.
  public var discoveryToken: DiscoveryToken? { host.read { $0.discoveryToken(of: id) } }

  /// What the session last ran with; `nil` before the first run and once the session is invalid.
  public var configuration: NearbyConfiguration? { host.read { $0.configuration(of: id) } }

  public var isRunning: Bool { host.read { $0.isRunning(id) } }

  /// Starts the session, or resumes it with the same tokens.
  ///
  /// Throws `sessionFailed` and changes nothing while the session is suspended or the app in the background. Any other
  /// error has invalidated the session.
  public func run(_ configuration: NearbyConfiguration) throws(NearbyError) {
    try host.run(id, with: configuration)
  }

  public func run(_ configuration: NearbyPeerConfiguration) throws(NearbyError) {
    try run(.peer(configuration))
  }

  /// The session answers with `generatedShareableConfiguration`, for the app to send to the accessory.
  public func run(_ configuration: NearbyAccessoryConfiguration) throws(NearbyError) {
    try run(.accessory(configuration))
  }

  /// Stops updates until the next run. The tokens stay good; a peer that waits too long reports a timeout.
  public func pause() {
    host.transact { core, now, events in core.pause(id, at: now, into: &events) }
  }

  /// Ends the session and its token. Streams end with `NearbyError.invalidatedByApp`.
  public func invalidate() {
    host.transact { core, now, events in core.invalidate(id, at: now, into: &events) }
  }

  /// A stream of its own for each call, from now on.
  public var events: NearbySessionEvents { host.subscribe(to: id) }

  /// The peer's place in the world of the device's pose, once assistance has converged.
  public func worldTransform(for object: NearbyObject) -> WorldTransform? {
    host.read { $0.worldTransform(of: id, for: object.discoveryToken) }
  }

  /// Hears of everything from when it is set, in order, one call at a time. Held weakly; several sessions may share
  /// one.
  public var delegate: (any NearbySessionDelegate)? {
    get { delegation.withLock { $0.delegate } }
    set {
      let adapter = newValue.map { Self.adapter(for: self, to: $0) }
      let previous = delegation.withLock { delegation in
        defer {
          delegation.delegate = newValue
          delegation.adapter = adapter
        }
        return delegation.adapter
      }
      previous?.cancel()
    }
  }
}
