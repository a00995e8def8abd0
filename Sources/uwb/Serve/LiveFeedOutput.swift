import NearbySession
import UWBCapture
import UWBDSP
import UWBLive

/// From a replay's or a radio's events to a live page: the lines of `uwb replay`, and what the page draws.
struct LiveFeedOutput: ReplayOutput {
  private let feed: LiveFeed
  private let device: String
  private let bytes: ByteOutput
  private var lines: NDJSONOutput
  private var windows = ImpulseResponseWindow()

  /// - Parameter device: name of the view that it fills
  init(_ feed: LiveFeed, device: String) {
    self.feed = feed
    self.device = device
    bytes = ByteOutput(to: { feed.publish($0) })
    lines = NDJSONOutput(bytes)
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    lines.begin(capture: capture, header: header)
  }

  mutating func write(_ event: ReplayEvent) throws {
    try lines.write(event)
    let now = feed.now
    switch event {
    case .update(let object, let tracked, let raw, let exchange):
      let peer = Self.peer(object, tracked.measurement, raw, exchange)
      let response = window(exchange, raw, now)
      feed.change { [device] state in
        state.countExchange(now: now)
        state.counts.updates += 1
        state.counts.seconds = max(state.counts.seconds, exchange.time)
        state.update(peer, of: device, now: now)
        if let response { state.show(response, of: device) }
      }
    case .rejected(let raw, let exchange):
      let response = window(exchange, raw, now)
      feed.change { [device] state in
        state.countExchange(now: now)
        state.counts.rejected[raw.status.rawValue, default: 0] += 1
        state.reject("\(exchange.peer)", of: device, reason: raw.status.rawValue, time: exchange.time)
        if let response { state.show(response, of: device) }
      }
    case .removed(let peer, let time, let reason):
      feed.change { [device] state in
        state.counts.removed[reason.rawValue, default: 0] += 1
        state.remove("\(peer)", of: device, time: time)
        state.note(LiveEvent(time: time, peer: "\(peer)", text: "removed: \(reason.rawValue)"), of: device)
      }
    }
  }

  private mutating func window(_ exchange: RangingExchange, _ raw: RangingMeasurement, _ now: Double)
    -> LiveImpulseResponse?
  {
    windows.take(exchange, peer: "\(exchange.peer)", now: now) { message, _ in raw.firstPathTaps.taps(of: message) }
  }

  mutating func end(_ totals: ReplayTotals) throws {
    try lines.end(totals)
    let skipped = totals.skipped.counts
    feed.change { $0.counts.skipped.merge(skipped, uniquingKeysWith: +) }
  }

  mutating func finish(_ totals: ReplayTotals) throws { try lines.finish(totals) }

  mutating func flush() throws { try lines.flush() }

  private static func peer(
    _ object: NearbyObject, _ tracked: RangingMeasurement, _ raw: RangingMeasurement, _ exchange: RangingExchange
  ) -> LivePeer {
    var peer = LivePeer(name: "\(exchange.peer)")
    peer.time = exchange.time
    peer.distance = object.distance.ifFinite
    peer.distanceDeviation = object.distanceDeviation.ifFinite
    if object.direction != nil {
      peer.azimuthDegrees = (tracked.azimuth?.degrees).ifFinite
      peer.azimuthDeviationDegrees = (tracked.azimuthDeviation?.degrees).ifFinite
      peer.elevationDegrees = (tracked.elevation?.degrees).ifFinite
    }
    peer.lineOfSightProbability = object.lineOfSightProbability.ifFinite
    peer.snrDB = raw.snrdB.ifFinite
    peer.trueDistance = exchange.truth?.distance.ifFinite
    return peer
  }
}

extension Double? {
  /// `nil` for what is not finite: JSON has no name for it.
  var ifFinite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
