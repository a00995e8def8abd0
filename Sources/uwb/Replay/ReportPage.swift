import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// `replay --report`: gathers events for the HTML page and writes it at the end.
struct ReportPage {
  private let path: String
  private var report: ReplayReport
  private var capture = ""

  init(path: String, captures: [String]) {
    self.path = path
    let names = CaptureNames.shortest(captures)
    let listed = names.prefix(3).joined(separator: ", ")
    report = ReplayReport(title: names.count > 3 ? "\(listed) and \(names.count - 3) more" : listed)
  }

  mutating func begin(capture: String, header: CaptureHeader, configuration: RangingEngine.Configuration) {
    self.capture = capture
    report.settings.append(
      ReplayReport.Setting(
        capture,
        "format \(header.format), profile \(header.profile), delay \(configuration.delay.rawValue), "
          + "antennas \(configuration.array?.positions.count ?? 1)"))
  }

  mutating func add(_ event: ReplayEvent) {
    switch event {
    case .update(let object, let tracked, let raw, let exchange):
      let angles = object.direction == nil ? nil : tracked.measurement
      report.add(
        ReplayReport.Update(
          capture: capture, peer: "\(exchange.peer)", time: exchange.time, distance: object.distance,
          distanceDeviation: object.distanceDeviation, rawDistance: raw.rawDistance,
          calibratedDistance: raw.calibratedDistance,
          chipDistance: exchange.chipReport?.rawDistance, trueDistance: exchange.truth?.distance,
          azimuth: angles?.azimuth, azimuthDeviation: angles?.azimuthDeviation, trueAzimuth: exchange.truth?.azimuth,
          elevation: angles?.elevation, elevationDeviation: angles?.elevationDeviation,
          trueElevation: exchange.truth?.elevation, snrdB: raw.snrdB, firstPathTaps: raw.firstPathTaps.poll,
          chipFirstPathTaps: exchange.poll.reception?.chipFirstPathTaps,
          lineOfSightProbability: object.lineOfSightProbability))
    case .rejected(let raw, let exchange):
      report.addRejection(
        capture: capture, peer: "\(exchange.peer)", time: exchange.time, reason: raw.status.rawValue)
    case .removed:
      break
    }
  }

  mutating func end(_ totals: ReplayTotals) {
    for (reason, count) in totals.skipped.counts.sorted(by: { $0.key < $1.key }) {
      report.addSkippedInput(reason: reason, count: count)
    }
  }

  func write() throws {
    try OutputFile.write(report.html(), to: path)
  }
}
