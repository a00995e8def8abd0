import UWBTypes

/// Makes receptions of the records of Bregar's multi-room set, one JSON object each.
struct BregarRecord {
  /// Whether the chip's first path lay outside of the CIR.
  private(set) var isFirstPathOutside = false
  private var real: [Float] = []
  private var imaginary: [Float] = []
  private var pool = TapStoragePool()

  /// What the object says, as far as it was there.
  private struct Fields {
    var record = CIRRecord()
    var tag: Int?
    var anchor: Int?
    var range: Double?
    var obstructed: Int?
    var amplitudes: [Double?] = [nil, nil, nil]
    /// Of tag and anchor, m.
    var places: [Double?] = [nil, nil, nil, nil, nil, nil]
    var isPresent: Bool { tag != nil || anchor != nil || range != nil || record.firstPathTaps != nil }
  }

  /// `nil` where the object is damaged, or no such record.
  mutating func reception(_ bytes: UnsafeRawBufferPointer) -> CIRRecord? {
    var fields = Fields()
    var cursor = JSONCursor(bytes)
    real.removeAll(keepingCapacity: true)
    imaginary.removeAll(keepingCapacity: true)
    let isWhole = cursor.object { key, cursor in
      if key.matches("cir") { return samples(&cursor) }
      return Self.take(key, &cursor, &fields) ?? cursor.skipValue()
    }
    guard isWhole, cursor.isAtEnd(), fields.isPresent else { return nil }
    return record(fields)
  }

  private mutating func record(_ fields: Fields) -> CIRRecord? {
    var record = fields.record
    record.peer = DeviceAddress(rawValue: UInt64(fields.anchor ?? 0))
    record.local = fields.tag.map { DeviceAddress(rawValue: UInt64($0)) }
    record.chipReport = fields.range.map { ChipReport(distance: $0) }
    let amplitudes = fields.amplitudes.compactMap { $0 }
    if amplitudes.count == 3 { record.firstPathAmplitudes = SIMD3(amplitudes[0], amplitudes[1], amplitudes[2]) }
    let places = fields.places.compactMap { $0 }
    var truth = GroundTruth(isLineOfSight: fields.obstructed.map { $0 == 0 })
    if places.count == 6 {
      let difference = SIMD3(places[0] - places[3], places[1] - places[4], places[2] - places[5])
      truth.distance = difference.length
    }
    if truth != GroundTruth() { record.truth = truth }
    isFirstPathOutside = false
    guard !real.isEmpty else { return record }
    record.impulseResponse = ChannelImpulseResponse(
      storage: pool.storage(real: real, imaginary: imaginary), format: .float32, tapCount: real.count,
      scale: 1 / Float(record.preambleCount ?? 1))
    if let first = record.firstPathTaps, !(0..<Double(real.count)).contains(first) {
      isFirstPathOutside = true
      record.firstPathTaps = nil
    }
    return record
  }

  /// Whether the field's value could be read; `nil` where it is none that an exchange has a place for.
  private static func take(_ key: JSONCursor.Key, _ cursor: inout JSONCursor, _ fields: inout Fields) -> Bool? {
    let addresses = 0...65_535
    if key.matches("tag_id") { return cursor.read(&fields.tag) { $0.integer(in: addresses) } }
    if key.matches("anchor_id") { return cursor.read(&fields.anchor) { $0.integer(in: addresses) } }
    if key.matches("nlos") { return cursor.read(&fields.obstructed) { $0.integer(in: 0...1) } }
    if key.matches("range") { return cursor.read(&fields.range) { $0.number(in: CaptureLimits.distance) } }
    if key.matches("fp_index") {
      return cursor.read(&fields.record.firstPathTaps) { $0.number(in: CaptureLimits.taps) }
    }
    if key.matches("rss") { return cursor.read(&fields.record.receivedPowerdBm) { $0.number(in: CaptureLimits.power) } }
    if key.matches("rss_fp") {
      return cursor.read(&fields.record.firstPathPowerdBm) { $0.number(in: CaptureLimits.power) }
    }
    if key.matches("stdev_noise") {
      return cursor.read(&fields.record.noiseDeviation) { $0.number(in: CaptureLimits.amplitude) }
    }
    if key.matches("max_noise") { return cursor.read(&fields.record.noiseThreshold) { $0.integer(in: addresses) } }
    if key.matches("rxpacc") {
      let isRead = cursor.read(&fields.record.preambleCount) { $0.integer(in: addresses) }
      if fields.record.preambleCount == 0 { fields.record.preambleCount = nil }
      return isRead
    }
    for (index, name) in (["fp_point1", "fp_point2", "fp_point3"] as [StaticString]).enumerated()
    where key.matches(name) {
      return cursor.read(&fields.amplitudes[index]) { $0.number(in: CaptureLimits.amplitude) }
    }
    for (index, name) in placeNames.enumerated() where key.matches(name) {
      return cursor.read(&fields.places[index]) { $0.number(in: CaptureLimits.distance) }
    }
    return nil
  }

  private static let placeNames: [StaticString] = ["x_tag", "y_tag", "z_tag", "x_anchor", "y_anchor", "z_anchor"]

  private mutating func samples(_ cursor: inout JSONCursor) -> Bool {
    cursor.array { cursor in
      guard real.count < CIRRecord.maximumTapCount, let sample = cursor.complex() else { return false }
      real.append(sample.real)
      imaginary.append(sample.imaginary)
      return true
    }
  }
}
