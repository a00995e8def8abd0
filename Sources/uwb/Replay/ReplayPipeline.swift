import NearbySession
import UWBCapture
import UWBDSP

/// One capture's way from exchanges to events: engine, tracker, session.
struct ReplayPipeline {
  private let engine: RangingEngine
  private let workspace: RangingEngine.Workspace
  private var trackers: [DeviceAddress: PeerTracker] = [:]
  private var clocks: [DeviceAddress: ClockTracker] = [:]
  private var sessions: ReplaySessions
  private var sessionEvents: [ReplaySessions.Event] = []
  private(set) var totals = ReplayTotals()
  private var firstTime: Double?

  init(engine: RangingEngine) {
    self.engine = engine
    workspace = engine.makeWorkspace(antennaCount: engine.configuration.array?.positions.count ?? 1)
    var settings = ReplaySessions.Settings()
    // A replay shows what was measured; an app's own limits are the app's.
    settings.session.limits = .off
    sessions = ReplaySessions(settings: settings)
  }

  /// Takes one exchange and hands on what follows from it: timeouts that were due before it, then its own event.
  mutating func process(_ exchange: RangingExchange, _ body: (ReplayEvent) throws -> Void) rethrows {
    let clock = clocks[exchange.peer, default: ClockTracker(engine.configuration.clocks)].update(exchange)
    let raw = engine.measure(exchange, clock: clock, using: workspace)
    let tracked = trackers[exchange.peer, default: PeerTracker()].update(raw)
    count(exchange, raw)
    sessionEvents.removeAll(keepingCapacity: true)
    sessions.deliver(tracked.measurement, into: &sessionEvents)
    for event in sessionEvents {
      switch event.kind {
      case .update(let object):
        try body(.update(object: object, tracked: tracked, raw: raw, exchange: exchange))
      case .removed(_, let reason):
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
    } else {
      totals.rejected[raw.status.rawValue, default: 0] += 1
    }
  }
}
