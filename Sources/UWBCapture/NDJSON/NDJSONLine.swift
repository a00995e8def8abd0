import UWBTypes

/// The fields of one line, a header's or an exchange's, as far as they were there. Those of exchanges are named as in
/// recordings (`Documentation/reference/SigMF-uwb-extension.md`), without `uwb:`.
struct NDJSONLine {
  private(set) var format: String?
  private(set) var version: Int?
  private(set) var profile: String?
  private(set) var hasPhase: Bool?
  private(set) var carrier: Double?
  private(set) var antennaPositions: [[Double]]?
  private(set) var notes: [String] = []

  private var index: Int?
  private var messages: [(name: SigMFMessageName, message: RangingMessage)] = []
  private var fields = SigMFExchangeFields()

  /// Whether the line says that it is one.
  var isExchange: Bool { index != nil }

  /// The exchange; `nil` where a required field is missing, or a message was there twice.
  var exchange: RangingExchange? {
    index.flatMap { fields.exchange(index: $0, messages: messages) }
  }

  mutating func take(_ key: JSONCursor.Key, _ cursor: inout JSONCursor, _ samples: inout NDJSONSamples) -> Bool {
    if key.matches("exchange") { return cursor.read(&index) { $0.integer(in: CaptureLimits.exchangeIndex) } }
    if key.matches("poll") { return take(.poll, &cursor, &samples) }
    if key.matches("response") { return take(.response, &cursor, &samples) }
    if key.matches("second_poll") { return take(.secondPoll, &cursor, &samples) }
    if key.matches("final") { return take(.final, &cursor, &samples) }
    return fields.take(key, &cursor) ?? takeOfHeader(key, &cursor)
  }

  private mutating func takeOfHeader(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool {
    if key.matches("format") { return cursor.read(&format) { $0.string() } }
    if key.matches("version") { return cursor.read(&version) { $0.integer(in: CaptureLimits.count) } }
    if key.matches("profile") { return cursor.read(&profile) { $0.string() } }
    if key.matches("phase") { return cursor.read(&hasPhase) { $0.bool() } }
    if key.matches("carrier_hz") { return cursor.read(&carrier) { $0.number() } }
    if key.matches("antenna_positions_m") {
      return cursor.read(&antennaPositions) { cursor in
        var positions: [[Double]] = []
        let isWhole = cursor.array { cursor in
          guard let position = cursor.numbers(in: -Double.greatestFiniteMagnitude ... .greatestFiniteMagnitude) else {
            return false
          }
          positions.append(position)
          return true
        }
        return isWhole ? positions : nil
      }
    }
    if key.matches("notes") {
      return cursor.array { cursor in
        guard notes.count < 1024, let note = cursor.string() else { return false }
        notes.append(note)
        return true
      }
    }
    return cursor.skipValue()
  }

  private mutating func take(
    _ name: SigMFMessageName, _ cursor: inout JSONCursor, _ samples: inout NDJSONSamples
  ) -> Bool {
    guard !messages.contains(where: { $0.name == name }) else { return false }
    var message = SigMFMessageFields(name)
    var response: ChannelImpulseResponse?
    var stsResponses: [ChannelImpulseResponse] = []
    let isWhole = cursor.object { key, cursor in
      if key.matches("cir") { return cursor.read(&response) { samples.impulseResponse(&$0) } }
      if key.matches("sts_cirs") {
        return cursor.array { cursor in
          guard stsResponses.count < CaptureLimits.stsSegment.count, let response = samples.impulseResponse(&cursor)
          else { return false }
          stsResponses.append(response)
          return true
        }
      }
      return message.take(key, &cursor) ?? cursor.skipValue()
    }
    // Samples without a receive time belong to no reception.
    guard isWhole, message.name == name,
      response == nil && stsResponses.isEmpty || message.received != nil
    else { return false }
    messages.append((name, message.message(response, stsResponses)))
    return true
  }
}

/// Makes CIRs of their objects: `samples`, `scale`, `tap_spacing_s`, `real` and `imag` (antennas × taps).
struct NDJSONSamples {
  private var real: [Float] = []
  private var imaginary: [Float] = []
  private var integers: [Int16] = []
  private var pool = TapStoragePool()
  private var shapes = CaptureShapes()
  /// Whether a CIR was of a shape beyond `CaptureLimits` or `EngineLimits`.
  var isUnsupported = false

  /// `nil` where the object is damaged: rows of different lengths, a sample that its type does not hold; and where its shape is
  /// unsupported.
  mutating func impulseResponse(_ cursor: inout JSONCursor) -> ChannelImpulseResponse? {
    var kind: String?
    var scale: Float?
    var spacing: Double?
    var realRows: Int?
    var imaginaryRows: Int?
    real.removeAll(keepingCapacity: true)
    imaginary.removeAll(keepingCapacity: true)
    let isWhole = cursor.object { key, cursor in
      if key.matches("samples") { return cursor.read(&kind) { $0.string() } }
      if key.matches("scale") { return cursor.read(&scale) { $0.scale() } }
      if key.matches("tap_spacing_s") { return cursor.read(&spacing) { $0.number() } }
      if key.matches("real") { return cursor.read(&realRows) { Self.rows(&$0, into: &real) } }
      if key.matches("imag") { return cursor.read(&imaginaryRows) { Self.rows(&$0, into: &imaginary) } }
      return cursor.skipValue()
    }
    guard isWhole, let scale, let antennaCount = realRows, antennaCount == imaginaryRows, real.count == imaginary.count,
      !real.isEmpty
    else { return nil }
    let tapCount = real.count / antennaCount
    guard shapes.admit(antennaCount: antennaCount, tapCount: tapCount, tapSpacing: spacing ?? UWB.tap) else {
      isUnsupported = true
      return nil
    }
    let storage: TapStorage
    let format: ChannelImpulseResponse.SampleFormat
    switch kind {
    case "int16":
      integers.removeAll(keepingCapacity: true)
      for index in real.indices {
        guard let one = Int16(exactly: real[index]), let other = Int16(exactly: imaginary[index]) else { return nil }
        integers.append(one)
        integers.append(other)
      }
      (storage, format) = (pool.storage(holding: integers[...]), .int16)
    case "float32": (storage, format) = (pool.storage(real: real, imaginary: imaginary), .float32)
    default: return nil
    }
    return ChannelImpulseResponse(
      storage: storage, format: format, antennaCount: antennaCount, tapCount: tapCount, scale: scale,
      tapSpacing: spacing ?? UWB.tap)
  }

  /// Reads rows of one length, one behind the other; how many there were.
  private static func rows(_ cursor: inout JSONCursor, into samples: inout [Float]) -> Int? {
    samples.removeAll(keepingCapacity: true)
    var count = 0
    var length = 0
    let isWhole = cursor.array { cursor in
      let start = samples.count
      let isRow = cursor.array { cursor in
        guard let sample = cursor.skipAbsentNumber() ? Float.nan : cursor.float() else { return false }
        samples.append(sample)
        return true
      }
      count += 1
      if count == 1 { length = samples.count }
      return isRow && count <= 64 && samples.count - start == length && length > 0
    }
    return isWhole ? count : nil
  }
}
