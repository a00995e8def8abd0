import UWBDSP

@testable import NearbySession

/// A host's heart, a clock that the test sets, and everything that came out.
struct Rig {
  var core: HostCore
  var time = 0.0
  var events: [SessionEvent] = []

  init(
    _ settings: NearbySettings = NearbySettings(), capabilities: DeviceCapabilities = .all,
    permission: NearbyPermission = .granted, seed: UInt64 = 1
  ) {
    core = HostCore(settings: settings, capabilities: capabilities, permission: permission, tokens: .seeded(seed))
  }

  /// What was said since the last call, links left out.
  mutating func said() -> [SessionEvent.Kind] {
    defer { events.removeAll() }
    return events.map(\.kind).filter { if case .link = $0 { false } else { true } }
  }

  /// What was said of links since the last call.
  mutating func linksSaid() -> [LinkChange] {
    defer { events.removeAll() }
    return events.compactMap { if case .link(let change) = $0.kind { change } else { nil } }
  }

  @discardableResult
  mutating func run(_ id: SessionID, _ configuration: NearbyConfiguration) throws(NearbyError) -> HostCore.RunOutcome {
    try core.run(id, with: configuration, at: time, into: &events)
  }

  /// Makes a session and runs it with a peer.
  mutating func start(_ peer: DiscoveryToken, assisted: Bool = false) throws(NearbyError) -> SessionID {
    let id = core.makeSession()
    var configuration = NearbyPeerConfiguration(peerToken: peer)
    configuration.isCameraAssistanceEnabled = assisted
    try run(id, .peer(configuration))
    return id
  }

  mutating func pause(_ id: SessionID) {
    core.pause(id, at: time, into: &events)
  }

  mutating func invalidate(_ id: SessionID) {
    core.invalidate(id, at: time, into: &events)
  }

  mutating func measure(_ measurement: RangingMeasurement) {
    core.deliver(measurement, at: time, into: &events)
  }

  mutating func measure(_ peer: DiscoveryToken, distance: Double? = 1, direction: SIMD3<Double>? = nil) {
    measure(measurement(of: peer, time: time, distance: distance, direction: direction))
  }

  mutating func pose(_ pose: NearbyPose) {
    core.updatePose(pose, at: time, into: &events)
  }

  mutating func advance(to time: Double) {
    self.time = time
    core.advance(to: time, into: &events)
  }

  mutating func enter(_ state: ApplicationState) {
    core.setApplicationState(state, at: time, into: &events)
  }
}

/// A token as a peer's device makes it.
func peerToken(_ seed: UInt64, capabilities: DeviceCapabilities = .all) -> DiscoveryToken {
  var generator = TokenGenerator.seeded(1000 + seed)
  return DiscoveryToken(deviceCapabilities: capabilities, using: &generator)
}

func measurement(
  of peer: DiscoveryToken, time: Double, distance: Double? = 1, direction: SIMD3<Double>? = nil
) -> RangingMeasurement {
  RangingMeasurement(
    exchange: 0, time: time, peer: peer.address, status: .ok, distance: distance, direction: direction)
}

extension SessionEvent.Kind {
  var object: NearbyObject? {
    if case .update(let object) = self { object } else { nil }
  }
}
