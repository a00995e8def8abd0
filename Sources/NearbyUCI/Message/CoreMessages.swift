/// Resets the chip. An empty payload is refused.
public struct ResetDevice: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x00)
  /// What is reset: 0 for the whole device.
  public var configuration: UInt8 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&configuration, "reset type") }
}

/// A response that says how its command went and nothing else.
public struct UCIStatusResponse<Command: UCIMessage>: UCIMessage {
  public static var kind: UCIMessageKind { Command.kind.response }
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&status, "status") }
}

/// Command: get device info.
public struct GetDeviceInfo: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x02)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

/// A version: low byte major, high byte minor and maintenance, four bits each.
public struct UCIVersion: UCILayout {
  /// The parts in one number.
  public var rawValue: UInt16 = 0
  /// Major version.
  public var major: Int { Int(rawValue & 0xFF) }
  /// Minor version.
  public var minor: Int { Int(rawValue >> 12) }
  /// Maintenance version.
  public var maintenance: Int { Int(rawValue >> 8 & 0xF) }

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&rawValue, "version") }
}

/// Response to `GetDeviceInfo`.
public struct DeviceInfo: UCIMessage {
  public static let kind = GetDeviceInfo.kind.response
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Version of UCI.
  public var uci = UCIVersion()
  /// Version of the MAC.
  public var mac = UCIVersion()
  /// Version of the physical layer.
  public var phy = UCIVersion()
  /// Version of the test interface.
  public var test = UCIVersion()
  /// Bytes of the vendor, as they came.
  public var vendorBytes: [UInt8] = []
  /// Whether a failure's status came without the rest.
  private var isStatusAlone = false

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    if coder.isReading { isStatusAlone = status != .ok && coder.available == 0 }
    if isStatusAlone { return }
    try uci.code(&coder)
    try mac.code(&coder)
    try phy.code(&coder)
    try test.code(&coder)
    try coder.codeCounted(&vendorBytes, "vendor bytes")
  }

  /// Which dialect the chip speaks.
  public var generation: UCIDialect.Generation { uci.major >= 2 ? .second : .first }
}

/// Command: get capabilities.
public struct GetCapabilities: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x03)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

/// Response to `GetCapabilities`.
public struct Capabilities: UCIMessage {
  public static let kind = GetCapabilities.kind.response
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Parameters with their values.
  public var parameters: [UCICapability] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&parameters, "capabilities")
  }

  /// The value of a tag; tags differ between the generations.
  public subscript(tag: UInt8) -> [UInt8]? { parameters.first { $0.tag == tag }?.value }

  /// Whether the chip measures angles, by either generation's tag.
  public func supportsAngles(_ generation: UCIDialect.Generation) -> Bool {
    self[generation == .second ? 0x13 : 0x10]?.contains { $0 != 0 } ?? false
  }

  /// Channels by their bits: 5, 6, 8, 9, 10, 12, 13, 14.
  public func channels(_ generation: UCIDialect.Generation) -> [Int] {
    let bits = self[generation == .second ? 0x0E : 0x0B]?.first ?? 0
    return zip(0..., [5, 6, 8, 9, 10, 12, 13, 14]).compactMap { bits >> $0 & 1 == 1 ? $1 : nil }
  }
}

/// A capability: a tag of one byte, a length, a value.
public struct UCICapability: UCILayout {
  /// Which capability.
  public var tag: UInt8 = 0
  /// Value, low byte first.
  public var value: [UInt8] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&tag, "capability's tag")
    try coder.codeCounted(&value, "capability's value")
  }
}

/// Command: set device configuration.
public struct SetDeviceConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x04)
  /// Parameters with their values.
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&parameters, "parameters") }
}

/// Says which parameters of a command were refused.
public struct UCIRefusals<Command: UCIMessage>: UCIMessage {
  public static var kind: UCIMessageKind { Command.kind.response }
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Parameters that were refused, with the reason of each.
  public var refused: [UCIParameterStatus] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&refused, "refused parameters")
  }
}

/// Response to `SetDeviceConfiguration`.
public typealias DeviceConfigurationResult = UCIRefusals<SetDeviceConfiguration>

/// Command: get device configuration.
public struct GetDeviceConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x05)
  /// Parameters that are asked for.
  public var identifiers: [UCIParameterID] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&identifiers, "identifiers") }
}

/// The parameters that a command asked for.
public struct UCIParameterAnswer<Command: UCIMessage>: UCIMessage {
  public static var kind: UCIMessageKind { Command.kind.response }
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Parameters with their values.
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&parameters, "parameters")
  }
}

/// Response to `GetDeviceConfiguration`.
public typealias DeviceConfiguration = UCIParameterAnswer<GetDeviceConfiguration>

/// Command: query timestamp.
public struct QueryTimestamp: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x08)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

/// Response to `QueryTimestamp`.
public struct Timestamp: UCIMessage {
  public static let kind = QueryTimestamp.kind.response
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// µs on Qorvo's chips; `nil` with a status that is not ok.
  public var time: UInt64?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&time, "timestamp")
  }
}

/// Notification: device status.
public struct DeviceStatus: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 0, opcode: 0x01)
  /// State of the device.
  public var state = DeviceState.ready

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&state, "device state") }
}

/// An error that belongs to no response; `retry` asks for the last command again.
public struct GenericError: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 0, opcode: 0x07)
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.failed

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&status, "status") }
}
