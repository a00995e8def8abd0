import NearbyPorts
import NearbySession
import NearbyUCI
import NearbyUCIRadio
import Testing
import UWBTracking
import UWBTypes

@Suite(.timeLimit(.minutes(5))) struct UCIRadioTests {
  private static func settings() -> NearbySettings {
    var settings = NearbySettings()
    settings.accessoryRanging.blockMilliseconds = 20
    return settings
  }

  /// A session on a chip, and a peer's token.
  private static func session(on radio: UCIRadio) throws -> (NearbyHost, NearbySession, NearbyPeerConfiguration) {
    let host = NearbyHost(radio: radio, settings: settings(), permission: .granted)
    let other = NearbyHost(permission: .granted)
    let peer = NearbySession(host: other)
    let session = NearbySession(host: host)
    return (host, session, NearbyPeerConfiguration(peerToken: try #require(peer.discoveryToken)))
  }

  @Test("an application's session on a chip: distance, angles, line of sight")
  func session() async throws {
    let bench = try await ChipBench()
    defer { bench.close() }
    let radio = try await UCIRadio.open(bench.address)
    #expect(radio.capabilities.supportsPreciseDistanceMeasurement && radio.capabilities.supportsDirectionMeasurement)
    let (_, session, configuration) = try Self.session(on: radio)
    let events = session.events
    try session.run(.peer(configuration))
    for try await event in events {
      guard case .updated(let objects) = event, let object = objects.first, let distance = object.distance else {
        continue
      }
      // The tracker starts with what it knows of walls.
      #expect(abs(distance - 2) < 0.3)
      #expect(object.direction != nil)
      #expect(object.lineOfSightProbability != nil)
      break
    }
    session.invalidate()
  }

  /// What an engine is to a host: here it says how many taps it was shown, in the line-of-sight probability.
  private final class TapCounter: RangingProcess {
    func process(_ exchange: RangingExchange) -> RangingMeasurement {
      var measurement =
        exchange.ready?.measurement(of: exchange.peer, at: exchange.time)
        ?? RangingMeasurement(exchange: 0, time: exchange.time, peer: exchange.peer, status: .missingTimestamps)
      let taps = exchange.receptionsWithImpulseResponse.first?.impulseResponse?.tapCount ?? 0
      measurement.lineOfSightProbability = Double(taps) / 100
      return measurement
    }

    func process(_ measurement: RangingMeasurement, of pair: RadioPair) -> RangingMeasurement { measurement }
    func forget(_ peer: DeviceAddress) {}
  }

  private struct Counting: RangingProcessSource {
    func makeProcess(tracking: PeerTracker.Configuration?) -> any RangingProcess { TapCounter() }
  }

  @Test(
    "windows of impulse responses go to the host's engine; without one the chip's distance goes on",
    arguments: [true, false])
  func diagnostics(hasEngine: Bool) async throws {
    let observe: SimulatedChip.Observe = { round in
      [
        SimulatedDiagnostics.Frame(
          message: round.isInitiator ? 1 : 0, sender: round.peer, windows: [(0..<40).map { SIMD2($0, 1) }],
          firstPath: 10)
      ]
    }
    let bench = try await ChipBench(observe: observe) { _ in
      var round = ChipBench.round(centimetres: 300)
      round.lineOfSight = .unknown
      return round
    }
    defer { bench.close() }
    let radio = try await UCIRadio.open(bench.address)
    let host = NearbyHost(
      radio: radio, engine: hasEngine ? Counting() : nil, settings: Self.settings(), permission: .granted)
    let session = NearbySession(host: host)
    let peer = NearbySession(host: NearbyHost(permission: .granted))
    let events = session.events
    try session.run(.peer(NearbyPeerConfiguration(peerToken: try #require(peer.discoveryToken))))
    for try await event in events {
      guard case .updated(let objects) = event, let object = objects.first, let distance = object.distance else {
        continue
      }
      #expect(abs(distance - 3) < 0.5)
      // The first round's diagnostics come when it has gone on.
      if hasEngine, object.lineOfSightProbability != 0.4 { continue }
      if hasEngine { #expect(radio.problems == [.lateDiagnostics: 1]) }
      break
    }
    session.invalidate()
  }

  @Test("an unplugged chip suspends the session; plugged in again it is resumed, and ranges once the app runs it")
  func unplugged() async throws {
    let bench = try await ChipBench()
    defer { bench.close() }
    let radio = try await UCIRadio.open(bench.address)
    let (_, session, configuration) = try Self.session(on: radio)
    let events = session.events
    try session.run(.peer(configuration))
    var log: [String] = []
    for try await event in events {
      switch event {
      case .suspended:
        log.append("suspended")
        bench.server.plug()
      case .suspensionEnded:
        log.append("resumed")
        try session.run(.peer(configuration))
      case .updated where log.last != "updated":
        log.append("updated")
        if log.count == 1 { bench.server.unplug() }
      default: break
      }
      if log.count == 4 { break }
    }
    #expect(log == ["updated", "suspended", "resumed", "updated"])
  }

  @Test("rounds that fail are missed, and a chip that refuses ends the session with its reason")
  func failures() async throws {
    let bench = try await ChipBench(
      measure: { _ in
        var round = TwoWayMeasurement()
        round.status = .receptionTimeout
        return round
      })
    defer { bench.close() }
    let radio = try await UCIRadio.open(bench.address)
    let (link, parameters) = try await Self.link()
    try await radio.start(link, parameters: parameters)
    var refused = parameters
    refused.slotsPerRound = 300
    await #expect(throws: UCIConnectionError.parameter("the number of slots in a round", 300)) {
      try await radio.start(link, parameters: refused)
    }
    var isRestarted = false
    for await report in radio.reports {
      if case .missed(link) = report, !isRestarted {
        isRestarted = true
        await radio.stop(link)
        refused = parameters
        refused.channel = 3
        try await radio.start(link, parameters: refused)
      }
      if case .failed(let reason, of: link) = report {
        #expect(reason == "\(UCIDriverError.parametersRefused([UCIParameterStatus(.channel, .invalidRange)]))")
        radio.close()
      }
    }
    #expect(isRestarted)
  }

  @Test("a place without a chip is a typed error at once")
  func nothing() async throws {
    let path = ChipBench.freePath()
    await #expect(throws: UCIConnectionError.self) { try await UCIRadio.open(.unix(path)) }
  }

  /// A link as a running session has it, with its parameters.
  private static func link() async throws -> (RangingLink, RangingParameters) {
    let host = NearbyHost(settings: settings(), permission: .granted)
    let other = NearbySession(host: NearbyHost(permission: .granted))
    let session = NearbySession(host: host)
    try session.run(.peer(NearbyPeerConfiguration(peerToken: try #require(other.discoveryToken))))
    return try withExtendedLifetime(session) {
      let link = try #require(host.links.first)
      return (link, try #require(host.parameters(of: link)))
    }
  }
}
