import NearbySession
import Testing
import UWBDSP
import UWBSimulation

@Suite struct ExchangePipelineTests {
  private static let engine = RangingEngine(RangingEngine.Configuration(profile: .ideal))

  /// Exchanges of a peer 3 m away, under the addresses of a link.
  private static func exchanges(_ link: RangingLink, count: Int, local: DeviceAddress?) -> ExchangeSimulator {
    var configuration = ExchangeConfiguration(
      profile: .ideal, array: .single(), peerTrajectory: .stationary(SIMD3(0, 0, -3)), exchangeCount: count)
    configuration.peer = link.peerAddress
    configuration.local = local
    return ExchangeSimulator(configuration, seed: 5)
  }

  private static func distances(_ events: NearbySessionEvents) throws -> [Double] {
    var found: [Double] = []
    while let event = try events.takeReady() {
      if case .updated(let objects) = event { found += objects.compactMap(\.distance) }
    }
    return found
  }

  @Test("a simulator's exchanges reach the session of their peer through the engine")
  func simulator() async throws {
    let host = NearbyHost(permission: .granted)
    let (session, peer) = (NearbySession(host: host), NearbySession(host: NearbyHost()))
    let events = session.events
    try session.run(NearbyPeerConfiguration(peerToken: #require(peer.discoveryToken)))
    let source = ExchangeSource(Self.exchanges(host.links[0], count: 5, local: host.links[0].localAddress))
    await host.receive(source, engine: Self.engine)
    // Nobody took the updates meanwhile: the newest is there.
    let distances = try Self.distances(events)
    #expect(distances.count == 1)
    #expect(abs(distances[0] - 3) < 0.1)
    #expect(host.undelivered == 0)
  }

  @Test("of two sessions with one peer the one that ranged hears of it; an address of neither reaches both")
  func routing() throws {
    let host = NearbyHost(permission: .granted)
    let peer = NearbySession(host: NearbyHost())
    let sessions = [NearbySession(host: host), NearbySession(host: host)]
    let events = sessions.map(\.events)
    for session in sessions { try session.run(NearbyPeerConfiguration(peerToken: #require(peer.discoveryToken))) }
    let pipeline = ExchangePipeline(to: host, engine: Self.engine)
    let links = host.links
    var first = Self.exchanges(links[0], count: 1, local: links[1].localAddress)
    let firstExchange = first.next()
    pipeline.process(try #require(firstExchange))
    #expect(try Self.distances(events[0]).isEmpty)
    #expect(try Self.distances(events[1]).count == 1)
    var second = Self.exchanges(links[0], count: 1, local: DeviceAddress(rawValue: 7))
    let secondExchange = second.next()
    pipeline.process(try #require(secondExchange))
    #expect(try Self.distances(events[0]).count == 1)
    #expect(try Self.distances(events[1]).count == 1)
    var stranger = Self.exchanges(links[0], count: 1, local: nil)
    let made = stranger.next()
    var exchange = try #require(made)
    exchange.peer = DeviceAddress(rawValue: 99)
    pipeline.process(exchange)
    #expect(host.undelivered == 1)
    // A session that nobody holds ends.
    withExtendedLifetime(sessions) {}
  }

  @Test("a live pipe: a thread that pushes into a stream, and the task that takes from it")
  func live() async throws {
    let host = NearbyHost(permission: .granted)
    let (session, peer) = (NearbySession(host: host), NearbySession(host: NearbyHost()))
    let events = session.events
    try session.run(NearbyPeerConfiguration(peerToken: #require(peer.discoveryToken)))
    let (stream, continuation) = AsyncStream.makeStream(of: RangingExchange.self)
    let exchanges = Array(Self.exchanges(host.links[0], count: 3, local: nil))
    let pusher = Task.detached {
      for exchange in exchanges { continuation.yield(exchange) }
      continuation.finish()
    }
    await host.receive(stream, engine: Self.engine, tracking: nil)
    await pusher.value
    #expect(try Self.distances(events).count == 1)
  }

  @Test("a paced source sleeps until each exchange's own time")
  func paced() async throws {
    let peer = NearbySession(host: NearbyHost())
    let token = try #require(peer.discoveryToken)
    let link = RangingLink(
      localToken: token, peerToken: token, localAddress: DeviceAddress(rawValue: 1), peerAddress: token.address)
    let clock = RecordingClock()
    var count = 0
    for await _ in ExchangeSource(Self.exchanges(link, count: 4, local: nil), pace: clock, speed: 2) { count += 1 }
    #expect(count == 4)
    // 10 exchanges a second at twice their pace.
    let slept = clock.deadlines
    #expect(slept.count == 3)
    for (index, deadline) in slept.enumerated() { #expect(abs(deadline - 0.05 * Double(index + 1)) < 1e-3) }
  }
}

/// Notes what it was asked to sleep for, and does not.
private final class RecordingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let slept = StateLock<[Double]>([])
  let now = Instant(offset: .zero)
  let minimumResolution = Duration.zero

  var deadlines: [Double] { slept.withLock { $0 } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (seconds, atto) = deadline.offset.components
    slept.withLock { $0.append(Double(seconds) + 1e-18 * Double(atto)) }
  }
}
