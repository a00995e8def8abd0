import NearbySession
import UWBCapture
import UWBDSP

/// One capture's way from measurements to events: tracker, session. What is done here depends on what came before; what
/// does not, the engine, may run on many threads. A live host's way is `ExchangePipeline`.
struct ReplayPipeline {
  private var trackers = EachPair(PeerTracker())
  private let poses: PoseTable?
  private var sessions: ReplaySessions
  private var sessionEvents: [ReplaySessions.Event] = []
  private(set) var totals = ReplayTotals()
  private var firstTime: Double?

  /// Pairs of radios whose tracker is remembered.
  var trackerCount: Int { trackers.count }

  /// - Parameter poses: of the local device over the capture's time, where they are known.
  init(poses: PoseTable? = nil) {
    self.poses = poses
    var settings = ReplaySessions.Settings()
    // A replay shows what was measured; an app's own limits are the app's.
    settings.session.limits = .off
    sessions = ReplaySessions(settings: settings)
  }

  /// Takes one exchange and its measurement, and hands on what follows: timeouts that were due before it, then its own
  /// event.
  mutating func process(
    _ exchange: RangingExchange, _ raw: RangingMeasurement, _ body: (ReplayEvent) throws -> Void
  ) rethrows {
    let pose = poses?.pose(at: exchange.time)
    if poses != nil, pose == nil { totals.withoutPose += 1 }
    let tracked = trackers.update(raw, of: exchange.pair, pose: pose)
    count(exchange, raw)
    sessionEvents.removeAll(keepingCapacity: true)
    sessions.deliver(tracked.measurement, into: &sessionEvents)
    for event in sessionEvents {
      switch event.kind {
      case .update(let object):
        try body(.update(object: object, tracked: tracked, raw: raw, exchange: exchange))
      case .removed(_, let reason):
        // Memory grows with the peers that are there at once. The exchange's own peer is back: its tracker has started anew.
        if event.peer != exchange.peer { trackers.forget(event.peer) }
        try body(.removed(peer: event.peer, time: event.time, reason: reason))
      }
    }
    if raw.status != .ok { try body(.rejected(raw: raw, exchange: exchange)) }
  }

  /// Ends the capture: its peers leave.
  mutating func finish(skipped: SkippedInput, _ body: (ReplayEvent) throws -> Void) rethrows {
    totals.skipped = skipped
    sessionEvents.removeAll(keepingCapacity: true)
    sessions.finish(into: &sessionEvents)
    for event in sessionEvents {
      if case .removed(_, let reason) = event.kind {
        try body(.removed(peer: event.peer, time: event.time, reason: reason))
      }
    }
  }

  private mutating func count(_ exchange: RangingExchange, _ raw: RangingMeasurement) {
    totals.exchanges += 1
    let start = firstTime ?? exchange.time
    firstTime = start
    totals.seconds = exchange.time - start
    if raw.status == .ok {
      totals.updates += 1
      if let fallback = raw.fallback { totals.fallbacks[fallback.rawValue, default: 0] += 1 }
    } else {
      totals.rejected[raw.status.rawValue, default: 0] += 1
      if raw.status == .missingTimestamps, !exchange.receptionsWithImpulseResponse.isEmpty { totals.pathsAlone += 1 }
    }
  }
}
