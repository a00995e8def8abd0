import NearbySession
import UWBCapture
import UWBDSP

/// A few lines a capture for people: how many updates, what distances, how they compare with the chip and the truth.
struct SummaryOutput: ReplayOutput {
  private let output: ByteOutput
  private var capture = ""
  private var header: CaptureHeader?
  private var peers: [DeviceAddress: PeerSummary] = [:]
  private var captures = 0

  init(_ output: ByteOutput) {
    self.output = output
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    self.capture = capture
    self.header = header
    peers.removeAll()
    captures += 1
  }

  mutating func write(_ event: ReplayEvent) throws {
    guard case .update(let object, let tracked, let raw, let exchange) = event else { return }
    peers[exchange.peer, default: PeerSummary()].add(object, tracked, raw, exchange)
  }

  mutating func end(_ totals: ReplayTotals) throws {
    let kind = header.map { " (\($0.format), \($0.profile))" } ?? ""
    try output.write("\(capture.printable())\(kind.printable()): \(Self.line(totals))\n")
    for note in header?.notes ?? [] { try output.write("  note: \(note.printable())\n") }
    for (peer, summary) in peers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try output.write("  peer \(peer): \(summary.text)\n")
    }
  }

  mutating func finish(_ totals: ReplayTotals) throws {
    if captures > 1 { try output.write("all \(captures) captures: \(Self.line(totals))\n") }
    try output.flush()
  }

  mutating func flush() throws {}

  private static func line(_ totals: ReplayTotals) -> String {
    let seconds = String(decimal: totals.seconds, places: 1)
    var text = "\(totals.exchanges) exchanges in \(seconds) s, \(totals.updates) updates"
    text += ", rejected: \(totals.rejected.list())"
    if !totals.fallbacks.isEmpty { text += ", fallbacks: \(totals.fallbacks.list())" }
    return text + ", skipped input: \(totals.skipped.counts.list())"
  }
}

/// What a summary keeps of one peer.
private struct PeerSummary {
  private var updates = 0
  private var outliers = 0
  private var ambiguous = 0
  private var raw = RunningMoments()
  private var calibrated = RunningMoments()
  private var delivered = RunningMoments()
  private var stated = RunningMoments()
  private var chip = RunningMoments()
  private var rawError = RunningMoments()
  private var calibratedError = RunningMoments()
  private var deliveredError = RunningMoments()
  private var normalisedError = RunningMoments()
  private var azimuthError = RunningMoments()
  private var elevationError = RunningMoments()

  mutating func add(
    _ object: NearbyObject, _ tracked: PeerTracker.Output, _ measured: RangingMeasurement,
    _ exchange: RangingExchange
  ) {
    updates += 1
    if tracked.isOutlier { outliers += 1 }
    if measured.directionStatus == .ambiguous { ambiguous += 1 }
    if let distance = measured.rawDistance {
      raw.add(distance)
      if let deviation = measured.rawDistanceDeviation { stated.add(deviation) }
      if let reported = exchange.chipReport?.rawDistance { chip.add(distance - reported) }
    }
    if let distance = measured.calibratedDistance { calibrated.add(distance) }
    if let distance = object.distance { delivered.add(distance) }
    guard let truth = exchange.truth else { return }
    if let known = truth.distance, let distance = measured.rawDistance {
      rawError.add(distance - known)
      if let distance = measured.calibratedDistance { calibratedError.add(distance - known) }
      if let distance = object.distance {
        deliveredError.add(distance - known)
        if let deviation = object.distanceDeviation, deviation > 0 {
          normalisedError.add((distance - known) / deviation)
        }
      }
    }
    if let known = truth.azimuth, let angle = tracked.measurement.azimuth {
      azimuthError.add((angle - known).degrees)
    }
    if let known = truth.elevation, let angle = tracked.measurement.elevation {
      elevationError.add((angle - known).degrees)
    }
  }

  var text: String {
    func metres(_ value: Double) -> String { "\(String(decimal: value, places: 3)) m" }
    func angle(_ value: Double) -> String { "\(String(decimal: value, places: 2))°" }
    var text = "\(updates) updates"
    if raw.count > 0 { text += ", raw distance mean \(metres(raw.mean)), spread \(metres(raw.spread))" }
    if stated.count > 0 { text += ", stated deviation \(metres(stated.mean))" }
    if ambiguous > 0 { text += ", direction ambiguous \(ambiguous)" }
    if outliers > 0 { text += ", outliers \(outliers)" }
    if chip.count > 0 { text += ", minus the chip's raw distance \(metres(chip.mean)) ± \(metres(chip.spread))" }
    for (stage, distance) in [("calibrated", calibrated), ("delivered", delivered)] where distance.count > 0 {
      text += "\n    \(stage) distance mean \(metres(distance.mean)), spread \(metres(distance.spread))"
    }
    if rawError.count > 0 {
      text += "\n    error against the truth: raw rms \(metres(rawError.rms))"
      if calibratedError.count > 0 { text += ", calibrated rms \(metres(calibratedError.rms))" }
      text += ", delivered rms \(metres(deliveredError.rms)), "
      text += "in stated deviations \(String(decimal: normalisedError.rms, places: 2))"
    } else if azimuthError.count + elevationError.count > 0 {
      text += "\n    error against the truth"
    }
    if azimuthError.count > 0 { text += ", azimuth rms \(angle(azimuthError.rms))" }
    if elevationError.count > 0 { text += ", elevation rms \(angle(elevationError.rms))" }
    return text
  }
}
