/// The impulse response that an SR150 of 2021 sends: the session's id, then taps.
public struct NXPImpulseResponse: UCILayout {
  /// Identifier of the session.
  public var sessionID: UInt32 = 0
  /// In phase and quadrature
  public var taps: [SIMD2<Int16>] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&sessionID, "session id")
    guard coder.isReading else {
      for var tap in taps {
        try coder.code(&tap.x, "tap")
        try coder.code(&tap.y, "tap")
      }
      return
    }
    taps = []
    while coder.available > 0 {
      var tap = SIMD2<Int16>()
      try coder.code(&tap.x, "tap")
      try coder.code(&tap.y, "tap")
      taps.append(tap)
    }
  }

  /// Notifications of this and later firmware that hold impulse responses, and name no round. The payloads of the last two are not documented,
  /// or not whole.
  static let kinds: Set<UCIMessageKind> = [
    First.kind, Second.kind, UCIMessageKind(.notification, group: 0xE, opcode: 0x0B),
    UCIMessageKind(.notification, group: 0xF, opcode: 0x34),
  ]

  /// The first receiver's.
  public struct First: UCIMessage {
    public static let kind = UCIMessageKind(.notification, group: 0xE, opcode: 0x04)
    /// The impulse response.
    public var response = NXPImpulseResponse()

    public init() {}
    public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try response.code(&coder) }
  }

  /// The second receiver's.
  public struct Second: UCIMessage {
    public static let kind = UCIMessageKind(.notification, group: 0xE, opcode: 0x05)
    /// The impulse response.
    public var response = NXPImpulseResponse()

    public init() {}
    public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try response.code(&coder) }
  }
}

/// What NXP's chips add to `SessionInfo` behind the measurements: angles and phase differences of antenna pairs, and levels.
public struct NXPRangingExtension: Sendable, Hashable {
  /// Angle and phase difference of one antenna pair.
  public struct Angle: Sendable, Hashable {
    /// Q9.7 degrees
    public var rawAngle: Int16 = 0
    /// Q9.7 degrees
    public var rawPhaseDifference: Int16 = 0
    /// Number of the antenna pair.
    public var phaseDifferenceIndex: UInt16 = 0
    /// Type A0 alone.
    public var fieldOfView: UInt8 = 0

    /// Angle, degrees.
    public var degrees: Double { Double(rawAngle) / 128 }
    /// Phase difference, degrees.
    public var phaseDifferenceDegrees: Double { Double(rawPhaseDifference) / 128 }
  }

  /// Levels at one receiver.
  public struct Level: Sendable, Hashable {
    /// dB
    public var firstPathSNR: UInt8 = 0
    /// dB
    public var mainPathSNR: UInt8 = 0
    /// Place of the first path.
    public var firstPathIndex: Int16 = 0
    /// Place of the strongest path.
    public var mainPathIndex: Int16 = 0
    /// Q8.8 dB; where all RFRAMEs are reported
    public var rawTotalSNR: Int16 = 0
    /// Received signal strength, in the steps of the chip.
    public var rawSignalStrength: Int16 = 0
  }

  /// What the chip measured of one responder.
  public struct Responder: Sendable, Hashable {
    /// Angles by antenna pair.
    public var angles: [Angle] = []
    /// Levels by receiver.
    public var levels: [Level] = []
    /// cm; modes with RFRAME measurements alone
    public var secondDistance: UInt16 = 0
    /// Where the control asks for it
    public var fineDistance: UInt32 = 0
  }

  /// Type of the content.
  public var type: UInt8 = 0
  /// Type A1 alone.
  public var control: UInt32 = 0
  /// Number of the antenna that sent.
  public var transmitAntenna: UInt8 = 0
  /// State of coexistence with Wi-Fi.
  public var wifi: UInt8 = 0
  /// 0 time of arrival, 1 angle, 2 radar, 3 and 4 the first two with RFRAME measurements
  public var receiveMode: UInt8 = 0
  /// Numbers of the receivers.
  public var receiveIDs: [UInt8] = []
  /// Mode of debugging.
  public var debugMode: UInt8 = 0
  /// Numbers of the debugging receivers.
  public var debugIDs: [UInt8] = []
  /// What was measured of each responder.
  public var responders: [Responder] = []
  /// Authentication, and whatever else the length covers.
  public var rest: [UInt8] = []

  private var hasTransmitAntenna: Bool { type == 0xA1 && control & 1 != 0 }
  private var hasFineDistance: Bool { type == 0xA1 && control & 0x1_0000 != 0 }
  private var reportsAllFrames: Bool { type == 0xA1 && control & 0x2_0000 != 0 }
  private var hasSecondDistance: Bool { receiveMode == 3 || receiveMode == 4 }

  /// Reads `SessionInfo.vendorBytes` of a round with so many responders.
  public init(vendorBytes: [UInt8], responderCount: Int) throws(UCIError) {
    responders = [Responder](repeating: Responder(), count: responderCount)
    var coder = UCICoder(reading: vendorBytes, dialect: UCIDialect(.second))
    var length: UInt16 = 0
    try coder.code(&length, "length")
    guard coder.available >= Int(length) else {
      throw .truncated(field: "extension", offset: 2, needed: Int(length), available: coder.available)
    }
    coder = UCICoder(reading: Array(vendorBytes[2..<(2 + Int(length))]), dialect: coder.dialect)
    try code(&coder)
  }

  /// Bytes of the vendor, as they came.
  public var vendorBytes: [UInt8] {
    get throws(UCIError) {
      var body = UCICoder(writingFor: UCIDialect(.second))
      var copy = self
      try copy.code(&body)
      var coder = UCICoder(writingFor: body.dialect)
      _ = try coder.codeCount(body.bytes.count, UInt16.self, "extension")
      return coder.bytes + body.bytes
    }
  }

  private mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&type, "type")
    if type == 0xA1 { try coder.code(&control, "control") }
    if hasTransmitAntenna { try coder.code(&transmitAntenna, "transmit antenna") }
    try coder.code(&wifi, "Wi-Fi")
    try coder.code(&receiveMode, "receive mode")
    try coder.codeCounted(&receiveIDs, "receive antennas")
    try coder.code(&debugMode, "debug mode")
    try coder.codeCounted(&debugIDs, "debug antennas")
    for index in responders.indices {
      var responder = responders[index]
      try code(&responder, &coder)
      responders[index] = responder
    }
    coder.codeRest(&rest)
  }

  private func code(_ responder: inout Responder, _ coder: inout UCICoder) throws(UCIError) {
    if coder.isReading {
      responder.angles = receiveIDs.map { _ in Angle() }
      responder.levels = debugIDs.map { _ in Level() }
    }
    for index in responder.angles.indices {
      try coder.code(&responder.angles[index].rawAngle, "angle")
      try coder.code(&responder.angles[index].rawPhaseDifference, "phase difference")
      try coder.code(&responder.angles[index].phaseDifferenceIndex, "phase difference's index")
      if type == 0xA0 { try coder.code(&responder.angles[index].fieldOfView, "field-of-view flag") }
    }
    for index in responder.levels.indices {
      try coder.code(&responder.levels[index].firstPathSNR, "first path's SNR")
      try coder.code(&responder.levels[index].mainPathSNR, "main path's SNR")
      try coder.code(&responder.levels[index].firstPathIndex, "first path's index")
      try coder.code(&responder.levels[index].mainPathIndex, "main path's index")
      if reportsAllFrames {
        try coder.code(&responder.levels[index].rawTotalSNR, "total SNR")
        try coder.code(&responder.levels[index].rawSignalStrength, "signal strength")
      }
    }
    if hasSecondDistance { try coder.code(&responder.secondDistance, "second distance") }
    if hasFineDistance { try coder.code(&responder.fineDistance, "fine distance") }
  }
}
