/// The result of one ranging round: a header of 25 bytes, measurements by type, then the manufacturer's bytes.
public struct SessionInfo: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 2, opcode: 0x00)

  /// What kind of ranging has measured.
  public struct MeasurementType: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Two way (1).
    public static let twoWay = MeasurementType(rawValue: 1)
    /// Downlink (2).
    public static let downlink = MeasurementType(rawValue: 2)
    /// One way angle (3).
    public static let oneWayAngle = MeasurementType(rawValue: 3)
    /// Sized downlink (6).
    public static let sizedDownlink = MeasurementType(rawValue: 6)
  }

  /// Measurements by type.
  public enum Measurements: Sendable, Hashable {
    /// Distances and angles.
    case twoWay([TwoWayMeasurement])
    /// Angles of devices that only send.
    case oneWayAngle([OneWayAngleMeasurement])
    /// Downlink measurements.
    case downlink([DownlinkMeasurement])
    /// Downlink measurements of the second layout.
    case sizedDownlink([SizedDownlinkMeasurement])
    /// Of a type with no layout here: their bytes are the message's last.
    case other(count: UInt8)
  }

  /// Sequence number.
  public var sequence: UInt32 = 0
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// Whether the length of rounds changes.
  public var roundChange: UInt8 = 0
  /// ms
  public var interval: UInt32 = 0
  /// Type of the content.
  public var type = MeasurementType.twoWay
  /// Whether addresses have eight bytes.
  public var hasExtendedAddresses = false
  /// Identifier of the primary session.
  public var primarySessionID: UInt32 = 0
  /// The measurements of the round.
  public var measurements = Measurements.twoWay([])
  /// What follows the measurements: NXP's chips describe antennas there (`NXPRangingExtension`).
  public var vendorBytes: [UInt8] = []
  /// Reserved octets, kept as they came.
  private var reserved: UInt8 = 0
  private var addressMode: UInt8 = 0
  private var reservedWord: UInt32 = 0

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&sequence, "sequence number")
    try coder.code(&token, "session token")
    try coder.code(&roundChange, "round change")
    try coder.code(&interval, "ranging interval")
    try coder.code(&type, "measurement type")
    try coder.code(&reserved, "reserved octet")
    if !coder.isReading { addressMode = hasExtendedAddresses ? max(1, addressMode) : 0 }
    let place = coder.offset
    try coder.code(&addressMode, "address mode")
    guard addressMode <= 1 else { throw .invalid(field: "address mode", offset: place, value: UInt64(addressMode)) }
    hasExtendedAddresses = addressMode == 1
    coder.hasExtendedAddresses = hasExtendedAddresses
    try coder.code(&primarySessionID, "primary session id")
    try coder.code(&reservedWord, "reserved word")
    try codeMeasurements(&coder)
    coder.codeRest(&vendorBytes)
  }

  /// What the header says of the round alone.
  public struct Round: Sendable, Hashable {
    /// Sequence number.
    public var sequence: UInt32 = 0
    /// Handle of the session; before UCI 2.0 the identifier of the session.
    public var token: UInt32 = 0
    /// ms
    public var interval: UInt32 = 0

    /// - Parameter payload: the message's; `nil` where it is too short, or has the layout before FiRa 1.1.
    public init?(of payload: [UInt8]) {
      guard !LegacySessionInfo.isLegacy(payload) else { return nil }
      var coder = UCICoder(reading: payload, dialect: UCIDialect())
      var change: UInt8 = 0
      do throws(UCIError) {
        try coder.code(&sequence, "sequence number")
        try coder.code(&token, "session token")
        try coder.code(&change, "round change")
        try coder.code(&interval, "ranging interval")
      } catch { return nil }
    }
  }

  private mutating func codeMeasurements(_ coder: inout UCICoder) throws(UCIError) {
    if coder.isReading {
      measurements =
        switch type {
        case .twoWay: .twoWay([])
        case .oneWayAngle: .oneWayAngle([])
        case .downlink: .downlink([])
        case .sizedDownlink: .sizedDownlink([])
        default: .other(count: 0)
        }
    }
    switch measurements {
    case .twoWay(var list):
      try coder.code(&list, "measurements")
      measurements = .twoWay(list)
    case .oneWayAngle(var list):
      try coder.code(&list, "measurements")
      measurements = .oneWayAngle(list)
    case .downlink(var list):
      try coder.code(&list, "measurements")
      measurements = .downlink(list)
    case .sizedDownlink(var list):
      try coder.code(&list, "measurements")
      measurements = .sizedDownlink(list)
    case .other(var count):
      try coder.code(&count, "measurements")
      measurements = .other(count: count)
    }
  }
}

/// Whether the direct path was seen.
public struct UCILineOfSight: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Clear (0).
  public static let clear = UCILineOfSight(rawValue: 0)
  /// Obstructed (1).
  public static let obstructed = UCILineOfSight(rawValue: 1)
  /// Unknown (0xFF).
  public static let unknown = UCILineOfSight(rawValue: 0xFF)
}

/// An angle and how good it is: degrees in Q9.7, then 0 … 100 %, of which 0 means that there is no angle.
public struct UCIAngle: UCILayout {
  /// Angle, degrees in Q9.7.
  public var raw: Int16 = 0
  /// Confidence in the angle, 0 to 100.
  public var figureOfMerit: UInt8 = 0

  public init() {}

  /// Creates one with the given values.
  public init(degrees: Double, figureOfMerit: UInt8) {
    raw = Int16(clamping: Int((degrees * 128).rounded()))
    self.figureOfMerit = figureOfMerit
  }

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&raw, "angle")
    try coder.code(&figureOfMerit, "angle's figure of merit")
  }

  /// `nil` where the figure of merit says that there is none.
  public var degrees: Double? { figureOfMerit == 0 ? nil : Double(raw) / 128 }
}

/// A distance by two-way ranging: 31 bytes.
public struct TwoWayMeasurement: UCILayout {
  static let noDistance: UInt16 = 0xFFFF

  /// MAC address of the device.
  public var address = UCIAddress.short(0)
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Whether the chip takes the path for line of sight.
  public var lineOfSight = UCILineOfSight.unknown
  /// cm; the magnitude where the status says that it is below zero, FFFF for none.
  public var rawDistance = Self.noDistance
  /// Azimuth, with its figure of merit.
  public var azimuth = UCIAngle()
  /// Elevation, with its figure of merit.
  public var elevation = UCIAngle()
  /// As the peer measured it.
  public var peerAzimuth = UCIAngle()
  /// Elevation as the peer measured it.
  public var peerElevation = UCIAngle()
  /// In which slot the round failed.
  public var slot: UInt8 = 0
  /// −2 dBm a unit; 0 for none.
  public var rawSignalStrength: UInt8 = 0
  /// Empty for zeros.
  private var reserved: [UInt8] = []

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&address, "peer's address")
    try coder.code(&status, "round's status")
    try coder.code(&lineOfSight, "line of sight")
    try coder.code(&rawDistance, "distance")
    try azimuth.code(&coder)
    try elevation.code(&coder)
    try peerAzimuth.code(&coder)
    try peerElevation.code(&coder)
    try coder.code(&slot, "slot index")
    try coder.code(&rawSignalStrength, "signal strength")
    let reservedCount = coder.hasExtendedAddresses ? 5 : 11
    try coder.codeReserved(&reserved, count: reservedCount)
  }

  /// m, below zero where the status says so; `nil` where the round has not measured.
  public var distance: Double? {
    guard status.hasMeasured, rawDistance != Self.noDistance else { return nil }
    return (status == .negativeDistance ? -0.01 : 0.01) * Double(rawDistance)
  }

  /// dBm
  public var signalStrength: Double? { rawSignalStrength == 0 ? nil : -Double(rawSignalStrength) / 2 }
}

/// The direction of a device that only sends: 13 bytes, or 19.
public struct OneWayAngleMeasurement: UCILayout {
  /// MAC address of the device.
  public var address = UCIAddress.short(0)
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Whether the chip takes the path for line of sight.
  public var lineOfSight = UCILineOfSight.unknown
  /// Number of the frame.
  public var frame: UInt8 = 0
  /// Number of the ranging block.
  public var block: UInt16 = 0
  /// Azimuth, with its figure of merit.
  public var azimuth = UCIAngle()
  /// Elevation, with its figure of merit.
  public var elevation = UCIAngle()

  public init() {}

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&address, "peer's address")
    try coder.code(&status, "round's status")
    try coder.code(&lineOfSight, "line of sight")
    try coder.code(&frame, "frame number")
    try coder.code(&block, "block index")
    try azimuth.code(&coder)
    try elevation.code(&coder)
  }
}

/// RANGE_DATA_NTF before FiRa 1.1, of the SR040: a header of 20 bytes. It shares its kind with `SessionInfo`.
public struct LegacySessionInfo: UCIMessage {
  public static let kind = SessionInfo.kind

  /// Sequence number.
  public var sequence: UInt8 = 0
  /// Identifier of the session.
  public var sessionID: UInt32 = 0
  /// Whether the length of rounds changes.
  public var roundChange: UInt8 = 0
  /// ms
  public var interval: UInt16 = 0
  /// Type of the content.
  public var type: UInt8 = 1
  /// Reserved bytes.
  public var reserved = [UInt8](repeating: 0, count: 10)
  /// Number of entries.
  public var count: UInt8 = 1
  /// MAC address of the device.
  public var address: UInt16 = 0
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Whether the chip takes the path for line of sight.
  public var lineOfSight = UCILineOfSight.unknown
  /// The unit is not documented.
  public var rawDistance: UInt16 = 0
  /// Bytes that follow, as they came.
  public var rest: [UInt8] = []

  public init() {}

  /// Told by the length that one measurement has, and its count at another place.
  static func isLegacy(_ payload: [UInt8]) -> Bool { payload.count == 0x37 && payload[19] == 1 }

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&sequence, "sequence number")
    try coder.code(&sessionID, "session id")
    try coder.code(&roundChange, "round change")
    try coder.code(&interval, "ranging interval")
    try coder.code(&type, "measurement type")
    try coder.code(&reserved, count: 10, "reserved octets")
    try coder.code(&count, "measurements")
    try coder.code(&address, "peer's address")
    try coder.code(&status, "round's status")
    try coder.code(&lineOfSight, "line of sight")
    try coder.code(&rawDistance, "distance")
    coder.codeRest(&rest)
  }
}
