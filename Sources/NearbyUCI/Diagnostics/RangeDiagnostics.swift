/// What a receiver saw of each frame of a round: the envelope that Android's and Qorvo's notifications share.
public struct RangeDiagnostics: UCILayout {
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// That of the round's `SessionInfo`, which comes before or after.
  public var sequence: UInt32 = 0
  /// Reports of the frames, in order.
  public var reports: [FrameReport] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&sequence, "sequence number")
    try coder.code(&reports, "reports")
  }
}

/// Notification: diagnostics of a round in the layout of Android.
public struct AndroidDiagnostics: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 0xC, opcode: 0x02)
  /// Diagnostics of the round.
  public var diagnostics = RangeDiagnostics()

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try diagnostics.code(&coder) }
}

/// Notification: diagnostics of a round in the layout of Qorvo.
public struct QorvoDiagnostics: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 0xB, opcode: 0x03)
  /// Diagnostics of the round.
  public var diagnostics = RangeDiagnostics()

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try diagnostics.code(&coder) }
}

/// One frame.
public struct FrameReport: UCILayout {
  /// 0 initiation, 1 response, 2 final, 3 control, 4 measurement report, 5 result report, 6 update
  public var message: UInt8 = 0
  /// 1 where the frame was sent, 0 where it was received.
  public var isTransmitted: UInt8 = 0
  /// Number of the antenna set.
  public var antennaSet: UInt8 = 0
  /// Fields of the report.
  public var fields: [DiagnosticField] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&message, "frame's message")
    try coder.code(&isTransmitted, "frame's action")
    try coder.code(&antennaSet, "antenna set")
    try coder.code(&fields, "fields")
  }
}

/// A field: type, size, value. Values of types or sizes that are not known are kept as bytes.
public struct DiagnosticField: UCILayout {
  /// Content of a field.
  public enum Value: Sendable, Hashable {
    /// Received signal strengths, in the steps of the chip.
    case signalStrengths([UInt8])
    /// Angles of arrival.
    case angles([DiagnosticAngle])
    /// Windows of impulse responses, as Android has them.
    case windows([PathWindow])
    /// Status bits of the frame.
    case frameStatus(UInt16)
    /// Q6.26, a ratio
    case clockOffset(Int32)
    /// Short MAC address of the sender.
    case emitter(UInt16)
    /// Noise, level and paths by segment.
    case metrics([SegmentMetrics])
    /// Windows of impulse responses, as Qorvo has them.
    case impulseResponses([SegmentImpulseResponse])
    /// A field of another type, as it came.
    case other([UInt8])
  }

  /// Type of the content.
  public var type: UInt8 = 0
  /// Value, low byte first.
  public var value = Value.other([])

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&type, "field's type")
    let type = type
    var bytes = try coder.isReading ? [] : value.bytes(in: coder.dialect)
    let count = try coder.codeCount(bytes.count, UInt16.self, "field \(type)")
    if coder.isReading {
      value = try coder.readPart(count: count, "field \(type)") { Value(type: type, &$0) }
    } else {
      try coder.code(&bytes, count: count, "field \(type)")
    }
  }
}

extension DiagnosticField.Value {
  /// A value that does not fit its type's layout is kept as bytes.
  fileprivate init(type: UInt8, _ part: inout UCICoder) {
    let start = part.offset
    if let value = try? Self.read(type: type, &part), part.available == 0 {
      self = value
    } else {
      part.goBack(to: start)
      var bytes: [UInt8] = []
      part.codeRest(&bytes)
      self = .other(bytes)
    }
  }

  private static func read(type: UInt8, _ coder: inout UCICoder) throws(UCIError) -> Self {
    switch type {
    case 0:
      var values: [UInt8] = []
      coder.codeRest(&values)
      return .signalStrengths(values)
    case 1: return .angles(try items(&coder))
    case 2:
      var windows: [PathWindow] = []
      try coder.code(&windows, "windows")
      return .windows(windows)
    case 3:
      var status: UInt16 = 0
      try coder.code(&status, "frame status")
      return .frameStatus(status)
    case 4:
      var offset: Int32 = 0
      try coder.code(&offset, "clock offset")
      return .clockOffset(offset)
    case 5:
      var emitter: UInt16 = 0
      try coder.code(&emitter, "emitter")
      return .emitter(emitter)
    case 6: return .metrics(try items(&coder))
    case 7: return .impulseResponses(try items(&coder))
    default: throw .invalid(field: "field's type", offset: 0, value: UInt64(type))
    }
  }

  /// Items without a count, to the field's end.
  private static func items<Item: UCILayout>(_ coder: inout UCICoder) throws(UCIError) -> [Item] {
    var items: [Item] = []
    // A receiver or two have one each.
    items.reserveCapacity(2)
    while coder.available > 0 {
      var item = Item()
      try item.code(&coder)
      items.append(item)
    }
    return items
  }

  func bytes(in dialect: UCIDialect) throws(UCIError) -> [UInt8] {
    var coder = UCICoder(writingFor: dialect)
    switch self {
    case .signalStrengths(var bytes), .other(var bytes): coder.codeRest(&bytes)
    case .angles(var items): try coder.code(&items, count: items.count)
    case .windows(var items): try coder.code(&items, "windows")
    case .frameStatus(var status): try coder.code(&status, "frame status")
    case .clockOffset(var offset): try coder.code(&offset, "clock offset")
    case .emitter(var emitter): try coder.code(&emitter, "emitter")
    case .metrics(var items): try coder.code(&items, count: items.count)
    case .impulseResponses(var items): try coder.code(&items, count: items.count)
    }
    return coder.bytes
  }
}
