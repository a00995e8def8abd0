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

/// The fields of one segment, as far as they were there.
private struct SigMFSegmentFields {
  var sampleStart: Int?
  var frequency: Double?
  var index: Int?
  var tapCount: Int?
  var scale: Float?
  var tapSpacing: Double?
  var stsSegment: Int?
  var message = SigMFMessageFields()
  var exchange = SigMFExchangeFields()

  var segment: SigMFSegment? {
    guard let sampleStart, let index, let tapCount, let message = message.message else { return nil }
    var segment = SigMFSegment(sampleStart: sampleStart, frequency: frequency, index: index, message: message)
    segment.tapCount = tapCount
    segment.scale = scale
    segment.tapSpacing = tapSpacing
    segment.stsSegment = stsSegment
    // The count of messages marks an exchange's first segment.
    guard let messageCount = exchange.messageCount else { return segment }
    guard let exchange = exchange.exchange(messageCount: messageCount) else { return nil }
    segment.exchange = exchange
    return segment
  }

  mutating func take(_ key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool {
    if let name = key.without("uwb:") {
      return message.take(name, &cursor) ?? take(ofSegment: name, &cursor) ?? exchange.take(name, &cursor)
        ?? cursor.skipValue()
    }
    if key.matches("core:sample_start") { return cursor.read(&sampleStart) { $0.integer(in: CaptureLimits.count) } }
    if key.matches("core:frequency") { return cursor.read(&frequency) { $0.number() } }
    return cursor.skipValue()
  }

  private mutating func take(ofSegment key: JSONCursor.Key, _ cursor: inout JSONCursor) -> Bool? {
    if key.matches("exchange") { return cursor.read(&index) { $0.integer(in: CaptureLimits.exchangeIndex) } }
    if key.matches("tap_count") {
      return cursor.read(&tapCount) { $0.integer(in: 0...CaptureLimits.sampleCount.upperBound) }
    }
    if key.matches("scale") { return cursor.read(&scale) { $0.scale() } }
    if key.matches("tap_spacing_s") { return cursor.read(&tapSpacing) { $0.number() } }
    if key.matches("sts_segment") { return cursor.read(&stsSegment) { $0.integer(in: CaptureLimits.stsSegment) } }
    return nil
  }
}
