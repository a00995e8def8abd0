import UWBCapture
import UWBDSP

/// One exchange in words: everything that the capture holds of it, and what the engine makes of it.
struct ExchangeText {
  let header: CaptureHeader
  let exchange: RangingExchange
  let measurement: RangingMeasurement
  let engine: RangingEngine

  var text: String { lines.joined(separator: "\n") }

  /// Printable.
  var lines: [String] {
    var lines: [String] = []
    lines.append("exchange \(exchange.index) at \(decimal(exchange.time, 6)) s (\(header.format), \(header.profile))")
    lines.append(
      "  peer \(exchange.peer)\(exchange.local.map { ", local \($0)" } ?? ""), polled by the \(exchange.initiator)")
    for (name, message) in exchange.namedMessages { lines += messageLines(name.text, message) }
    if let chip = exchange.chipReport {
      lines.append(
        "  chip: distance \(metres(chip.distance)), raw \(metres(chip.rawDistance)), "
          + "clock offset \(optional(chip.clockOffsetppm, 3)) ppm")
    }
    lines += measurementLines
    lines += pathLines
    if let truth = exchange.truth {
      lines.append(
        "  truth: distance \(metres(truth.distance)), azimuth \(angle(truth.azimuth)), "
          + "elevation \(angle(truth.elevation)), line of sight \(truth.isLineOfSight.map { $0 ? "yes" : "no" } ?? "–")"
      )
    }
    return lines.map { $0.printable() }
  }

  private func messageLines(_ name: String, _ message: RangingMessage) -> [String] {
    var lines = ["  \(name): sent \(message.transmitted.map { "\($0)" } ?? "–")"]
    guard let reception = message.reception else { return lines }
    lines[0] += ", received \(reception.time)"
    var details: [String] = []
    if let taps = reception.chipFirstPathTaps { details.append("chip's first path \(decimal(taps, 4)) taps") }
    if let count = reception.preambleCount { details.append("\(count) preamble symbols") }
    if let power = reception.receivedPowerdBm { details.append("received \(decimal(power, 2)) dBm") }
    if let power = reception.firstPathPowerdBm { details.append("first path \(decimal(power, 2)) dBm") }
    if let threshold = reception.noiseThreshold { details.append("chip's noise threshold \(threshold)") }
    if let response = reception.impulseResponse {
      details.append("CIR \(response.antennaCount) × \(response.tapCount) taps")
    }
    if !details.isEmpty { lines.append("    \(details.joined(separator: ", "))") }
    return lines
  }

  private var measurementLines: [String] {
    guard measurement.status == .ok else { return ["  engine: \(measurement.status.rawValue)"] }
    var lines = [
      "  engine: raw distance \(metres(measurement.rawDistance)) ± \(metres(measurement.rawDistanceDeviation)), "
        + calibrated
        + "SNR \(optional(measurement.snrdB, 1)) dB, clock offset \(optional(measurement.clockOffsetppm, 3)) ppm"
    ]
    let paths = measurement.firstPathTaps
    lines.append(
      "    first path, taps: poll \(optional(paths.poll, 4)), response \(optional(paths.response, 4)), "
        + "final \(optional(paths.final, 4))")
    if let part = expectedPart {
      lines.append(
        "    \(part < 0 ? "" : "+")\(metres(part)) of the distance for receptions without a CIR: their chip is expected to be off as this one is"
      )
    }
    if measurement.direction != nil {
      lines.append(
        "    azimuth \(angle(measurement.azimuth)) ± \(angle(measurement.azimuthDeviation)), "
          + "elevation \(angle(measurement.elevation)) ± \(angle(measurement.elevationDeviation))")
    }
    return lines
  }

  /// What the distance has of timestamps that are moved though their CIRs are not here, m; `nil` where that is less than a millimetre.
  private var expectedPart: Double? {
    var configuration = engine.configuration
    configuration.profile.missesFirstPaths = false
    let without = RangingPipeline(RangingEngine(configuration), tracking: nil).measure(exchange).rawDistance
    guard let whole = measurement.rawDistance, let without, abs(whole - without) > 0.001 else { return nil }
    return whole - without
  }

  /// The rows of `uwb paths --paths --output table`.
  private var pathLines: [String] {
    let finder = PathFinder(engine, capture: "", kind: nil, listsPaths: true)
    let rows = String(decoding: finder.find(in: exchange).text, as: UTF8.self)
    guard !rows.isEmpty else { return [] }
    return ["  paths in its CIRs:", "  \(PathRow.tableHeading)"] + rows.split(separator: "\n").map { "  \($0)" }
  }

  /// Nothing is delivered of one exchange alone: that takes those before it.
  private var calibrated: String {
    guard let distance = measurement.calibratedDistance else { return "" }
    return "calibrated \(metres(distance)) ± \(metres(measurement.distanceDeviation)), "
  }

  private func decimal(_ value: Double, _ places: Int) -> String { String(decimal: value, places: places) }
  private func optional(_ value: Double?, _ places: Int) -> String { value.map { decimal($0, places) } ?? "–" }
  private func metres(_ value: Double?) -> String { value.map { "\(decimal($0, 4)) m" } ?? "–" }
  private func angle(_ value: Double?) -> String { value.map { "\(decimal($0.degrees, 2))°" } ?? "–" }
}
