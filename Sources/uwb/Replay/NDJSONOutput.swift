import UWBCapture
import UWBDSP

/// One JSON object a line. Field names are a contract (`Documentation/reference/CommandLine.md`); what is absent is `null`.
struct NDJSONOutput: ReplayOutput {
  private let output: ByteOutput
  private var text = JSONText()
  private var capture = ""
  private var captures = 0
  private var peer = PeerText()

  init(_ output: ByteOutput) {
    self.output = output
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    self.capture = capture
    captures += 1
  }

  mutating func write(_ event: ReplayEvent) throws {
    text.begin()
    switch event {
    case .update(let object, let tracked, let raw, let exchange):
      text.add("event", "update")
      identify(exchange, raw)
      text.add("distance_m", object.distance, places: 6)
      text.add("distance_std_m", object.distanceDeviation, places: 6)
      text.add("direction", object.direction, places: 6)
      let given = object.direction != nil
      text.add("azimuth_deg", given ? tracked.measurement.azimuth?.degrees : nil, places: 4)
      text.add("elevation_deg", given ? tracked.measurement.elevation?.degrees : nil, places: 4)
      text.add("azimuth_std_deg", given ? tracked.measurement.azimuthDeviation?.degrees : nil, places: 4)
      text.add("elevation_std_deg", given ? tracked.measurement.elevationDeviation?.degrees : nil, places: 4)
      text.add("direction_status", raw.directionStatus?.rawValue)
      text.add("alternatives", directions: given ? raw.alternativeDirection : nil, places: 4)
      text.add("raw_distance_m", raw.rawDistance, places: 6)
      text.add("raw_distance_std_m", raw.rawDistanceDeviation, places: 6)
      text.add("calibrated_distance_m", raw.calibratedDistance, places: 6)
      text.add("calibrated_distance_std_m", raw.calibratedDistanceDeviation, places: 6)
      text.add("range_bias_m", raw.rangeBias, places: 6)
      text.add("range_bias_std_m", raw.rangeBiasDeviation, places: 6)
      text.add("line_of_sight_probability", object.lineOfSightProbability, places: 4)
      text.add(
        "first_path_taps", ("poll", raw.firstPathTaps.poll), ("response", raw.firstPathTaps.response),
        ("final", raw.firstPathTaps.final), places: 4)
      text.add("snr_db", raw.snrdB, places: 2)
      text.add("clock_offset_ppm", raw.clockOffsetppm, places: 4)
      if let rejections = raw.clockRejections, rejections > 0 { text.add("clock_rejections", rejections) }
      text.add("chip_distance_m", exchange.chipReport?.distance, places: 6)
      text.add("chip_raw_distance_m", exchange.chipReport?.rawDistance, places: 6)
      text.add("chip_azimuth_deg", exchange.chipReport?.azimuth?.degrees, places: 4)
      text.add("chip_elevation_deg", exchange.chipReport?.elevation?.degrees, places: 4)
      text.add("true_distance_m", exchange.truth?.distance, places: 6)
      text.add("true_azimuth_deg", exchange.truth?.azimuth?.degrees, places: 4)
      text.add("true_elevation_deg", exchange.truth?.elevation?.degrees, places: 4)
      text.add("fallback", raw.fallback?.rawValue)
      text.add("status", tracked.isOutlier ? "outlier" : "ok")
    case .rejected(let raw, let exchange):
      text.add("event", "rejected")
      identify(exchange, raw)
      text.add("reason", raw.status.rawValue)
    case .removed(let peer, let time, let reason):
      text.add("event", "removed")
      text.add("capture", capture)
      text.add("peer", "\(peer)")
      text.add("reason", reason.rawValue)
      text.add("time_s", time, places: 6)
    }
    text.end()
    try emit()
  }

  mutating func end(_ totals: ReplayTotals) throws {
    text = Self.counts("capture", totals) { $0.add("capture", capture) }
    try emit()
  }

  mutating func finish(_ totals: ReplayTotals) throws {
    text = Self.summary(totals, captures: captures)
    try emit()
    try output.flush()
  }

  mutating func flush() throws {
    try output.flush()
  }

  private mutating func identify(_ exchange: RangingExchange, _ raw: RangingMeasurement) {
    text.add("capture", capture)
    text.add("exchange", exchange.index)
    text.add("time_s", exchange.time, places: 6)
    text.add("peer", peer[exchange.peer])
  }

  /// The line that ends a replay.
  static func summary(_ totals: ReplayTotals, captures: Int) -> JSONText {
    counts("summary", totals) { $0.add("captures", captures) }
  }

  private static func counts(_ event: String, _ totals: ReplayTotals, of whom: (inout JSONText) -> Void) -> JSONText {
    var text = JSONText()
    text.begin()
    text.add("event", event)
    whom(&text)
    text.add("exchanges", totals.exchanges)
    text.add("updates", totals.updates)
    text.add("rejected", totals.rejected)
    text.add("fallbacks", totals.fallbacks)
    text.add("skipped_input", totals.skipped.counts)
    text.add("seconds", totals.seconds, places: 3)
    text.end()
    return text
  }

  private func emit() throws {
    try output.write { $0.append(contentsOf: text.bytes) }
  }

}
