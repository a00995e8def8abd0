import UWBTypes

/// Puts a capture's measurements through sessions, one for each peer, made when the peer is first seen: what an app with
/// that device would have been told.
///
/// A session is released when its peer is removed: memory grows with the peers that are there at once.
///
/// Time is the measurements' own. The same measurements, settings and seed give the same events, tokens included; a
/// peer's tokens depend on the seed and its address alone, so that shards of a capture agree.
public struct ReplaySessions: Sendable {
  /// Settings of a replay.
  public struct Settings: Sendable, Hashable {
    /// As in a live host, but that failed exchanges give no update (a replay reports them itself) and that neither the
    /// number of sessions nor a long silence ends anything.
    public var session: NearbySettings
    /// Capabilities of the device that is replayed.
    public var capabilities = DeviceCapabilities.all
    /// Whether camera assistance is on.
    public var isCameraAssistanceEnabled = false
    /// Seed of the random tokens.
    public var seed: UInt64 = 1

    /// Creates one with default values.
    public init() {
      session = NearbySettings()
      session.failedMeasurements = .notDelivered
      session.inactivityLimit = nil
      session.activeSessionLimit = nil
      session.activeExtendedDistanceSessionLimit = nil
    }
  }

  /// What a session reported.
  public struct Event: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
      /// A nearby object has new values.
      case update(NearbyObject)
      /// A nearby object was removed.
      case removed(DiscoveryToken, NearbyObject.RemovalReason)
    }

    /// Address of the peer.
    public let peer: DeviceAddress
    /// s since the capture's first exchange
    public let time: Double
    /// What happened.
    public let kind: Kind
  }

  private struct Peer {
    let session: SessionID
    let configuration: NearbyConfiguration
  }

  /// Settings of this replay.
  public let settings: Settings
  private var core: HostCore
  private var peers: [DeviceAddress: Peer] = [:]
  /// By the session's slot.
  private var addresses: [DeviceAddress] = []
  private var scratch: [SessionEvent] = []

  /// A replay that has delivered nothing yet.
  public init(settings: Settings = Settings()) {
    self.settings = settings
    core = Self.makeCore(settings)
  }

  /// Brings in one measurement, raw or tracked, and appends what follows: timeouts that were due before it, then its
  /// update.
  public mutating func deliver(_ measurement: RangingMeasurement, into events: inout [Event]) {
    core.advance(to: measurement.time, into: &scratch)
    handOver(to: &events)
    // What gives no update needs no session.
    let isSilent = measurement.status != .ok && settings.session.failedMeasurements == .notDelivered
    guard peers[measurement.peer] != nil || !isSilent else { return }
    let peer = peers[measurement.peer] ?? addPeer(measurement.peer)
    if !core.isRunning(peer.session) {
      run(peer, at: measurement.time)
    }
    core.deliver(measurement, at: measurement.time, into: &scratch)
    handOver(to: &events)
  }

  /// The same, in a new array.
  public mutating func deliver(_ measurement: RangingMeasurement) -> [Event] {
    var events: [Event] = []
    deliver(measurement, into: &events)
    return events
  }

  /// Ends a capture: peers still present are removed with `reason` (`nil`: without a word), in the order in which they
  /// came. The next capture starts afresh, with the same tokens for the same addresses.
  public mutating func finish(reason: NearbyObject.RemovalReason? = .peerEnded, into events: inout [Event]) {
    if let reason {
      for session in peers.values.map(\.session).sorted(by: { $0.generation < $1.generation }) {
        guard core.slots[session.slot].isPeerPresent, let token = core.slots[session.slot].peerToken else { continue }
        events.append(Event(peer: addresses[session.slot], time: core.now, kind: .removed(token, reason)))
      }
    }
    core = Self.makeCore(settings)
    peers.removeAll(keepingCapacity: true)
    addresses.removeAll(keepingCapacity: true)
  }

  /// The token by which updates name a peer.
  public func token(of peer: DeviceAddress) -> DiscoveryToken {
    var generator = TokenGenerator.seeded(settings.seed)
    generator = .seeded(generator.next() ^ peer.rawValue)
    return DiscoveryToken(deviceCapabilities: .all, using: &generator)
  }

  // MARK: Inside

  /// Sessions that there is memory for: the most that there were at once.
  var sessionCount: Int { core.slots.count }

  private static func makeCore(_ settings: Settings) -> HostCore {
    HostCore(settings: settings.session, capabilities: settings.capabilities, tokens: .seeded(settings.seed))
  }

  private mutating func addPeer(_ address: DeviceAddress) -> Peer {
    var configuration = NearbyPeerConfiguration(peerToken: token(of: address), peerAddress: address)
    configuration.isCameraAssistanceEnabled = settings.isCameraAssistanceEnabled
    let peer = Peer(session: core.makeSession(), configuration: .peer(configuration))
    peers[address] = peer
    if peer.session.slot == addresses.count {
      addresses.append(address)
    } else {
      addresses[peer.session.slot] = address
    }
    return peer
  }

  /// What an app does for a new peer and after a timeout.
  private mutating func run(_ peer: Peer, at time: Double) {
    // A refusal invalidates the session; then its measurements have nowhere to go, and the core counts them.
    _ = try? core.run(peer.session, with: peer.configuration, at: time, into: &scratch)
  }

  private mutating func handOver(to events: inout [Event]) {
    var ended: [SessionID] = []
    for event in scratch {
      let address = addresses[event.session.slot]
      switch event.kind {
      case .update(let object):
        events.append(Event(peer: address, time: event.time, kind: .update(object)))
      case .removed(let object, let reason):
        events.append(Event(peer: address, time: event.time, kind: .removed(object.discoveryToken, reason)))
        ended.append(event.session)
      case .invalidated:
        ended.append(event.session)
      case .started, .suspended, .suspensionEnded, .shareableConfiguration, .convergence, .link:
        break
      }
    }
    for session in ended {
      peers[addresses[session.slot]] = nil
      core.release(session, at: core.now, into: &scratch)
    }
    scratch.removeAll(keepingCapacity: true)
  }
}
