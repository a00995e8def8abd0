/// One capture segment: a message's CIR and what its receiver said of it.
///
/// Its object is read field by field where it lies: a general JSON decoder takes ten times as long, and
/// a recording has a segment for each CIR.
///
/// Fields may come in any order; those of other extensions are passed over. A field of a wrong kind or outside of what
/// its type holds, and a required one that is missing, make the segment unreadable (`nil`); `null` counts as absent.
struct SigMFSegment {
  let sampleStart: Int
  let index: Int
  let tapCount: Int
  let name: SigMFMessageName
  /// All fields; those that have to be there are the segment's own, too.
  let fields: SigMFSegmentFields
  /// What an exchange's first segment says of the whole exchange.
  let exchange: SigMFExchangeFields?

  init?(json bytes: UnsafeRawBufferPointer) {
    var cursor = JSONCursor(bytes)
    var fields = SigMFSegmentFields()
    guard cursor.object({ fields.take($0, &$1) }), cursor.isAtEnd(), let sampleStart = fields.sampleStart,
      let index = fields.index, let tapCount = fields.tapCount, let name = fields.message.name
    else { return nil }
    self.sampleStart = sampleStart
    self.index = index
    self.tapCount = tapCount
    self.name = name
    self.fields = fields
    // The count of messages marks an exchange's first segment.
    exchange = fields.exchange.messageCount == nil ? nil : fields.exchange
    guard exchange?.isComplete ?? true else { return nil }
  }
}

/// The fields of one segment, as far as they were there.
struct SigMFSegmentFields {
  private(set) var sampleStart: Int?
  private(set) var index: Int?
  private(set) var tapCount: Int?
  private(set) var scale: Float?
  private(set) var tapSpacing: Double?
  /// Which segment of the STS the CIR is of, from 1; `nil` for that of the preamble.
  private(set) var stsSegment: Int?
  private(set) var message = SigMFMessageFields()
  private(set) var exchange = SigMFExchangeFields()
  private var frequency: Double?

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
