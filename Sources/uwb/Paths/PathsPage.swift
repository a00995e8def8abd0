import UWBCapture
import UWBDSP
import UWBReport

/// `--report` of `paths`: gathers rows for the page and writes it at the end.
struct PathsPage {
  private let file: ReportFile
  private let title: String
  private var report = PathsReport()
  private var notes: [Int: String] = [:]
  private var methods: [DelayMethod] = []

  init?(_ file: ReportFile?, captures: [String]) {
    guard let file else { return nil }
    self.file = file
    title = "First paths of \(ReportFile.title(of: captures))"
  }

  mutating func begin(_ header: CaptureHeader, _ engine: RangingEngine, place: Int) {
    notes[place] = ReportFile.note(header, engine.configuration.profile.name)
    let method = engine.configuration.delay
    if !methods.contains(method) { methods.append(method) }
  }

  mutating func add(_ rows: [PathRow]) {
    for row in rows {
      let message = row.message == "second_poll" ? "second poll" : row.message
      let segment = row.segment == "preamble" ? "" : " \(row.segment)"
      var own = PathsReport.Row(
        capture: row.capture, series: "\(message)\(segment), antenna \(row.antenna)", exchange: row.exchange,
        time: row.time)
      own.problem = row.status == .ok ? nil : row.status.rawValue
      (own.firstPathTaps, own.deviationTaps, own.deviation) = (row.firstPathTaps, row.deviationTaps, row.deviation)
      (own.chipFirstPathTaps, own.amplitude) = (row.chipFirstPathTaps, row.amplitude)
      (own.snrdB, own.lineOfSightProbability) = (row.estimate.snrdB, row.lineOfSightProbability)
      report.add(own, tapSpacing: row.response?.tapSpacing ?? UWB.tap) { taps in
        row.response?.magnitudes(antenna: row.antenna, taps: taps) ?? taps.map { _ in .nan }
      }
    }
  }

  mutating func end(skipped: SkippedInput) {
    for (reason, count) in skipped.counts { report.addSkippedInput(reason: reason, count: count) }
  }

  func write() throws {
    try file.write(notes: notes, facts: [.estimators(methods)]) { report.page(of: title, provenance: $0) }
  }
}
