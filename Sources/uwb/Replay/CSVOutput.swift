import UWBCapture
import UWBDSP

/// A table with a row for each exchange; absent values are empty. Columns as the fields of `NDJSONOutput`.
struct CSVOutput: ReplayOutput {
  /// What a column is called, and what it holds of a row. A tuple's function would take a copy of each row.
  private struct Column: Sendable {
    let name: StaticString
    let write: @Sendable (inout CSVOutput, UpdateRow) -> Void

    init(_ name: StaticString, _ write: @escaping @Sendable (inout CSVOutput, UpdateRow) -> Void) {
      self.name = name
      self.write = write
    }
  }

  private static let columns: [Column] = [
    .init("event", { $0.add($1.event.rawValue) }), .init("capture", { output, _ in output.add(output.captureField) }),
    .init("exchange", { $0.add($1.exchange.map(Double.init), 0) }), .init("time_s", { $0.add($1.time, 6) }),
    .init("peer", { $0.add($0.peer[$1.peer]) }), .init("distance_m", { $0.add($1.distance, 6) }),
    .init("distance_std_m", { $0.add($1.distanceDeviation, 6) }), .init("direction_x", { $0.add($1.direction?[0], 6) }),
    .init("direction_y", { $0.add($1.direction?[1], 6) }), .init("direction_z", { $0.add($1.direction?[2], 6) }),
    .init("azimuth_deg", { $0.add($1.azimuth, 4) }), .init("elevation_deg", { $0.add($1.elevation, 4) }),
    .init("azimuth_std_deg", { $0.add($1.azimuthDeviation, 4) }),
    .init("elevation_std_deg", { $0.add($1.elevationDeviation, 4) }),
    .init("direction_status", { $0.add($1.directionStatus?.rawValue ?? "") }),
    .init("alternative_azimuth_deg", { $0.add($1.alternativeAzimuth, 4) }),
    .init("alternative_elevation_deg", { $0.add($1.alternativeElevation, 4) }),
    .init("raw_distance_m", { $0.add($1.rawDistance, 6) }),
    .init("raw_distance_std_m", { $0.add($1.rawDistanceDeviation, 6) }),
    .init("calibrated_distance_m", { $0.add($1.calibratedDistance, 6) }),
    .init("calibrated_distance_std_m", { $0.add($1.calibratedDistanceDeviation, 6) }),
    .init("range_bias_m", { $0.add($1.rangeBias, 6) }), .init("range_bias_std_m", { $0.add($1.rangeBiasDeviation, 6) }),
    .init("line_of_sight_probability", { $0.add($1.lineOfSightProbability, 4) }),
    .init("first_path_taps_poll", { $0.add($1.firstPathTaps.poll, 4) }),
    .init("first_path_taps_response", { $0.add($1.firstPathTaps.response, 4) }),
    .init("first_path_taps_final", { $0.add($1.firstPathTaps.final, 4) }), .init("snr_db", { $0.add($1.snrDB, 2) }),
    .init("clock_offset_ppm", { $0.add($1.clockOffsetPPM, 4) }),
    .init("clock_rejections", { $0.add($1.clockRejections.map(Double.init), 0) }),
    .init("chip_distance_m", { $0.add($1.chipDistance, 6) }),
    .init("chip_raw_distance_m", { $0.add($1.chipRawDistance, 6) }),
    .init("chip_azimuth_deg", { $0.add($1.chipAzimuth, 4) }),
    .init("chip_elevation_deg", { $0.add($1.chipElevation, 4) }),
    .init("true_distance_m", { $0.add($1.trueDistance, 6) }), .init("true_azimuth_deg", { $0.add($1.trueAzimuth, 4) }),
    .init("true_elevation_deg", { $0.add($1.trueElevation, 4) }),
    .init("fallback", { $0.add($1.fallback?.rawValue ?? "") }), .init("status", { $0.add($1.status) }),
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
      try output.write(Self.columns.map { "\($0.name)" }.joined(separator: ",") + "\n")
      hasHeader = true
    }
    row.removeAll(keepingCapacity: true)
    let update = UpdateRow(event)
    for column in Self.columns { column.write(&self, update) }
    separators = 0
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

  /// A field as it stands in the file.
  private mutating func add(_ field: [UInt8]) {
    beginField()
    row.append(contentsOf: field)
  }
}
