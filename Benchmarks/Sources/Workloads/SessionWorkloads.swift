import NearbySession
import UWBDSP

/// What a replay does with an exchange: engine, tracker, session, events.
final class DeliveredPath {
  private let pipeline: RangingPipeline
  private var sessions: ReplaySessions
  private var events: [ReplaySessions.Event] = []
  private var time = 0.0

  init(engine: RangingEngine) {
    pipeline = RangingPipeline(engine)
    sessions = ReplaySessions()
  }

  func process(_ exchange: RangingExchange) {
    var raw = pipeline.measure(exchange)
    // A ring of exchanges begins again, time does not.
    time += 0.1
    raw.time = time
    let tracked = pipeline.process(raw, of: exchange.pair)
    events.removeAll(keepingCapacity: true)
    sessions.deliver(tracked, into: &events)
  }
}

extension Workload {
  /// A capture of so many exchanges, one after the other, into updates.
  public static func deliveredCapture(exchanges count: Int) -> () -> Void {
    let exchanges = SimulatedInput.exchanges(antennas: 1, inRoom: true)
    let engine = RangingEngine(RangingEngine.Configuration(profile: .ideal))
    return {
      let path = DeliveredPath(engine: engine)
      for index in 0..<count { path.process(exchanges[index % exchanges.count]) }
    }
  }

  private static func measurement(_ index: Int, _ peer: DeviceAddress) -> RangingMeasurement {
    let angle = 0.3 * Double(index % 64) / 64
    return RangingMeasurement(
      exchange: index, time: 0.1 * Double(index), peer: peer, status: .ok, distance: 2 + 0.01 * Double(index % 64),
      distanceDeviation: 0.02, direction: Direction.unitVector(azimuth: angle, elevation: 0), azimuth: angle,
      azimuthDeviation: 0.02, elevation: 0, elevationDeviation: 0.02)
  }

  /// The tracker of one peer, distance and direction.
  static let tracking: [Workload] = [
    Workload("tracker/update", items: 100, .update) {
      var tracker = PeerTracker()
      var index = 0
      return Prepared {
        for _ in 0..<100 {
          _ = tracker.update(measurement(index, DeviceAddress(rawValue: 1)))
          index += 1
        }
      }
    }
  ]

  /// Delivery of ready measurements: the sessions of a replay; a live host with one session and one subscriber.
  static let sessions: [Workload] = [
    Workload("session/replay-delivery", items: 100, .update) {
      var sessions = ReplaySessions()
      var events: [ReplaySessions.Event] = []
      var index = 0
      return Prepared {
        for _ in 0..<100 {
          events.removeAll(keepingCapacity: true)
          sessions.deliver(measurement(index, DeviceAddress(rawValue: 1)), into: &events)
          index += 1
        }
      }
    },
    Workload("session/host-delivery", items: 100, .update) {
      let host = NearbyHost(permission: .granted)
      let peer = NearbySession(host: NearbyHost())
      guard let token = peer.discoveryToken else { throw NoToken() }
      let session = NearbySession(host: host)
      let events = session.events
      try session.run(NearbyPeerConfiguration(peerToken: token))
      var index = 0
      return Prepared {
        withExtendedLifetime((session, events)) {
          for _ in 0..<100 {
            host.deliver(measurement(index, token.address))
            index += 1
          }
        }
      }
    },
  ]

  private struct NoToken: Error {}
}
