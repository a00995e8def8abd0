import UWBTypes

/// The fields of one message, as far as they were there: without the `uwb:` before their names, for the lines of ndjson have
/// them, too.
struct SigMFMessageFields {
  private(set) var name: SigMFMessageName?
  private var transmitted: UInt64?
  private(set) var received: UInt64?
  private var firstPath: Double?
  private var preambleCount: Int?
  private var receivedPower: Double?
  private var firstPathPower: Double?
  private var noiseThreshold: Int?
  private var firstPathAmplitudes: [Double]?
  private var noiseDeviation: Double?
  private var carrierOffset: Double?
  private var timeTrackingOffset: Double?
  private var antennaPhases: [Double]?
  private var antennaFirstPaths: [Double]?

  init(_ name: SigMFMessageName? = nil) {
    self.name = name
  }

  /// The message, with the CIRs that belong to it.
  func message(
    _ impulseResponse: ChannelImpulseResponse? = nil, _ stsImpulseResponses: [ChannelImpulseResponse] = []
  ) -> RangingMessage {
    RangingMessage(
      transmitted: transmitted.map { DeviceTime(ticks: $0) },
      reception: received.map { time in
        Reception(
          time: DeviceTime(ticks: time), chipFirstPathTaps: firstPath, impulseResponse: impulseResponse,
          preambleCount: preambleCount, receivedPowerdBm: receivedPower, firstPathPowerdBm: firstPathPower,
          noiseThreshold: noiseThreshold, antennaPhases: antennaPhases, antennaFirstPathTaps: antennaFirstPaths,
          firstPathAmplitudes: firstPathAmplitudes.map { SIMD3($0[0], $0[1], $0[2]) }, noiseDeviation: noiseDeviation,
          carrierOffsetppm: carrierOffset, timeTrackingOffsetppm: timeTrackingOffset,
          stsImpulseResponses: stsImpulseResponses)
      })
  }

  /// Reads the value of the field `key`: whether it could be read, or `nil` where it is none of these.
  mutating func take(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool? {
    if key.matches("received_ticks") { return cursor.read(&received) { $0.integer() } }
    if key.matches("transmitted_ticks") { return cursor.read(&transmitted) { $0.integer() } }
    if key.matches("first_path_taps") { return cursor.read(&firstPath) { $0.number(in: CaptureLimits.taps) } }
    if key.matches("preamble_count") { return cursor.read(&preambleCount) { $0.integer(in: CaptureLimits.count) } }
    if key.matches("received_power_dbm") { return cursor.read(&receivedPower) { $0.number(in: CaptureLimits.power) } }
    if key.matches("first_path_power_dbm") {
      return cursor.read(&firstPathPower) { $0.number(in: CaptureLimits.power) }
    }
    if key.matches("noise_threshold") { return cursor.read(&noiseThreshold) { $0.integer(in: CaptureLimits.count) } }
    if key.matches("first_path_amplitudes") {
      return cursor.read(&firstPathAmplitudes) {
        $0.numbers(in: CaptureLimits.amplitude).flatMap { $0.count == 3 ? $0 : nil }
      }
    }
    if key.matches("noise_deviation") { return cursor.read(&noiseDeviation) { $0.number(in: CaptureLimits.amplitude) } }
    if key.matches("carrier_offset_ppm") {
      return cursor.read(&carrierOffset) { $0.number(in: CaptureLimits.partsPerMillion) }
    }
    if key.matches("time_tracking_offset_ppm") {
      return cursor.read(&timeTrackingOffset) { $0.number(in: CaptureLimits.partsPerMillion) }
    }
    if key.matches("antenna_phases_rad") { return cursor.read(&antennaPhases) { $0.numbers(in: CaptureLimits.angle) } }
    if key.matches("antenna_first_path_taps") {
      return cursor.read(&antennaFirstPaths) { $0.numbers(in: CaptureLimits.taps) }
    }
    if key.matches("message") {
      return cursor.read(&name) { $0.string().flatMap { SigMFMessageName(rawValue: $0) } }
    }
    return nil
  }
}

/// The fields that concern a whole exchange, as far as they were there.
struct SigMFExchangeFields {
  /// There in recordings alone.
  private(set) var messageCount: Int?
  private(set) var otherMessages: [(name: SigMFMessageName, message: RangingMessage)]?
  private var time: Double?
  private var peer: String?
  private var local: String?
  private var initiator: RangingExchange.Initiator?
  private var counterBits: Int?
  private var phaseDifferences: [Double]?
  private var report: ChipReport?
  private var ready: RadioMeasurement?
  private var hasFailed: Bool?
  private var peerPosition: [Double]?
  private var truth: GroundTruth?

  /// Whether the required fields were there.
  var isComplete: Bool { time != nil && peer != nil && initiator != nil }

  /// The exchange of these messages; `nil` where a required field or the poll is missing, or an address is none.
  func exchange(
    index: Int, messages: [(name: SigMFMessageName, message: RangingMessage)]
  ) -> RangingExchange? {
    func message(_ name: SigMFMessageName) -> RangingMessage? { messages.first { $0.name == name }?.message }
    guard let time, let initiator, let peer = peer.flatMap(Self.address), let poll = message(.poll) else { return nil }
    let localAddress = local.flatMap(Self.address)
    guard local == nil || localAddress != nil else { return nil }
    var exchange = RangingExchange(
      index: index, time: time, peer: peer, local: localAddress, initiator: initiator, poll: poll,
      response: message(.response), secondPoll: message(.secondPoll), final: message(.final),
      counterBits: counterBits ?? 40, chipReport: report, phaseDifferences: phaseDifferences, ready: ready,
      truth: truth, peerPosition: peerPosition.map { SIMD3($0[0], $0[1], $0[2]) })
    exchange.hasFailed = hasFailed ?? false
    return exchange
  }

  // Byte by byte: a recording has two addresses for each exchange.
  private static func address(_ text: String) -> DeviceAddress? {
    var value: UInt64 = 0
    guard (1...16).contains(text.utf8.count) else { return nil }
    for byte in text.utf8 {
      guard let digit = ByteText.hexadecimalDigit(byte) else { return nil }
      value = value << 4 | digit
    }
    return DeviceAddress(rawValue: value)
  }

  /// Reads the value of the field `key`: whether it could be read, or `nil` where it is none of these.
  mutating func take(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool? {
    if key.matches("message_count") { return cursor.read(&messageCount) { $0.integer(in: CaptureLimits.count) } }
    if key.matches("time_s") { return cursor.read(&time) { $0.number(in: CaptureLimits.time) } }
    if key.matches("peer") { return cursor.read(&peer) { $0.string() } }
    if key.matches("local") { return cursor.read(&local) { $0.string() } }
    if key.matches("initiator") { return cursor.read(&initiator, Self.initiator) }
    if key.matches("counter_bits") {
      return cursor.read(&counterBits) { $0.integer(in: 2...40) }
    }
    if key.matches("other_messages") { return cursor.read(&otherMessages, Self.messages) }
    if key.matches("phase_differences_rad") {
      return cursor.read(&phaseDifferences) { $0.numbers(in: CaptureLimits.angle) }
    }
    if key.matches("chip_report") { return cursor.read(&report, Self.report) }
    if key.matches("ready_measurement") { return cursor.read(&ready, Self.ready) }
    if key.matches("failed") { return cursor.read(&hasFailed) { $0.bool() } }
    if key.matches("peer_position_m") {
      return cursor.read(&peerPosition) { $0.numbers(in: CaptureLimits.distance).flatMap { $0.count == 3 ? $0 : nil } }
    }
    if key.matches("truth") { return cursor.read(&truth, Self.truth) }
    return nil
  }

  private static func initiator(_ cursor: inout JSONCursor) -> RangingExchange.Initiator? {
    switch cursor.string() {
    case "local": .local
    case "peer": .peer
    default: nil
    }
  }

  private static func messages(_ cursor: inout JSONCursor) -> [(name: SigMFMessageName, message: RangingMessage)]? {
    var messages: [(name: SigMFMessageName, message: RangingMessage)] = []
    let isWhole = cursor.array { cursor in
      var fields = SigMFMessageFields()
      let isRead = cursor.object { key, cursor in
        key.without("uwb:").flatMap { fields.take($0, &cursor) } ?? cursor.skipValue()
      }
      guard messages.count < 8, isRead, let name = fields.name else { return false }
      messages.append((name, fields.message()))
      return true
    }
    return isWhole ? messages : nil
  }

  private static func report(_ cursor: inout JSONCursor) -> ChipReport? {
    var report = ChipReport()
    let isWhole = cursor.object { key, cursor in
      let key = key.without("uwb:") ?? key
      if key.matches("distance_m") { return cursor.read(&report.distance) { $0.number(in: CaptureLimits.distance) } }
      if key.matches("raw_distance_m") {
        return cursor.read(&report.rawDistance) { $0.number(in: CaptureLimits.distance) }
      }
      if key.matches("clock_offset_ppm") {
        return cursor.read(&report.clockOffsetppm) { $0.number(in: CaptureLimits.partsPerMillion) }
      }
      if key.matches("azimuth_rad") { return cursor.read(&report.azimuth) { $0.number(in: CaptureLimits.angle) } }
      if key.matches("elevation_rad") { return cursor.read(&report.elevation) { $0.number(in: CaptureLimits.angle) } }
      return cursor.skipValue()
    }
    return isWhole ? report : nil
  }

  private static func ready(_ cursor: inout JSONCursor) -> RadioMeasurement? {
    var ready = RadioMeasurement(distance: nil, distanceDeviation: 0)
    var deviation: Double?
    let isWhole = cursor.object { key, cursor in
      let key = key.without("uwb:") ?? key
      if key.matches("distance_m") { return cursor.read(&ready.distance) { $0.number(in: CaptureLimits.distance) } }
      if key.matches("distance_std_m") { return cursor.read(&deviation) { $0.number(in: 0...1e3) } }
      if key.matches("azimuth") { return cursor.read(&ready.azimuth, Self.angle) }
      if key.matches("elevation") { return cursor.read(&ready.elevation, Self.angle) }
      if key.matches("line_of_sight_probability") {
        return cursor.read(&ready.lineOfSightProbability) { $0.number(in: 0...1) }
      }
      return cursor.skipValue()
    }
    guard isWhole, let deviation else { return nil }
    ready.distanceDeviation = deviation
    return ready
  }

  private static func angle(_ cursor: inout JSONCursor) -> RadioMeasurement.Angle? {
    var value: Double?
    var deviation: Double?
    var figureOfMerit: Double?
    let isWhole = cursor.object { key, cursor in
      let key = key.without("uwb:") ?? key
      if key.matches("value_rad") { return cursor.read(&value) { $0.number(in: -.pi...(.pi)) } }
      if key.matches("std_rad") { return cursor.read(&deviation) { $0.number(in: 0...(2 * .pi)) } }
      if key.matches("figure_of_merit") { return cursor.read(&figureOfMerit) { $0.number(in: 0...1) } }
      return cursor.skipValue()
    }
    guard isWhole, let value, let deviation, let figureOfMerit else { return nil }
    return RadioMeasurement.Angle(value, deviation: deviation, figureOfMerit: figureOfMerit)
  }

  private static func truth(_ cursor: inout JSONCursor) -> GroundTruth? {
    var truth = GroundTruth()
    let isWhole = cursor.object { key, cursor in
      let key = key.without("uwb:") ?? key
      if key.matches("distance_m") { return cursor.read(&truth.distance) { $0.number(in: CaptureLimits.distance) } }
      if key.matches("azimuth_rad") { return cursor.read(&truth.azimuth) { $0.number(in: CaptureLimits.angle) } }
      if key.matches("elevation_rad") { return cursor.read(&truth.elevation) { $0.number(in: CaptureLimits.angle) } }
      if key.matches("line_of_sight") { return cursor.read(&truth.isLineOfSight) { $0.bool() } }
      return cursor.skipValue()
    }
    return isWhole ? truth : nil
  }
}
