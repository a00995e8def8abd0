import UWBCapture
import UWBDSP

/// A table with a row for each exchange; absent values are empty. Columns as the fields of `NDJSONOutput`.
struct CSVOutput: ReplayOutput {
  static let columns = [
    "event", "capture", "exchange", "time_s", "peer", "distance_m", "distance_std_m", "direction_x", "direction_y",
    "direction_z", "azimuth_deg", "elevation_deg", "azimuth_std_deg", "elevation_std_deg", "direction_status",
    "alternative_azimuth_deg", "alternative_elevation_deg", "raw_distance_m", "raw_distance_std_m",
    "calibrated_distance_m", "calibrated_distance_std_m", "range_bias_m", "range_bias_std_m",
    "line_of_sight_probability",
    "first_path_taps_poll", "first_path_taps_response", "first_path_taps_final", "snr_db", "clock_offset_ppm",
    "clock_rejections", "chip_distance_m", "chip_raw_distance_m", "chip_azimuth_deg", "chip_elevation_deg",
    "true_distance_m", "true_azimuth_deg", "true_elevation_deg", "fallback", "status",
  ]
  private let output: ByteOutput
  private var capture = ""
  /// As a field.
  private var captureField: [UInt8] = []
  private var peer = PeerText()
  private var hasHeader = false
  private var row: [UInt8] = []
  /// Separators before the next value.
  private var separators = 0

  init(_ output: ByteOutput) {
    self.output = output
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    self.capture = capture
    captureField.removeAll()
    captureField.appendCSV(capture)
  }

  mutating func write(_ event: ReplayEvent) throws {
    if !hasHeader {
      try output.write(Self.columns.joined(separator: ",") + "\n")
      hasHeader = true
    }
    row.removeAll(keepingCapacity: true)
    append(UpdateRow(event))
    row.append(UInt8(ascii: "\n"))
    try output.write { $0.append(contentsOf: row) }
  }

  mutating func end(_ totals: ReplayTotals) throws {
    let lost = totals.skipped.counts.isEmpty ? "" : "; skipped input: \(totals.skipped.counts.list())"
    Message.note("\(capture): \(totals.exchanges) exchanges, \(totals.updates) updates\(lost)")
  }

  mutating func finish(_ totals: ReplayTotals) throws {
    try output.flush()
  }

  mutating func flush() throws {
    try output.flush()
  }

  private mutating func append(_ update: UpdateRow) {
    add(update.event.rawValue)
    beginField()
    row.append(contentsOf: captureField)
    add(update.exchange.map(Double.init), 0)
    add(update.time, 6)
    add(peer[update.peer])
    add(update.distance, 6)
    add(update.distanceDeviation, 6)
    if let direction = update.direction {
      for index in 0..<3 { add(direction[index], 6) }
    } else {
      separators += 3
    }
    add(update.azimuth, 4)
    add(update.elevation, 4)
    add(update.azimuthDeviation, 4)
    add(update.elevationDeviation, 4)
    add(update.directionStatus?.rawValue ?? "")
    add(update.alternativeAzimuth, 4)
    add(update.alternativeElevation, 4)
    add(update.rawDistance, 6)
    add(update.rawDistanceDeviation, 6)
    add(update.calibratedDistance, 6)
    add(update.calibratedDistanceDeviation, 6)
    add(update.rangeBias, 6)
    add(update.rangeBiasDeviation, 6)
    add(update.lineOfSightProbability, 4)
    add(update.firstPathTaps.poll, 4)
    add(update.firstPathTaps.response, 4)
    add(update.firstPathTaps.final, 4)
    add(update.snrDB, 2)
    add(update.clockOffsetPPM, 4)
    add(update.clockRejections.map(Double.init), 0)
    add(update.chipDistance, 6)
    add(update.chipRawDistance, 6)
    add(update.chipAzimuth, 4)
    add(update.chipElevation, 4)
    add(update.trueDistance, 6)
    add(update.trueAzimuth, 4)
    add(update.trueElevation, 4)
    add(update.fallback?.rawValue ?? "")
    add(update.status)
    separators = 0
  }

  /// Writes the separators that stand before a value.
  private mutating func beginField() {
    for _ in 0..<separators { row.append(UInt8(ascii: ",")) }
    separators = 1
  }

  private mutating func add(_ value: Double?, _ places: Int) {
    guard let value, value.isFinite else {
      separators += 1
      return
    }
    beginField()
    row.appendDecimal(value, places: places)
  }

  /// A word or an address: nothing that needs quotes.
  private mutating func add(_ word: String) {
    beginField()
    row.append(contentsOf: word.utf8)
  }
}
