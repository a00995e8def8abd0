import Numerics
import UWBDSP

/// The first path on one antenna of one CIR: what a row of `uwb paths` tells.
package struct PathRow: Sendable {
  var capture = ""
  var exchange = 0
  var time = 0.0
  var peer = ""
  /// Which frame of the exchange was received.
  var message = ""
  /// `preamble`, or `sts1` and on.
  var segment = ""
  package var antenna: Int
  package var estimate: DelayEstimate
  /// First path of all antennas together, taps.
  package var commonTaps: Double?
  var chipFirstPathTaps: Double?
  /// The chip's own index stands in for an estimate.
  var isChips: Bool
  package var lineOfSightProbability: Double?
  var metresPerTap: Double
  /// What it was found in, where that is kept.
  var response: ChannelImpulseResponse?

  /// - Parameter paths: what `engine` found in `reception`, which holds a CIR.
  init(_ paths: ReceptionPaths, antenna: Int, of reception: Reception, by engine: RangingEngine) {
    self.antenna = antenna
    estimate = paths.antennas[antenna]
    commonTaps = paths.delayTaps
    chipFirstPathTaps = reception.chipFirstPathTaps(antenna: antenna)
    isChips = engine.configuration.delay == .chip
    lineOfSightProbability = paths.lineOfSightProbability
    metresPerTap = (reception.impulseResponse?.tapSpacing ?? UWB.tap) * engine.configuration.propagationSpeed
  }

  private var first: PathEstimate? { estimate.firstPath }
  package var amplitude: Double? { first.map { $0.amplitude.length } }
  package var phase: Double? { first.map { $0.amplitude.phase.degrees } }
  package var phaseDeviation: Double? { first.map { $0.phaseDeviation.degrees } }
  package var noiseDeviation: Double? { estimate.noiseVariance > 0 ? estimate.noiseVariance.squareRoot() : nil }
  package var firstPathTaps: Double? { isChips ? chipFirstPathTaps : first?.delayTaps }
  package var deviationTaps: Double? { isChips ? nil : first?.deviationTaps }
  package var deviation: Double? { deviationTaps.map { $0 * metresPerTap } }
  package var status: DelayStatus { isChips ? (chipFirstPathTaps == nil ? .noFirstPath : .ok) : estimate.status }

  /// All paths by delay, degrees for the phase.
  private var pathList: [UInt8] {
    var text = [UInt8(ascii: "[")]
    for (index, path) in estimate.paths.enumerated() {
      text.append(contentsOf: (index > 0 ? ",[" : "[").utf8)
      text.appendDecimal(path.delayTaps, places: 4)
      text.append(UInt8(ascii: ","))
      text.appendDecimal(path.deviationTaps, places: 4)
      text.append(UInt8(ascii: ","))
      text.appendDecimal(path.amplitude.length, digits: 6)
      text.append(UInt8(ascii: ","))
      text.appendDecimal(path.amplitude.phase.degrees, places: 2)
      text.append(UInt8(ascii: "]"))
    }
    text.append(UInt8(ascii: "]"))
    return text
  }
}

extension PathRow {
  /// A field of ndjson, a column of CSV (`Documentation/reference/CommandLine.md`).
  struct Field: Sendable {
    let name: StaticString
    let cell: @Sendable (PathRow) -> EvaluationTable.Cell

    init(_ name: StaticString, _ cell: @escaping @Sendable (PathRow) -> EvaluationTable.Cell) {
      (self.name, self.cell) = (name, cell)
    }
  }

  static func fields(listsPaths: Bool) -> [Field] {
    fields + (listsPaths ? [Field("paths") { .json($0.pathList) }] : [])
  }

  private static let fields = [
    Field("capture") { .text($0.capture) },
    Field("exchange") { .count($0.exchange) },
    Field("time_s") { .number($0.time, places: 6) },
    Field("peer") { .text($0.peer) },
    Field("message") { .text($0.message) },
    Field("segment") { .text($0.segment) },
    Field("antenna") { .count($0.antenna) },
    Field("status") { .text($0.status.rawValue) },
    Field("first_path_taps") { .number($0.firstPathTaps, places: 4) },
    Field("first_path_std_taps") { .number($0.deviationTaps, places: 4) },
    Field("first_path_std_m") { .number($0.deviation, places: 6) },
    Field("common_first_path_taps") { .number($0.commonTaps, places: 4) },
    Field("chip_first_path_taps") { .number($0.chipFirstPathTaps, places: 4) },
    Field("amplitude") { .size($0.amplitude, digits: 6) },
    Field("phase_deg") { .number($0.phase, places: 2) },
    Field("phase_std_deg") { .number($0.phaseDeviation, places: 2) },
    Field("snr_db") { .number($0.estimate.snrdB, places: 2) },
    Field("noise_std") { .size($0.noiseDeviation, digits: 6) },
    Field("line_of_sight_probability") { .number($0.lineOfSightProbability, places: 4) },
  ]
}

extension PathRow {
  private typealias Column = (title: String, width: Int)

  /// Together 77 characters with the blanks between them.
  private static let columns: [Column] = [
    ("exch", 7), ("message", 8), ("ant", 3), ("taps", 9), ("± taps", 6), ("± m", 6), ("ampl.", 8), ("phase", 5),
    ("SNR", 4), ("LoS", 4), ("chip", 7),
  ]

  static var tableHeading: String { line(columns.map(\.title)) }

  /// For people: a line, and one for each later path if they are listed.
  func tableLines(listsPaths: Bool) -> [String] {
    let name = message == "second_poll" ? "2nd poll" : message
    let start = ["\(exchange)", segment == "preamble" ? name : "  \(segment)", "\(antenna)"]
    guard let first, status == .ok || status == .didNotConverge else {
      return [Self.line(start) + " \(status.rawValue)"]
    }
    var cells = start
    cells += [String(decimal: firstPathTaps, places: 3), String(decimal: deviationTaps, places: 3)]
    cells += [String(decimal: deviation, places: 4)] + Self.amplitude(first)
    cells += [
      String(decimal: estimate.snrdB, places: 1), String(decimal: lineOfSightProbability, places: 2),
      String(decimal: chipFirstPathTaps, places: 3),
    ]
    var lines = [Self.line(cells) + (status == .ok ? "" : " \(status.rawValue)")]
    guard listsPaths else { return lines }
    for (index, path) in estimate.paths.enumerated().dropFirst() {
      let place = ["", "path \(index + 1)", "", String(decimal: path.delayTaps, places: 3)]
      let deviation = [
        String(decimal: path.deviationTaps, places: 3), String(decimal: path.deviationTaps * metresPerTap, places: 4),
      ]
      lines.append(Self.line(place + deviation + Self.amplitude(path)))
    }
    return lines
  }

  private static func amplitude(_ path: PathEstimate) -> [String] {
    [
      String(decimal: path.amplitude.length, digits: 4),
      String(decimal: path.amplitude.phase.degrees, places: 0) + "°",
    ]
  }

  /// Numbers to the right.
  private static func line(_ cells: [String]) -> String {
    zip(cells, columns).map { cell, column in
      column.title == "message" ? cell.padded(to: column.width) : cell.indented(to: column.width)
    }.joined(separator: " ")
  }
}

extension Reception {
  /// The chip's own first path in an antenna's row, taps.
  fileprivate func chipFirstPathTaps(antenna: Int) -> Double? {
    guard let taps = antennaFirstPathTaps, antenna < taps.count else { return chipFirstPathTaps }
    return taps[antenna]
  }
}
