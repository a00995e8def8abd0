import UWBCapture
import UWBDSP

/// A table with a row for each exchange; absent values are empty. Columns as the fields of `NDJSONOutput`.
struct CSVOutput: ReplayOutput {
  private static let degrees = 180 / Double.pi
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
  private var hasHeader = false
  private var row: [UInt8] = []

  init(_ output: ByteOutput) {
    self.output = output
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    self.capture = capture
  }

  mutating func write(_ event: ReplayEvent) throws {
    if !hasHeader {
      try output.write(Self.columns.joined(separator: ",") + "\n")
      hasHeader = true
    }
    row.removeAll(keepingCapacity: true)
    switch event {
    case .update(let object, let tracked, let raw, let exchange):
      row.append(contentsOf: "update".utf8)
      identify(exchange)
      add(object.distance, 6)
      add(object.distanceDeviation, 6)
      for index in 0..<3 { add(object.direction?[index], 6) }
      let angles = object.direction == nil ? nil : tracked.measurement
      add(degrees(angles?.azimuth), 4)
      add(degrees(angles?.elevation), 4)
      add(degrees(angles?.azimuthDeviation), 4)
      add(degrees(angles?.elevationDeviation), 4)
      if let status = raw.directionStatus { add(status.rawValue) } else { skip(1) }
      add(degrees(angles == nil ? nil : raw.alternativeDirection?.azimuth), 4)
      add(degrees(angles == nil ? nil : raw.alternativeDirection?.elevation), 4)
      add(raw.rawDistance, 6)
      add(raw.rawDistanceDeviation, 6)
      add(raw.calibratedDistance, 6)
      add(raw.calibratedDistanceDeviation, 6)
      add(raw.rangeBias, 6)
      add(raw.rangeBiasDeviation, 6)
      add(object.lineOfSightProbability, 4)
      add(raw.firstPathTaps.poll, 4)
      add(raw.firstPathTaps.response, 4)
      add(raw.firstPathTaps.final, 4)
      add(raw.snrdB, 2)
      add(raw.clockOffsetppm, 4)
      add(raw.clockRejections.flatMap { $0 > 0 ? Double($0) : nil }, 0)
      add(exchange.chipReport?.distance, 6)
      add(exchange.chipReport?.rawDistance, 6)
      add(degrees(exchange.chipReport?.azimuth), 4)
      add(degrees(exchange.chipReport?.elevation), 4)
      add(exchange.truth?.distance, 6)
      add(degrees(exchange.truth?.azimuth), 4)
      add(degrees(exchange.truth?.elevation), 4)
      add(raw.fallback?.rawValue ?? "")
      add(tracked.isOutlier ? "outlier" : "ok")
    case .rejected(let raw, let exchange):
      row.append(contentsOf: "rejected".utf8)
      identify(exchange)
      skip(Self.columns.count - 6)
      add(raw.status.rawValue)
    case .removed(let peer, let time, let reason):
      row.append(contentsOf: "removed".utf8)
      add(capture)
      skip(1)
      add(time, 6)
      add("\(peer)")
      skip(Self.columns.count - 6)
      add(reason.rawValue)
    }
    row.append(UInt8(ascii: "\n"))
    try output.write { $0.append(contentsOf: row) }
  }

  mutating func end(_ totals: ReplayTotals) throws {
    let skipped = totals.skipped.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let lost = skipped.isEmpty ? "" : "; skipped input: \(skipped.joined(separator: ", "))"
    Message.write("\(capture): \(totals.exchanges) exchanges, \(totals.updates) updates\(lost)")
  }

  mutating func finish(_ totals: ReplayTotals) throws {
    try output.flush()
  }

  mutating func flush() throws {
    try output.flush()
  }

  private mutating func identify(_ exchange: RangingExchange) {
    add(capture)
    add(Double(exchange.index), 0)
    add(exchange.time, 6)
    add("\(exchange.peer)")
  }

  private mutating func add(_ value: Double?, _ places: Int) {
    row.append(UInt8(ascii: ","))
    if let value, value.isFinite { row.appendDecimal(value, places: places) }
  }

  private mutating func add(_ value: String) {
    row.append(UInt8(ascii: ","))
    row.appendCSV(value)
  }

  private mutating func skip(_ columns: Int) {
    row.append(contentsOf: repeatElement(UInt8(ascii: ","), count: columns))
  }

  private func degrees(_ radians: Double?) -> Double? {
    radians.map { $0 * Self.degrees }
  }
}
