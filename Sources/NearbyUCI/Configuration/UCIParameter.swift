/// Names a parameter of the device or of a session. Identifiers that have no name here are kept as numbers.
///
/// On NXP's chips an identifier may have two bytes, the first E3 … E5: it is the high byte here.
public struct UCIParameterID: RawRepresentable, UCILayout {
  public var rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public init() {
    rawValue = 0
  }

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    var first = UInt8(truncatingIfNeeded: rawValue > 0xFF ? rawValue >> 8 : rawValue)
    try coder.code(&first, "parameter's identifier")
    let hasSecond =
      coder.isReading ? coder.dialect.hasTwoByteIdentifiers && (0xE3...0xE5).contains(first) : rawValue > 0xFF
    guard hasSecond else {
      rawValue = UInt16(first)
      return
    }
    var second = UInt8(truncatingIfNeeded: rawValue)
    try coder.code(&second, "parameter's second identifier octet")
    rawValue = UInt16(first) << 8 | UInt16(second)
  }

  // The application configuration of a session.
  /// Device type (0x00).
  public static let deviceType = UCIParameterID(rawValue: 0x00)
  /// Ranging round usage (0x01).
  public static let rangingRoundUsage = UCIParameterID(rawValue: 0x01)
  /// STS configuration (0x02).
  public static let stsConfiguration = UCIParameterID(rawValue: 0x02)
  /// Multi node mode (0x03).
  public static let multiNodeMode = UCIParameterID(rawValue: 0x03)
  /// Channel (0x04).
  public static let channel = UCIParameterID(rawValue: 0x04)
  /// Controlee count (0x05).
  public static let controleeCount = UCIParameterID(rawValue: 0x05)
  /// Device address (0x06).
  public static let deviceAddress = UCIParameterID(rawValue: 0x06)
  /// Destination addresses (0x07).
  public static let destinationAddresses = UCIParameterID(rawValue: 0x07)
  /// Slot duration (0x08).
  public static let slotDuration = UCIParameterID(rawValue: 0x08)
  /// Ranging interval (0x09).
  public static let rangingInterval = UCIParameterID(rawValue: 0x09)
  /// STS index (0x0A).
  public static let stsIndex = UCIParameterID(rawValue: 0x0A)
  /// Frame check (0x0B).
  public static let frameCheck = UCIParameterID(rawValue: 0x0B)
  /// Round control (0x0C).
  public static let roundControl = UCIParameterID(rawValue: 0x0C)
  /// Angle request (0x0D).
  public static let angleRequest = UCIParameterID(rawValue: 0x0D)
  /// Notifications (0x0E).
  public static let notifications = UCIParameterID(rawValue: 0x0E)
  /// Notification near (0x0F).
  public static let notificationNear = UCIParameterID(rawValue: 0x0F)
  /// Notification far (0x10).
  public static let notificationFar = UCIParameterID(rawValue: 0x10)
  /// Device role (0x11).
  public static let deviceRole = UCIParameterID(rawValue: 0x11)
  /// Frame format (0x12).
  public static let frameFormat = UCIParameterID(rawValue: 0x12)
  /// Signal strength reporting (0x13).
  public static let signalStrengthReporting = UCIParameterID(rawValue: 0x13)
  /// Preamble code (0x14).
  public static let preambleCode = UCIParameterID(rawValue: 0x14)
  /// Start of frame delimiter (0x15).
  public static let startOfFrameDelimiter = UCIParameterID(rawValue: 0x15)
  /// Payload rate (0x16).
  public static let payloadRate = UCIParameterID(rawValue: 0x16)
  /// Preamble duration (0x17).
  public static let preambleDuration = UCIParameterID(rawValue: 0x17)
  /// Time structure (0x1A).
  public static let timeStructure = UCIParameterID(rawValue: 0x1A)
  /// Slots per round (0x1B).
  public static let slotsPerRound = UCIParameterID(rawValue: 0x1B)
  /// Angle bounds (0x1D).
  public static let angleBounds = UCIParameterID(rawValue: 0x1D)
  /// Pulse repetition (0x1F).
  public static let pulseRepetition = UCIParameterID(rawValue: 0x1F)
  /// Contention size (0x20).
  public static let contentionSize = UCIParameterID(rawValue: 0x20)
  /// Schedule mode (0x22).
  public static let scheduleMode = UCIParameterID(rawValue: 0x22)
  /// Key rotation (0x23).
  public static let keyRotation = UCIParameterID(rawValue: 0x23)
  /// Key rotation rate (0x24).
  public static let keyRotationRate = UCIParameterID(rawValue: 0x24)
  /// Session priority (0x25).
  public static let sessionPriority = UCIParameterID(rawValue: 0x25)
  /// Address mode (0x26).
  public static let addressMode = UCIParameterID(rawValue: 0x26)
  /// Vendor id (0x27).
  public static let vendorID = UCIParameterID(rawValue: 0x27)
  /// Static initial vector (0x28).
  public static let staticInitialVector = UCIParameterID(rawValue: 0x28)
  /// STS segment count (0x29).
  public static let stsSegmentCount = UCIParameterID(rawValue: 0x29)
  /// Maximum retries (0x2A).
  public static let maximumRetries = UCIParameterID(rawValue: 0x2A)
  /// Initiation time (0x2B).
  public static let initiationTime = UCIParameterID(rawValue: 0x2B)
  /// Hopping (0x2C).
  public static let hopping = UCIParameterID(rawValue: 0x2C)
  /// Block stride (0x2D).
  public static let blockStride = UCIParameterID(rawValue: 0x2D)
  /// Result report (0x2E).
  public static let resultReport = UCIParameterID(rawValue: 0x2E)
  /// In band termination (0x2F).
  public static let inBandTermination = UCIParameterID(rawValue: 0x2F)
  /// Sub session id (0x30).
  public static let subSessionID = UCIParameterID(rawValue: 0x30)
  /// Header rate (0x31).
  public static let headerRate = UCIParameterID(rawValue: 0x31)
  /// Maximum measurements (0x32).
  public static let maximumMeasurements = UCIParameterID(rawValue: 0x32)
  /// STS length (0x35).
  public static let stsLength = UCIParameterID(rawValue: 0x35)
  /// Session key (0x45).
  public static let sessionKey = UCIParameterID(rawValue: 0x45)
  /// Sub session key (0x46).
  public static let subSessionKey = UCIParameterID(rawValue: 0x46)
  /// Qorvo's: diagnostics on or off, and which fields they have (02 angles, 08 clock offset, 20 metrics, 40 CIR).
  public static let qorvoDiagnostics = UCIParameterID(rawValue: 0xE8)
  /// Qorvo diagnostic fields (0xE9).
  public static let qorvoDiagnosticFields = UCIParameterID(rawValue: 0xE9)
}

/// A parameter: identifier, length, value.
public struct UCIParameter: UCILayout {
  /// Which segment of which receiver.
  public var id = UCIParameterID()
  /// Value, low byte first.
  public var value: [UInt8] = []

  public init() {}

  /// Creates one with the given values.
  public init(_ id: UCIParameterID, _ value: [UInt8]) {
    self.id = id
    self.value = value
  }

  /// A number, low byte first, as wide as its type.
  public init(_ id: UCIParameterID, _ number: some FixedWidthInteger) {
    self.init(id, (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try id.code(&coder)
    try coder.codeCounted(&value, "value of parameter \(String(id.rawValue, radix: 16))")
  }

  /// The value as a number, low byte first; `nil` where it is longer than eight bytes.
  public var number: UInt64? {
    value.count <= 8 ? value.reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil
  }
}

/// What became of one parameter.
public struct UCIParameterStatus: UCILayout {
  /// Which segment of which receiver.
  public var id = UCIParameterID()
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok

  public init() {}

  /// Creates one with the given values.
  public init(_ id: UCIParameterID, _ status: UCIStatus) {
    self.id = id
    self.status = status
  }

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try id.code(&coder)
    try coder.code(&status, "parameter's status")
  }
}
