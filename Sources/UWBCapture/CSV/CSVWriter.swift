import UWBTypes

/// Writes a capture as a table (RFC 4180): a row for each message, or for each antenna of a message's CIR, with the samples
/// as they are stored in the last columns (`re0,im0,re1,im1,…`; times `scale`, a sample's value). What is absent is empty;
/// numbers of several antennas stand in one field, with blanks between them.
///
/// The columns are those of the first CIR's taps. `lost` counts `antennaPositions` and `notes` of the header,
/// `tapsBeyondColumns` (taps of longer CIRs), `stsSegments`, `profile` (the radio's name), and what exchanges without CIRs hold beside the
/// columns: `readyMeasurement`, `failed`, `peerPosition`.
public final class CSVWriter: CaptureWriter {
  /// The columns before the samples.
  public static let columns = [
    "exchange", "time_s", "peer", "local", "initiator", "message", "transmitted_ticks", "received_ticks",
    "first_path_taps", "preamble_count", "received_power_dbm", "first_path_power_dbm", "noise_threshold",
    "first_path_amplitudes", "noise_deviation", "carrier_offset_ppm", "time_tracking_offset_ppm",
    "antenna_phases_rad", "antenna_first_path_taps", "counter_bits", "phase_differences_rad",
    "chip_distance_m", "chip_raw_distance_m", "chip_clock_offset_ppm", "chip_azimuth_rad", "chip_elevation_rad",
    "true_distance_m", "true_azimuth_rad",
    "true_elevation_rad", "line_of_sight", "samples", "scale", "tap_spacing_s", "tap_count", "antenna",
  ]

  public private(set) var lost = SkippedInput()
  private let output: TextOutput
  private var tapColumns: Int?
  /// Rows that came before the first CIR told the number of columns: exchanges without one.
  private var waiting: [RangingExchange] = []
  private static let maximumWaiting = 4096

  /// Begins the file. A live one is at its name at once.
  public init(path: String, header: CaptureHeader, isLive: Bool = false) throws {
    output = try TextOutput(path: path, isLive: isLive)
    header.countAll(in: &lost)
  }

  public func append(_ exchange: RangingExchange) throws {
    if tapColumns == nil {
      guard let first = exchange.messages.lazy.compactMap({ $0.reception?.impulseResponse }).first else {
        waiting.append(exchange)
        if waiting.count > Self.maximumWaiting { try begin(tapCount: 0) }
        return
      }
      try begin(tapCount: first.tapCount)
    }
    try write(exchange)
  }

  public func finish() throws {
    if tapColumns == nil { try begin(tapCount: 0) }
    try output.close()
  }

  private func begin(tapCount: Int) throws {
    tapColumns = tapCount
    output.append(Self.columns.joined(separator: ","))
    for tap in 0..<tapCount { output.append(",re\(tap),im\(tap)") }
    output.append("\r\n")
    for exchange in waiting { try write(exchange) }
    waiting = []
  }

  private func write(_ exchange: RangingExchange) throws {
    if exchange.ready != nil { lost.add("readyMeasurement") }
    if exchange.hasFailed { lost.add("failed") }
    if exchange.peerPosition != nil { lost.add("peerPosition") }
    for (name, message) in exchange.namedMessages {
      let response = message.reception?.impulseResponse
      message.countStsSegments(in: &lost)
      for antenna in 0..<(response?.antennaCount ?? 1) {
        row(exchange, name.rawValue, message, response, antenna: antenna)
      }
      if let response, let tapColumns, response.tapCount > tapColumns {
        lost.add("tapsBeyondColumns", count: (response.tapCount - tapColumns) * response.antennaCount)
      }
    }
    try output.flush()
  }

  private func row(
    _ exchange: RangingExchange, _ name: String, _ message: RangingMessage,
    _ response: ChannelImpulseResponse?, antenna: Int
  ) {
    output.append(exchange.index)
    add(exchange.time)
    add(exchange.peer.description)
    add(exchange.local?.description)
    add(exchange.initiator == .local ? "local" : "peer")
    add(name)
    add(message.transmitted.map { Int($0.ticks) })
    let reception = message.reception
    add((reception?.time.ticks).map { Int($0) })
    add(reception?.chipFirstPathTaps)
    add(reception?.preambleCount)
    add(reception?.receivedPowerdBm)
    add(reception?.firstPathPowerdBm)
    add(reception?.noiseThreshold)
    add(reception?.firstPathAmplitudes.map { [$0.x, $0.y, $0.z] })
    add(reception?.noiseDeviation)
    add(reception?.carrierOffsetppm)
    add(reception?.timeTrackingOffsetppm)
    add(reception?.antennaPhases)
    add(reception?.antennaFirstPathTaps)
    add(exchange.counterBits)
    add(exchange.phaseDifferences)
    add(exchange.chipReport?.distance)
    add(exchange.chipReport?.rawDistance)
    add(exchange.chipReport?.clockOffsetppm)
    add(exchange.chipReport?.azimuth)
    add(exchange.chipReport?.elevation)
    add(exchange.truth?.distance)
    add(exchange.truth?.azimuth)
    add(exchange.truth?.elevation)
    add(exchange.truth?.isLineOfSight.map { $0 ? "1" : "0" })
    add(response.map { $0.format == .int16 ? "int16" : "float32" })
    output.append(",")
    if let response { output.append(response.scale) }
    add(response?.tapSpacing)
    add(response?.tapCount)
    add(response.map { _ in antenna })
    samples(response, antenna: antenna)
    output.append("\r\n")
  }

  private func samples(_ response: ChannelImpulseResponse?, antenna: Int) {
    let columns = tapColumns ?? 0
    guard let response else {
      for _ in 0..<2 * columns { output.append(",") }
      return
    }
    let real = response.stored(antenna: antenna, part: 0)
    let imaginary = response.stored(antenna: antenna, part: 1)
    for tap in 0..<columns {
      for part in [real, imaginary] {
        output.append(",")
        guard tap < part.count else { continue }
        switch part[tap] {
        case .int16(let sample): output.append(Int(sample))
        case .float32(let sample): output.append(sample)
        }
      }
    }
  }

  private func add(_ value: Double?) {
    output.append(",")
    guard let value else { return }
    if value.isFinite { output.append(value) } else { lost.add("notFinite") }
  }

  private func add(_ values: [Double]?) {
    output.append(",")
    guard let values else { return }
    guard values.allSatisfy(\.isFinite) else { return lost.add("notFinite") }
    for (index, value) in values.enumerated() {
      if index > 0 { output.append(" ") }
      output.append(value)
    }
  }

  private func add(_ value: Int?) {
    output.append(",")
    if let value { output.append(value) }
  }

  private func add(_ value: String?) {
    output.append(",")
    if let value { output.append(value) }
  }
}

extension ChannelImpulseResponse {
  fileprivate func stored(antenna: Int, part: Int) -> [StoredPart] {
    var parts: [StoredPart] = []
    parts.reserveCapacity(tapCount)
    forEachStoredPart(part, antenna: antenna) { parts.append($1) }
    return parts
  }
}
