import UWBTypes

/// Writes a capture as JSON, one object a line: the header first, then each exchange with everything it holds, samples as
/// they are stored. Numbers have the shortest decimals that read back as the same number, so nothing is lost but numbers
/// that are not finite; `NDJSONReader` reads it. `Documentation/reference/Captures.md` lists the fields. About 12 kB a CIR of 1016 taps.
public final class NDJSONWriter: CaptureWriter {
  public private(set) var lost = SkippedInput()
  private let output: TextOutput
  private var needsComma = false

  /// Begins the file and writes its first line. A live one is at its name at once.
  public init(path: String, header: CaptureHeader, isLive: Bool = false) throws {
    output = try TextOutput(path: path, isLive: isLive)
    open()
    string("format", NDJSONReader.format)
    number("version", NDJSONReader.version)
    string("profile", header.profile)
    if !header.hasPhase { bool("phase", false) }
    if let array = header.array {
      number("carrier_hz", array.carrier)
      key("antenna_positions_m")
      output.append("[")
      for (index, position) in array.positions.enumerated() {
        if index > 0 { output.append(",") }
        output.append("[")
        for axis in 0..<3 {
          if axis > 0 { output.append(",") }
          value(position[axis])
        }
        output.append("]")
      }
      output.append("]")
    }
    key("notes")
    output.append("[")
    for (index, note) in header.notes.enumerated() {
      if index > 0 { output.append(",") }
      text(note)
    }
    output.append("]")
    close()
    output.append("\n")
    try output.flush()
  }

  public func append(_ exchange: RangingExchange) throws {
    open()
    number("exchange", exchange.index)
    number("time_s", exchange.time)
    string("peer", exchange.peer.description)
    if let local = exchange.local { string("local", local.description) }
    string("initiator", exchange.initiator == .local ? "local" : "peer")
    if exchange.counterBits != 40 { number("counter_bits", exchange.counterBits) }
    message("poll", exchange.poll)
    message("response", exchange.response)
    message("second_poll", exchange.secondPoll)
    message("final", exchange.final)
    numbers("phase_differences_rad", exchange.phaseDifferences)
    if let report = exchange.chipReport {
      key("chip_report")
      open()
      number("distance_m", report.distance)
      number("raw_distance_m", report.rawDistance)
      number("clock_offset_ppm", report.clockOffsetppm)
      number("azimuth_rad", report.azimuth)
      number("elevation_rad", report.elevation)
      close()
    }
    if let ready = exchange.ready.map(SigMFExchange.Ready.init) {
      key("ready_measurement")
      open()
      number("distance_m", ready.distance)
      number("distance_std_m", ready.distanceDeviation)
      angle("azimuth", ready.azimuth)
      angle("elevation", ready.elevation)
      number("line_of_sight_probability", ready.lineOfSightProbability)
      close()
    }
    if exchange.hasFailed { bool("failed", true) }
    numbers("peer_position_m", exchange.peerPosition.map { [$0.x, $0.y, $0.z] })
    if let truth = exchange.truth {
      key("truth")
      open()
      number("distance_m", truth.distance)
      number("azimuth_rad", truth.azimuth)
      number("elevation_rad", truth.elevation)
      if let isLineOfSight = truth.isLineOfSight { bool("line_of_sight", isLineOfSight) }
      close()
    }
    close()
    output.append("\n")
    try output.flush()
  }

  public func finish() throws {
    try output.close()
  }

  private func angle(_ name: StaticString, _ angle: SigMFExchange.Ready.Angle?) {
    guard let angle else { return }
    key(name)
    open()
    number("value_rad", angle.value)
    number("std_rad", angle.deviation)
    number("figure_of_merit", angle.figureOfMerit)
    close()
  }

  private func message(_ name: StaticString, _ message: RangingMessage?) {
    guard let message else { return }
    key(name)
    open()
    number("transmitted_ticks", message.transmitted.map { Int($0.ticks) })
    if let reception = message.reception {
      number("received_ticks", Int(reception.time.ticks))
      number("first_path_taps", reception.chipFirstPathTaps)
      number("preamble_count", reception.preambleCount)
      number("received_power_dbm", reception.receivedPowerdBm)
      number("first_path_power_dbm", reception.firstPathPowerdBm)
      number("noise_threshold", reception.noiseThreshold)
      numbers("first_path_amplitudes", reception.firstPathAmplitudes.map { [$0.x, $0.y, $0.z] })
      number("noise_deviation", reception.noiseDeviation)
      number("carrier_offset_ppm", reception.carrierOffsetppm)
      number("time_tracking_offset_ppm", reception.timeTrackingOffsetppm)
      numbers("antenna_phases_rad", reception.antennaPhases)
      numbers("antenna_first_path_taps", reception.antennaFirstPathTaps)
      if let response = reception.impulseResponse {
        key("cir")
        impulseResponse(response)
      }
      if !reception.stsImpulseResponses.isEmpty {
        key("sts_cirs")
        output.append("[")
        for (index, response) in reception.stsImpulseResponses.enumerated() {
          if index > 0 { output.append(",") }
          impulseResponse(response)
        }
        output.append("]")
      }
    }
    close()
  }

  private func impulseResponse(_ response: ChannelImpulseResponse) {
    open()
    string("samples", response.format == .int16 ? "int16" : "float32")
    key("scale")
    value(response.scale)
    number("tap_spacing_s", response.tapSpacing)
    for (name, part) in [("real" as StaticString, 0), ("imag", 1)] {
      key(name)
      output.append("[")
      for antenna in 0..<response.antennaCount {
        output.append(antenna == 0 ? "[" : ",[")
        response.forEachStoredPart(part, antenna: antenna) { tap, stored in
          if tap > 0 { output.append(",") }
          switch stored {
          case .int16(let sample): output.append(Int(sample))
          case .float32(let sample): value(sample)
          }
        }
        output.append("]")
      }
      output.append("]")
    }
    close()
  }

  // MARK: -

  private func open() {
    output.append("{")
    needsComma = false
  }

  private func close() {
    output.append("}")
    needsComma = true
  }

  private func key(_ name: StaticString) {
    output.append(needsComma ? ",\"" : "\"")
    output.append(name)
    output.append("\":")
    needsComma = true
  }

  private func string(_ name: StaticString, _ value: String) {
    key(name)
    text(value)
  }

  private func bool(_ name: StaticString, _ value: Bool) {
    key(name)
    output.append(value ? "true" : "false")
  }

  // JSON knows no infinity and no NaN: such a number becomes absent.
  private func number(_ name: StaticString, _ number: Double?) {
    guard let number else { return }
    guard number.isFinite else { return lost.add("notFinite") }
    key(name)
    value(number)
  }

  private func numbers(_ name: StaticString, _ numbers: [Double]?) {
    guard let numbers else { return }
    guard numbers.allSatisfy(\.isFinite) else { return lost.add("notFinite") }
    key(name)
    output.append("[")
    for (index, number) in numbers.enumerated() {
      if index > 0 { output.append(",") }
      value(number)
    }
    output.append("]")
  }

  private func number(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    key(name)
    output.append(number)
  }

  private func value(_ number: Double) {
    if number.isFinite { return output.append(number) }
    output.append("null")
    lost.add("notFinite")
  }

  private func value(_ number: Float) {
    if number.isFinite { return output.append(number) }
    output.append("null")
    lost.add("notFinite")
  }

  private func text(_ value: String) {
    output.append("\"")
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""): output.append("\\\"")
      case UInt8(ascii: "\\"): output.append("\\\\")
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        output.append(digits.count == 1 ? "\\u000\(digits)" : "\\u00\(digits)")
      default: output.bytes.append(byte)
      }
    }
    output.append("\"")
  }
}
