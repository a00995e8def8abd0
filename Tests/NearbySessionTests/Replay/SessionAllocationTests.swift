import NearbySession
import TestSupport
import Testing
import UWBDSP
import UWBSimulation

/// Heap allocations from an exchange to a session's update, counted exactly on this thread, in release builds.
@Suite struct SessionAllocationTests {
  private static let isCounted: ConditionTrait = .enabled(
    if: AllocationCount.isExact, "this machine: allocations are counted with glibc, optimised and without sanitizers")

  /// Exchanges of a walk in a room, and an engine for them.
  private static func walk(antennas: Int) throws -> (exchanges: [RangingExchange], engine: RangingEngine) {
    var link = try #require(Scenario.walk.links(profile: .ideal, seed: 5).first)
    link.array = antennas == 1 ? .single() : .lShaped()
    link.exchangeCount = 12
    let exchanges = Array(ExchangeSimulator(link, seed: 5))
    let array = antennas == 1 ? nil : link.array
    return (exchanges, RangingEngine(RangingEngine.Configuration(profile: .ideal, array: array)))
  }

  /// Engine, tracker, session: what a replay does with an exchange.
  @Test(isCounted, arguments: [1, 3]) func anExchangeBecomesAnUpdateWithoutAllocating(antennas: Int) throws {
    let (exchanges, engine) = try Self.walk(antennas: antennas)
    // There and back, so that a round goes on where the one before ended.
    let round = exchanges + exchanges.reversed()
    let workspace = engine.makeWorkspace(antennaCount: antennas)
    var tracker = PeerTracker()
    var sessions = ReplaySessions()
    var events: [ReplaySessions.Event] = []
    var time = 0.0
    var updates = 0
    let count = AllocationCount.of {
      for exchange in round {
        var raw = engine.measure(exchange, using: workspace)
        time += 0.1
        raw.time = time
        events.removeAll(keepingCapacity: true)
        sessions.deliver(tracker.update(raw).measurement, into: &events)
        for event in events {
          if case .update(let object) = event.kind, object.distance != nil { updates += 1 }
        }
      }
    }
    #expect(count == 0)
    #expect(updates == 7 * round.count)
  }

  /// A live host hands over updates in arrays, as an app takes them: one allocation for each at the most.
  @Test(isCounted) func aLiveUpdateTakesOneAllocationAtMost() throws {
    let walk = try Self.walk(antennas: 1)
    let engine = walk.engine
    var exchanges = walk.exchanges
    let host = NearbyHost(permission: .granted)
    let peer = NearbySession(host: NearbyHost())
    let token = try #require(peer.discoveryToken)
    let session = NearbySession(host: host)
    let events = session.events
    try session.run(NearbyPeerConfiguration(peerToken: token))
    for index in exchanges.indices { exchanges[index].peer = token.address }
    let workspace = engine.makeWorkspace()
    let count = withExtendedLifetime((events, peer)) {
      AllocationCount.of {
        for exchange in exchanges { host.deliver(engine.measure(exchange, using: workspace)) }
      }
    }
    #expect(count <= 5 * UInt64(exchanges.count))
  }
}
