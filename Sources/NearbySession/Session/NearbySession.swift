/// The interaction with one peer: make it, hand its token over, run it with the peer's.
///
/// Safe from any thread. Letting go of the last reference invalidates the session.
public final class NearbySession: Sendable {
  /// The host that the session belongs to.
  public let host: NearbyHost
  let id: SessionID
  private let adapter = DelegateAdapter()

  /// Makes a session and its token.
  public init(host: NearbyHost) {
    self.host = host
    id = host.makeSession()
  }

  deinit {
    host.transact { core, now, events in core.release(id, at: now, into: &events) }
  }

  /// What the device can do; look here first.
  public var deviceCapabilities: DeviceCapabilities { host.deviceCapabilities }

  /// For the peer; `nil` once the session is invalid.
  public var discoveryToken: DiscoveryToken? { host.read { $0.discoveryToken(of: id) } }

  /// What the session last ran with; `nil` before the first run and once the session is invalid.
  public var configuration: NearbyConfiguration? { host.read { $0.configuration(of: id) } }

  /// Whether the session runs.
  public var isRunning: Bool { host.read { $0.isRunning(id) } }

  /// Starts the session, or resumes it with the same tokens.
  ///
  /// Throws `sessionFailed` and changes nothing while the session is suspended or the app in the background. Any other
  /// error has invalidated the session.
  public func run(_ configuration: NearbyConfiguration) throws(NearbyError) {
    try host.run(id, with: configuration)
  }

  /// Runs the session with a peer.
  public func run(_ configuration: NearbyPeerConfiguration) throws(NearbyError) {
    try run(.peer(configuration))
  }

  /// The session answers with `generatedShareableConfiguration`, for the app to send to the accessory.
  public func run(_ configuration: NearbyAccessoryConfiguration) throws(NearbyError) {
    try run(.accessory(configuration))
  }

  /// Stops updates until the next run. The tokens stay good; a peer that waits too long reports a timeout.
  ///
  /// The delegate hears nothing more of this run once the call has returned. A call to it that is under way is waited for, up to 0.1 s.
  public func pause() {
    host.transact { core, now, events in
      core.pause(id, at: now, into: &events)
      adapter.discardRun()
    }
    adapter.waitForCall()
  }

  /// Ends the session and its token. Streams end with `NearbyError.invalidatedByApp`, which is no failure.
  ///
  /// The delegate hears of the invalidation and of nothing else once the call has returned. A call to it that is under way is waited
  /// for, up to 0.1 s.
  public func invalidate() {
    host.transact { core, now, events in core.invalidate(id, at: now, into: &events) }
    adapter.waitForCall()
  }

  /// A stream of its own for each call, from now on.
  public var events: NearbySessionEvents {
    NearbySessionEvents(subscription: host.subscribe(EventQueue(), to: id))
  }

  /// The peer's place in the world of the device's pose, once assistance has converged.
  public func worldTransform(for object: NearbyObject) -> WorldTransform? {
    host.read { $0.worldTransform(of: id, for: object.discoveryToken) }
  }

  /// Hears of everything from when the first delegate is set, in order, one call at a time; a later one takes over from the next event
  /// on. Held weakly; several sessions may share one.
  public var delegate: (any NearbySessionDelegate)? {
    get { adapter.delegate }
    set { adapter.set(newValue, of: self) }
  }

  /// Where the delegate is called, from the next call on.
  public var delegateQueue: NearbyDelegateQueue {
    get { adapter.executor.queue }
    set { adapter.executor.queue = newValue }
  }
}

extension NearbySession: Hashable {
  /// A session equals itself alone.
  public static func == (one: NearbySession, other: NearbySession) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
