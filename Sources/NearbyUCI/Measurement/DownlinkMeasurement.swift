/// One message of an anchor that a tag has heard, for differences of arrival times.
public struct DownlinkMeasurement: UCILayout {
  /// What a message holds: lengths of its times, the anchor's location, the number of active rounds.
  public struct Control: Sendable, Hashable {
    /// The parts in one number.
    public var rawValue: UInt16 = 0

    /// Whether times are those of a common time base.
    public var hasCommonTimeBase: Bool { rawValue & 1 != 0 }
    var transmitOctets: Int { rawValue >> 1 & 3 == 1 ? 8 : 5 }
    var receiveOctets: Int { rawValue >> 3 & 3 == 1 ? 8 : 5 }
    /// Kind of the anchor's location: 0 none.
    public var location: UInt8 { UInt8(rawValue >> 5 & 3) }
    /// 1 is WGS84, 2 relative coordinates.
    var locationOctets: Int { location == 1 ? 12 : location == 2 ? 10 : 0 }
    /// Number of active rounds.
    public var roundCount: Int { Int(rawValue >> 7 & 0xF) }
  }

  /// MAC address of the device.
  public var address = UCIAddress.short(0)
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// 0 poll, 1 response, 2 final
  public var message: UInt8 = 0
  /// What the message holds.
  public var control = Control()
  /// Number of the ranging block.
  public var block: UInt16 = 0
  /// Number of the ranging round in its block.
  public var round: UInt8 = 0
  /// Whether the chip takes the path for line of sight.
  public var lineOfSight = UCILineOfSight.unknown
  /// Azimuth, with its figure of merit.
  public var azimuth = UCIAngle()
  /// Elevation, with its figure of merit.
  public var elevation = UCIAngle()
  /// Received signal strength, in the steps of the chip.
  public var rawSignalStrength: UInt8 = 0
  /// Ticks of 15.65 ps
  public var transmitTime: UInt64 = 0
  /// Receive timestamp, ticks of 15.65 ps.
  public var receiveTime: UInt64 = 0
  /// Q6.10 ppm
  public var rawAnchorClockOffset: Int16 = 0
  /// Clock offset of the receiver, Q6.10 ppm.
  public var rawClockOffset: Int16 = 0
  /// Ticks
  public var initiatorReply: UInt32 = 0
  /// Reply time of the responder, ticks.
  public var responderReply: UInt32 = 0
  /// Time of flight, ticks.
  public var flightTime: UInt16 = 0
  /// Packed as the control says.
  public var location: [UInt8] = []
  /// Numbers of the active rounds.
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
  /// Clock offset of the anchor, ppm.
  public var anchorClockOffsetPPM: Double { Double(rawAnchorClockOffset) / 1024 }
}

/// The same of the second layout, which states its size: passed on as it came.
public struct SizedDownlinkMeasurement: UCILayout {
  /// The bytes of the measurement.
  public var bytes: [UInt8] = []

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.codeCounted(&bytes, UInt16.self, "measurement")
  }
}
