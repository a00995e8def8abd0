import UWBCapture
import UWBDSP
import UWBReport

/// `--report` of `replay` and `merge`: gathers events for the page and writes it at the end.
struct ReplayPage {
  private let file: ReportFile
  private let title: String
  private var report = ReplayReport()
  private var capture = ""
  private var place = -1
  private var notes: [Int: String] = [:]
  /// What gave first paths and directions, and for how many exchanges.
  private var work: [String: Int] = [:]
  private var delay: DelayMethod?
  private var angle = AngleMethod.none
  private var remark: String?

  init?(_ file: ReportFile?, captures: [String], remark: String? = nil) {
    guard let file else { return nil }
    self.file = file
    self.remark = remark
    title = ReportFile.title(of: captures)
  }

  mutating func begin(capture: String, header: CaptureHeader, configuration: RangingEngine.Configuration?, place: Int) {
    self.capture = capture
    self.place = place
    delay = configuration?.delay
    angle = configuration?.angle ?? .none
    notes[place] = ReportFile.note(header, configuration?.profile.name)
  }

  mutating func add(_ event: ReplayEvent) {
    switch event {
    case .update(let object, let tracked, let raw, let exchange):
      var update = measured(raw, exchange)
      let angles = object.direction == nil ? nil : tracked.measurement
      (update.distance, update.distanceDeviation) = (object.distance, object.distanceDeviation)
      (update.azimuth, update.azimuthDeviation) = (angles?.azimuth, angles?.azimuthDeviation)
      (update.elevation, update.elevationDeviation) = (angles?.elevation, angles?.elevationDeviation)
      update.lineOfSightProbability = object.lineOfSightProbability
      report.add(update)
      if tracked.isOutlier { mark("outlier: the tracker does not follow it", update) }
      if let fallback = raw.fallback { mark("first path by \(fallback.rawValue) instead", update) }
      addImpulseResponse(exchange, update)
      note(raw, exchange)
    case .rejected(let raw, let exchange):
      report.addRejection(
        capture: capture, peer: "\(exchange.peer)", exchange: exchange.index, time: exchange.time,
        reason: raw.status.rawValue)
      addImpulseResponse(exchange, measured(raw, exchange))
    case .removed(let peer, let time, let reason):
      report.addEvent(capture: capture, peer: "\(peer)", time: time, name: "peer removed: \(reason.rawValue)")
    }
  }

  private mutating func mark(_ name: String, _ update: ReplayReport.Update) {
    report.addEvent(capture: capture, peer: update.peer, exchange: update.exchange, time: update.time, name: name)
  }

  private func measured(_ raw: RangingMeasurement, _ exchange: RangingExchange) -> ReplayReport.Update {
    var update = ReplayReport.Update(
      capture: capture, peer: "\(exchange.peer)", exchange: exchange.index, time: exchange.time)
    (update.rawDistance, update.calibratedDistance) = (raw.rawDistance, raw.calibratedDistance)
    update.chipDistance = exchange.chipReport?.rawDistance ?? exchange.chipReport?.distance
    update.chipAzimuth = exchange.chipReport?.azimuth
    (update.trueDistance, update.trueAzimuth) = (exchange.truth?.distance, exchange.truth?.azimuth)
    (update.trueElevation, update.isLineOfSight) = (exchange.truth?.elevation, exchange.truth?.isLineOfSight)
    (update.snrdB, update.clockOffsetPPM) = (raw.snrdB, raw.clockOffsetppm)
    let paths = raw.firstPathTaps
    for (taps, message) in [
      (paths.poll, exchange.poll), (paths.response, exchange.response), (paths.final, exchange.final),
    ] {
      guard update.firstPathTaps == nil, let taps else { continue }
      update.firstPathTaps = taps
      update.chipFirstPathTaps = message?.reception?.usableChipFirstPathTaps
    }
    if update.firstPathTaps == nil {
      update.chipFirstPathTaps = exchange.receptionsWithImpulseResponse.first?.usableChipFirstPathTaps
    }
    return update
  }

  /// The first reception that holds a CIR, on its first antenna.
  private mutating func addImpulseResponse(_ exchange: RangingExchange, _ update: ReplayReport.Update) {
    guard let reception = exchange.receptionsWithImpulseResponse.first, let response = reception.impulseResponse else {
      return
    }
    report.addImpulseResponse(of: update, tapSpacing: response.tapSpacing) { response.magnitudes(taps: $0) }
  }

  /// What was really at work: not every exchange holds what the configured estimators need.
  private mutating func note(_ raw: RangingMeasurement, _ exchange: RangingExchange) {
    func add(_ name: String) { work[name, default: 0] += 1 }
    if raw.rawDistance != nil {
      if exchange.ready?.distance != nil {
        add("distance: the radio's own")
      } else if exchange.receptionsWithImpulseResponse.isEmpty {
        add(raw.firstPathTaps == FirstPaths() ? "distance: as the capture holds it" : "first path: the chip's own")
      } else {
        let used = raw.fallback?.method ?? delay
        add(
          "first path: " + (used.map { "\($0.name), \($0.summary)" } ?? "as measured by the shards")
        )
      }
    }
    if raw.direction != nil {
      if exchange.phaseDifferences != nil {
        add("direction: from the chip's phase differences, by the board's manifold or the array's geometry")
      } else if exchange.ready?.azimuth != nil {
        add("direction: the radio's own")
      } else {
        add("direction: \(angle.rawValue), \(EstimatorsCommand.text(angle))")
      }
    }
  }

  mutating func end(_ totals: ReplayTotals) {
    for (reason, count) in totals.skipped.counts.sorted(by: { $0.key < $1.key }) {
      report.addSkippedInput(reason: reason, count: count)
    }
  }

  func write() throws {
    let work = work.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\($0.value) exchanges)" }
    var facts = [Page.Fact("Estimators at work", list: work.isEmpty ? ["none: no exchange gave a value"] : work)]
    if let remark { facts.append(.init("Note", remark)) }
    try file.write(notes: notes, facts: facts) { report.page(of: title, provenance: $0) }
  }
}

extension ChannelImpulseResponse {
  /// On one antenna; NaN outside the accumulator.
  func magnitudes(antenna: Int = 0, taps: Range<Int>) -> [Float] {
    let inside = taps.clamped(to: 0..<tapCount)
    let samples = antenna < antennaCount ? self.samples(antenna: antenna) : []
    return taps.map { inside.contains($0) && $0 < samples.count ? samples[$0].length : .nan }
  }
}
