/// Data for a peer of a session.
public struct SendData: UCIMessage {
  public static let kind = UCIMessageKind(.data, group: 1, opcode: 0)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// A short address fills the low two bytes.
  public var destination: UInt64 = 0
  /// Sequence number.
  public var sequence: UInt16 = 0
  /// Payload.
  public var data: [UInt8] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&destination, "destination")
    try coder.code(&sequence, "sequence number")
    try coder.codeCounted(&data, UInt16.self, "data")
  }
}

/// Data of a peer.
public struct ReceivedData: UCIMessage {
  public static let kind = UCIMessageKind(.data, group: 2, opcode: 0)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// A short address fills the low two bytes.
  public var source: UInt64 = 0
  /// Sequence number.
  public var sequence: UInt16 = 0
  /// Payload.
  public var data: [UInt8] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&status, "status")
    try coder.code(&source, "source")
    try coder.code(&sequence, "sequence number")
    try coder.codeCounted(&data, UInt16.self, "data")
  }
}

/// Whether one more data packet may be sent.
public struct DataCredit: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 2, opcode: 0x04)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// 1: one packet.
  public var availability: UInt8 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&availability, "credit")
  }
}

/// What became of a data packet. The sequence number has two bytes or, on Qorvo's chips, one: the length tells.
public struct DataTransferStatus: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 2, opcode: 0x05)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// Sequence number.
  public var sequence: UInt16 = 0
  /// Whether the sequence number has one byte.
  public var hasShortSequence = false
  /// 00 repetition done, 01 done, 02 error, 03 no credit, 04 rejected, 05 session type, 06 ongoing, 07 format.
  public var status: UInt8 = 0
  /// Transmissions so far.
  public var transmissionCount: UInt8 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    if coder.isReading { hasShortSequence = coder.available == 7 }
    try coder.code(&token, "session token")
    var low = UInt8(truncatingIfNeeded: sequence)
    if hasShortSequence {
      try coder.code(&low, "sequence number")
      sequence = UInt16(low)
    } else {
      try coder.code(&sequence, "sequence number")
    }
    try coder.code(&status, "transfer status")
    try coder.code(&transmissionCount, "transmission count")
  }
}
