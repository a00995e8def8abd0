/// Reads a capture segment's object field by field where it lies: a general JSON decoder takes ten times as long, and
/// a recording has a segment for each CIR.
///
/// Fields may come in any order; those of other extensions are passed over. A field of a wrong kind or outside of what
/// its type holds, and a required one that is missing, make the segment unreadable (`nil`); `null` counts as absent.
extension SigMFSegment {
  init?(json bytes: UnsafeRawBufferPointer) {
    var cursor = JSONCursor(bytes)
    var fields = SigMFSegmentFields()
    guard cursor.object({ fields.take($0, &$1) }), cursor.isAtEnd(), let segment = fields.segment else { return nil }
    self = segment
  }
}

/// The fields of one object, as far as they were there: a segment's, or one of a message without a CIR.
private struct SigMFSegmentFields {
  var sampleStart: Int?
  var frequency: Double?
  var index: Int?
  var tapCount: Int?
  var scale: Float?
  var tapSpacing: Double?

  var name: SigMFMessage.Name?
  var transmitted: UInt64?
  var received: UInt64?
  var firstPath: Double?
  var preambleCount: Int?
  var receivedPower: Double?
  var firstPathPower: Double?
  var noiseThreshold: Int?

  var messageCount: Int?
  var time: Double?
  var peer: String?
  var local: String?
  var initiator: SigMFExchange.Initiator?
  var otherMessages: [SigMFMessage]?
  var report: SigMFExchange.Report?
  var truth: SigMFExchange.Truth?

  var message: SigMFMessage? {
    guard let name else { return nil }
    return SigMFMessage(
      name: name, transmitted: transmitted, received: received, firstPath: firstPath, preambleCount: preambleCount,
      receivedPower: receivedPower, firstPathPower: firstPathPower, noiseThreshold: noiseThreshold)
  }

  var segment: SigMFSegment? {
    guard let sampleStart, let index, let tapCount, let message else { return nil }
    var segment = SigMFSegment(sampleStart: sampleStart, frequency: frequency, index: index, message: message)
    segment.tapCount = tapCount
    segment.scale = scale
    segment.tapSpacing = tapSpacing
    // The count of messages marks an exchange's first segment.
    guard let messageCount else { return segment }
    guard let time, let peer, let initiator else { return nil }
    segment.exchange = SigMFExchange(
      messageCount: messageCount, time: time, peer: peer, local: local, initiator: initiator,
      otherMessages: otherMessages, report: report, truth: truth)
    return segment
  }

  mutating func take(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool {
    takeOfMessage(key, &cursor) ?? takeOfSegment(key, &cursor) ?? takeOfExchange(key, &cursor) ?? cursor.skipValue()
  }

  private mutating func takeOfMessage(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool? {
    if key.matches("uwb:received_ticks") { return Self.read(&received, &cursor) { $0.integer() } }
    if key.matches("uwb:transmitted_ticks") { return Self.read(&transmitted, &cursor) { $0.integer() } }
    if key.matches("uwb:first_path_taps") { return Self.read(&firstPath, &cursor) { $0.number() } }
    if key.matches("uwb:preamble_count") { return Self.read(&preambleCount, &cursor) { $0.integer() } }
    if key.matches("uwb:received_power_dbm") { return Self.read(&receivedPower, &cursor) { $0.number() } }
    if key.matches("uwb:first_path_power_dbm") { return Self.read(&firstPathPower, &cursor) { $0.number() } }
    if key.matches("uwb:noise_threshold") { return Self.read(&noiseThreshold, &cursor) { $0.integer() } }
    if key.matches("uwb:message") {
      return Self.read(&name, &cursor) { $0.string().flatMap { SigMFMessage.Name(rawValue: $0) } }
    }
    return nil
  }

  private mutating func takeOfSegment(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool? {
    if key.matches("core:sample_start") { return Self.read(&sampleStart, &cursor) { $0.integer() } }
    if key.matches("uwb:exchange") { return Self.read(&index, &cursor) { $0.integer() } }
    if key.matches("uwb:tap_count") { return Self.read(&tapCount, &cursor) { $0.integer() } }
    if key.matches("uwb:scale") { return Self.read(&scale, &cursor) { $0.float() } }
    if key.matches("uwb:tap_spacing_s") { return Self.read(&tapSpacing, &cursor) { $0.number() } }
    if key.matches("core:frequency") { return Self.read(&frequency, &cursor) { $0.number() } }
    return nil
  }

  private mutating func takeOfExchange(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool? {
    if key.matches("uwb:message_count") { return Self.read(&messageCount, &cursor) { $0.integer() } }
    if key.matches("uwb:time_s") { return Self.read(&time, &cursor) { $0.number() } }
    if key.matches("uwb:peer") { return Self.read(&peer, &cursor) { $0.string() } }
    if key.matches("uwb:local") { return Self.read(&local, &cursor) { $0.string() } }
    if key.matches("uwb:initiator") {
      return Self.read(&initiator, &cursor) { $0.string().flatMap { SigMFExchange.Initiator(rawValue: $0) } }
    }
    if key.matches("uwb:other_messages") {
      return Self.read(&otherMessages, &cursor) { cursor in
        var messages: [SigMFMessage] = []
        let isWhole = cursor.array { cursor in
          var fields = SigMFSegmentFields()
          guard messages.count < 8, cursor.object({ fields.take($0, &$1) }), let message = fields.message else {
            return false
          }
          messages.append(message)
          return true
        }
        return isWhole ? messages : nil
      }
    }
    if key.matches("uwb:chip_report") { return Self.read(&report, &cursor, Self.report) }
    if key.matches("uwb:truth") { return Self.read(&truth, &cursor, Self.truth) }
    return nil
  }

  private static func report(_ cursor: inout JSONCursor) -> SigMFExchange.Report? {
    var report = SigMFExchange.Report()
    let isWhole = cursor.object { key, cursor in
      if key.matches("uwb:distance_m") { return read(&report.distance, &cursor) { $0.number() } }
      if key.matches("uwb:raw_distance_m") { return read(&report.rawDistance, &cursor) { $0.number() } }
      if key.matches("uwb:clock_offset_ppm") { return read(&report.clockOffset, &cursor) { $0.number() } }
      return cursor.skipValue()
    }
    return isWhole ? report : nil
  }

  private static func truth(_ cursor: inout JSONCursor) -> SigMFExchange.Truth? {
    var truth = SigMFExchange.Truth()
    let isWhole = cursor.object { key, cursor in
      if key.matches("uwb:distance_m") { return read(&truth.distance, &cursor) { $0.number() } }
      if key.matches("uwb:azimuth_rad") { return read(&truth.azimuth, &cursor) { $0.number() } }
      if key.matches("uwb:elevation_rad") { return read(&truth.elevation, &cursor) { $0.number() } }
      if key.matches("uwb:line_of_sight") { return read(&truth.isLineOfSight, &cursor) { $0.bool() } }
      return cursor.skipValue()
    }
    return isWhole ? truth : nil
  }

  private static func read<Value>(
    _ field: inout Value?, _ cursor: inout JSONCursor, _ value: (inout JSONCursor) -> Value?
  ) -> Bool {
    if cursor.skipNull() { return true }
    field = value(&cursor)
    return field != nil
  }
}
