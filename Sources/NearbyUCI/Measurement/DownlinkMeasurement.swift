/// One message of an anchor that a tag has heard, for differences of arrival times.
public struct DownlinkMeasurement: UCILayout {
  /// What a message holds: lengths of its times, the anchor's location, the number of active rounds.
  public struct Control: Sendable, Hashable {
    public var rawValue: UInt16 = 0

    public var hasCommonTimeBase: Bool { rawValue & 1 != 0 }
    var transmitOctets: Int { rawValue >> 1 & 3 == 1 ? 8 : 5 }
    var receiveOctets: Int { rawValue >> 3 & 3 == 1 ? 8 : 5 }
    public var location: UInt8 { UInt8(rawValue >> 5 & 3) }
    /// 1 is WGS84, 2 relative coordinates.
    var locationOctets: Int { location == 1 ? 12 : location == 2 ? 10 : 0 }
    public var roundCount: Int { Int(rawValue >> 7 & 0xF) }
  }

  public var address = UCIAddress.short(0)
  public var status = UCIStatus.ok
  /// 0 poll, 1 response, 2 final
  public var message: UInt8 = 0
  public var control = Control()
  public var block: UInt16 = 0
  public var round: UInt8 = 0
  public var lineOfSight = UCILineOfSight.unknown
  public var azimuth = UCIAngle()
  public var elevation = UCIAngle()
  public var rawSignalStrength: UInt8 = 0
  /// Ticks of 15.65 ps
  public var transmitTime: UInt64 = 0
  public var receiveTime: UInt64 = 0
  /// Q6.10 ppm
  public var rawAnchorClockOffset: Int16 = 0
  public var rawClockOffset: Int16 = 0
  /// Ticks
  public var initiatorReply: UInt32 = 0
  public var responderReply: UInt32 = 0
  public var flightTime: UInt16 = 0
  /// Packed as the control says.
  public var location: [UInt8] = []
  public var activeRounds: [UInt8] = []

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&address, "anchor's address")
    try coder.code(&status, "message's status")
    try coder.code(&message, "message type")
    try coder.code(&control.rawValue, "message control")
    try coder.code(&block, "block index")
    try coder.code(&round, "round index")
    try coder.code(&lineOfSight, "line of sight")
    try azimuth.code(&coder)
    try elevation.code(&coder)
    try coder.code(&rawSignalStrength, "signal strength")
    try coder.code(&transmitTime, octets: control.transmitOctets, "transmit time")
    try coder.code(&receiveTime, octets: control.receiveOctets, "receive time")
    try coder.code(&rawAnchorClockOffset, "anchor's clock offset")
    try coder.code(&rawClockOffset, "clock offset")
    try coder.code(&initiatorReply, "initiator's reply time")
    try coder.code(&responderReply, "responder's reply time")
    try coder.code(&flightTime, "time of flight")
    try coder.code(&location, count: control.locationOctets, "anchor's location")
    try coder.code(&activeRounds, count: control.roundCount, "active rounds")
  }

  /// Parts per million.
  public var clockOffsetPPM: Double { Double(rawClockOffset) / 1024 }
  public var anchorClockOffsetPPM: Double { Double(rawAnchorClockOffset) / 1024 }
}

/// The same of the second layout, which states its size: passed on as it came.
public struct SizedDownlinkMeasurement: UCILayout {
  public var bytes: [UInt8] = []

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    let count = try coder.codeCount(bytes.count, UInt16.self, "measurement")
    try coder.code(&bytes, count: count, "measurement")
  }
}
