import UWBCapture
import UWBDSP
import UWBReport

/// `--report` of `inspect`: each CIR of one exchange with its first paths, levels, fitted pulse, and all paths that were found.
struct InspectPage {
  let capture: String
  let header: CaptureHeader
  let exchange: RangingExchange
  let measurement: RangingMeasurement
  let engine: RangingEngine
  let text: ExchangeText
  /// Whose CIR is shown first.
  let message: String

  private struct Drawn {
    var name: String
    var picture: ImpulseResponsePicture
    var rows: [PathRow]
  }

  func write(to file: ReportFile) throws {
    try file.write(
      notes: [0: ReportFile.note(header, engine.configuration.profile.name)],
      facts: [.estimators([engine.configuration.delay])], page)
  }

  private func page(_ provenance: [Page.Fact]) -> Page {
    let drawn = drawn
    var page = Page(
      title: "Exchange \(exchange.index) of \(capture)", sentence: sentence(drawn.first), provenance: provenance)
    if let first = drawn.first {
      page.lead = Self.charts(first.picture)
      page.sections.append(.init("Paths of \(first.name)", [Self.table(first.rows)]))
    } else {
      page.picture = distances
    }
    for other in drawn.dropFirst() {
      page.sections.append(.init(other.name, [.charts(Self.charts(other.picture)), Self.table(other.rows)]))
    }
    page.sections.append(
      .init("What the capture holds", [.listing("All of it, as in the terminal", lines: text.lines)]))
    return page
  }

  /// The CIR of the chosen message first.
  private var drawn: [Drawn] {
    let finder = PathFinder(engine, capture: "", kind: .csv, listsPaths: false, keepsRows: true)
    let rows = finder.find(in: exchange).rows
    var all: [Drawn] = []
    for (name, sent) in exchange.namedMessages {
      guard var reception = sent.reception else { continue }
      func add(_ segment: String) {
        guard let response = reception.impulseResponse else { return }
        let own = rows.filter { $0.message == name.rawValue && $0.segment == segment }
        let title = name.text + (segment == "preamble" ? "" : ", \(segment)")
        let picture = ImpulseResponseDrawing(
          capture: capture, exchange: exchange.index, message: title, reception: reception, response: response,
          engine: engine
        ).picture
        let drawing = Drawn(name: title, picture: picture, rows: own)
        if name.rawValue == message, segment == "preamble" { all.insert(drawing, at: 0) } else { all.append(drawing) }
      }
      add("preamble")
      let segments = reception.stsImpulseResponses
      reception.chipFirstPathTaps = nil
      for (index, response) in segments.enumerated() {
        reception.impulseResponse = response
        add("sts\(index + 1)")
      }
    }
    return all
  }

  private static func charts(_ picture: ImpulseResponsePicture) -> PageCharts {
    var panels = picture.panels
    for place in panels.indices {
      if let later = panels[place].lines.firstIndex(where: { $0.label == nil }) {
        panels[place].lines[later].label = "later paths"
      }
    }
    return PageCharts(panels, isBeside: true)
  }

  private static func table(_ rows: [PathRow]) -> Page.Block {
    var table = EvaluationTable(
      name: "paths by their delay",
      columns: ["antenna", "path", "taps", "std_taps", "std_m", "amplitude", "phase_deg", "status"])
    for row in rows {
      for (index, path) in row.estimate.paths.enumerated() {
        table.add([
          .count(row.antenna), .count(index + 1), .number(path.delayTaps, places: 4),
          .number(path.deviationTaps, places: 4), .number(path.deviationTaps * row.metresPerTap, places: 4),
          .size(path.amplitude.length, digits: 4), .number(path.amplitude.phase.degrees, places: 1),
          .text(row.status.rawValue),
        ])
      }
      if row.estimate.paths.isEmpty {
        table.add(
          [.count(row.antenna), .count(0)] + (0..<5).map { _ in .number(nil, places: 0) } + [.text(row.status.rawValue)]
        )
      }
    }
    return .table(PageTable(table))
  }

  private func sentence(_ first: Drawn?) -> String {
    var text = "With peer \(exchange.peer) at \(String(decimal: exchange.time, places: 3)) s: "
    if measurement.status == .ok, let distance = measurement.rawDistance {
      text += "raw distance \(String(decimal: distance, places: 3)) m"
      text += measurement.rawDistanceDeviation.map { " ± \(String(decimal: $0, places: 3)) m" } ?? ""
    } else {
      text += "no distance (\(measurement.status.rawValue))"
    }
    text += exchange.truth?.distance.map { ", true \(String(decimal: $0, places: 3)) m." } ?? "."
    if let first { text += " CIR of the \(first.name): \(first.picture.firstPathText ?? "no first path")" }
    if let snr = first?.picture.snrdB { text += ", SNR \(String(decimal: snr, places: 1)) dB" }
    return first == nil ? text : text + "."
  }

  /// Where there is no CIR to draw.
  private var distances: PagePicture? {
    let truth = exchange.truth?.distance
    return PagePicture(
      "Distances of the exchange.", unit: "m",
      bars: [
        .init("raw", value: measurement.rawDistance, deviation: measurement.rawDistanceDeviation, mark: truth),
        .init(
          "calibrated", value: measurement.calibratedDistance, deviation: measurement.distanceDeviation, mark: truth),
        .init("chip's own", value: exchange.chipReport?.rawDistance ?? exchange.chipReport?.distance, mark: truth),
      ], caption: "Dot and bar: the distance, and where it is with 95 %. Upright line: the truth.")
  }
}
