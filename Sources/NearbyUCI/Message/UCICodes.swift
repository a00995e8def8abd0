/// The outcome of a command or of a ranging round. Codes that have no name here are kept as numbers.
public struct UCIStatus: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Ok (0x00).
  public static let ok = UCIStatus(rawValue: 0x00)
  /// Rejected (0x01).
  public static let rejected = UCIStatus(rawValue: 0x01)
  /// Failed (0x02).
  public static let failed = UCIStatus(rawValue: 0x02)
  /// Syntax error (0x03).
  public static let syntaxError = UCIStatus(rawValue: 0x03)
  /// Invalid parameter (0x04).
  public static let invalidParameter = UCIStatus(rawValue: 0x04)
  /// Invalid range (0x05).
  public static let invalidRange = UCIStatus(rawValue: 0x05)
  /// Invalid message size (0x06).
  public static let invalidMessageSize = UCIStatus(rawValue: 0x06)
  /// Unknown group (0x07).
  public static let unknownGroup = UCIStatus(rawValue: 0x07)
  /// Unknown opcode (0x08).
  public static let unknownOpcode = UCIStatus(rawValue: 0x08)
  /// Read only (0x09).
  public static let readOnly = UCIStatus(rawValue: 0x09)
  /// The command is to be sent again, as it was.
  public static let retry = UCIStatus(rawValue: 0x0A)
  /// Unknown (0x0B).
  public static let unknown = UCIStatus(rawValue: 0x0B)
  /// Not applicable (0x0C).
  public static let notApplicable = UCIStatus(rawValue: 0x0C)
  /// No such session (0x11).
  public static let noSuchSession = UCIStatus(rawValue: 0x11)
  /// Duplicate session (0x12).
  public static let duplicateSession = UCIStatus(rawValue: 0x12)
  /// Session active (0x13).
  public static let sessionActive = UCIStatus(rawValue: 0x13)
  /// Too many sessions (0x14).
  public static let tooManySessions = UCIStatus(rawValue: 0x14)
  /// Session not configured (0x15).
  public static let sessionNotConfigured = UCIStatus(rawValue: 0x15)
  /// Active sessions ongoing (0x16).
  public static let activeSessionsOngoing = UCIStatus(rawValue: 0x16)
  /// Multicast list full (0x17).
  public static let multicastListFull = UCIStatus(rawValue: 0x17)
  /// Address not found (0x18).
  public static let addressNotFound = UCIStatus(rawValue: 0x18)
  /// Address present (0x19).
  public static let addressPresent = UCIStatus(rawValue: 0x19)
  /// Initiation time too old (0x1A).
  public static let initiationTimeTooOld = UCIStatus(rawValue: 0x1A)
  /// A round that went well; its distance is below zero.
  public static let negativeDistance = UCIStatus(rawValue: 0x1B)
  /// Transmission failed (0x20).
  public static let transmissionFailed = UCIStatus(rawValue: 0x20)
  /// Reception timeout (0x21).
  public static let receptionTimeout = UCIStatus(rawValue: 0x21)
  /// Physical decoding (0x22).
  public static let physicalDecoding = UCIStatus(rawValue: 0x22)
  /// Time of arrival (0x23).
  public static let timeOfArrival = UCIStatus(rawValue: 0x23)
  /// The two ends scramble their timestamp sequences with different keys.
  public static let scrambledTimestampSequence = UCIStatus(rawValue: 0x24)
  /// Frame decoding (0x25).
  public static let frameDecoding = UCIStatus(rawValue: 0x25)
  /// Information element decoding (0x26).
  public static let informationElementDecoding = UCIStatus(rawValue: 0x26)
  /// Information element missing (0x27).
  public static let informationElementMissing = UCIStatus(rawValue: 0x27)
  /// Round not activated (0x28).
  public static let roundNotActivated = UCIStatus(rawValue: 0x28)
  /// Too many rounds (0x29).
  public static let tooManyRounds = UCIStatus(rawValue: 0x29)
  /// Address not in reply list (0x2A).
  public static let addressNotInReplyList = UCIStatus(rawValue: 0x2A)
  /// Payload too large (0x30).
  public static let payloadTooLarge = UCIStatus(rawValue: 0x30)
  /// Checksum (0x31).
  public static let checksum = UCIStatus(rawValue: 0x31)

  /// Whether the code is the manufacturer's own.
  public var isVendorSpecific: Bool { rawValue >= 0x50 }

  /// Whether a round with this status has measured.
  public var hasMeasured: Bool { self == .ok || self == .negativeDistance }
}

/// State of a UWB chip. Other codes than these are kept as they are.
public struct DeviceState: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// On NXP's chips and before 2.0.
  public static let initializing = DeviceState(rawValue: 0x00)
  /// Ready (0x01).
  public static let ready = DeviceState(rawValue: 0x01)
  /// Active (0x02).
  public static let active = DeviceState(rawValue: 0x02)
  /// The chip needs a reset; all sessions are lost.
  public static let error = DeviceState(rawValue: 0xFF)
}

/// State of a session. Other codes than these are kept as they are.
public struct UCISessionState: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Made, and not configured.
  public static let initialized = UCISessionState(rawValue: 0x00)
  /// Deinitialized (0x01).
  public static let deinitialized = UCISessionState(rawValue: 0x01)
  /// Active (0x02).
  public static let active = UCISessionState(rawValue: 0x02)
  /// Configured, and not started.
  public static let idle = UCISessionState(rawValue: 0x03)
}

/// Why a session's state has changed.
public struct UCISessionReason: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Command (0x00).
  public static let command = UCISessionReason(rawValue: 0x00)
  /// Retries used up (0x01).
  public static let retriesUsedUp = UCISessionReason(rawValue: 0x01)
  /// Measurements done (0x02).
  public static let measurementsDone = UCISessionReason(rawValue: 0x02)
  /// Suspended in band (0x03).
  public static let suspendedInBand = UCISessionReason(rawValue: 0x03)
  /// Resumed in band (0x04).
  public static let resumedInBand = UCISessionReason(rawValue: 0x04)
  /// Stopped in band (0x05).
  public static let stoppedInBand = UCISessionReason(rawValue: 0x05)

  /// Whether a parameter of the application configuration is at fault.
  public var isBadParameter: Bool { (0x1D...0x3F).contains(rawValue) || (0x40...0x42).contains(rawValue) }
}

/// Type of a session. Other codes than these are kept as they are.
public struct UCISessionType: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Ranging (0x00).
  public static let ranging = UCISessionType(rawValue: 0x00)
  /// Ranging with data (0x01).
  public static let rangingWithData = UCISessionType(rawValue: 0x01)
  /// Data (0x02).
  public static let data = UCISessionType(rawValue: 0x02)
}

/// A device's address on the air, low byte first.
public enum UCIAddress: Sendable, Hashable {
  /// Two bytes.
  case short(UInt16)
  /// Eight bytes.
  case extended(UInt64)

  var value: UInt64 {
    switch self {
    case .short(let value): UInt64(value)
    case .extended(let value): value
    }
  }
}

extension UCICoder {
  mutating func code(_ address: inout UCIAddress, _ field: String) throws(UCIError) {
    var value = address.value
    try code(&value, octets: hasExtendedAddresses ? 8 : 2, field)
    address = hasExtendedAddresses ? .extended(value) : .short(UInt16(truncatingIfNeeded: value))
  }
}
