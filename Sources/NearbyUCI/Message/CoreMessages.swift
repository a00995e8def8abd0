/// Resets the chip. An empty payload is refused.
public struct ResetDevice: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x00)
  public var configuration: UInt8 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&configuration, "reset type") }
}

/// A response that says how its command went and nothing else.
public struct UCIStatusResponse<Command: UCIMessage>: UCIMessage {
  public static var kind: UCIMessageKind { Command.kind.response }
  public var status = UCIStatus.ok

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&status, "status") }
}

public struct GetDeviceInfo: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x02)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

/// A version: low byte major, high byte minor and maintenance, four bits each.
public struct UCIVersion: UCILayout {
  public var rawValue: UInt16 = 0
  public var major: Int { Int(rawValue & 0xFF) }
  public var minor: Int { Int(rawValue >> 12) }
  public var maintenance: Int { Int(rawValue >> 8 & 0xF) }

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&rawValue, "version") }
}

public struct DeviceInfo: UCIMessage {
  public static let kind = GetDeviceInfo.kind.response
  public var status = UCIStatus.ok
  public var uci = UCIVersion()
  public var mac = UCIVersion()
  public var phy = UCIVersion()
  public var test = UCIVersion()
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

public struct GetCapabilities: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x03)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

public struct Capabilities: UCIMessage {
  public static let kind = GetCapabilities.kind.response
  public var status = UCIStatus.ok
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
  public var tag: UInt8 = 0
  public var value: [UInt8] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&tag, "capability's tag")
    try coder.codeCounted(&value, "capability's value")
  }
}

public struct SetDeviceConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x04)
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&parameters, "parameters") }
}

/// Says which parameters were refused.
public struct DeviceConfigurationResult: UCIMessage {
  public static let kind = SetDeviceConfiguration.kind.response
  public var status = UCIStatus.ok
  public var refused: [UCIParameterStatus] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&refused, "refused parameters")
  }
}

public struct GetDeviceConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x05)
  public var identifiers: [UCIParameterID] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&identifiers, "identifiers") }
}

public struct DeviceConfiguration: UCIMessage {
  public static let kind = GetDeviceConfiguration.kind.response
  public var status = UCIStatus.ok
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&parameters, "parameters")
  }
}

public struct QueryTimestamp: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 0, opcode: 0x08)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

public struct Timestamp: UCIMessage {
  public static let kind = QueryTimestamp.kind.response
  public var status = UCIStatus.ok
  /// µs on Qorvo's chips; `nil` with a status that is not ok.
  public var time: UInt64?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&time, "timestamp")
  }
}

public struct DeviceStatus: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 0, opcode: 0x01)
  public var state = DeviceState.ready

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&state, "device state") }
}

/// An error that belongs to no response; `retry` asks for the last command again.
public struct GenericError: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 0, opcode: 0x07)
  public var status = UCIStatus.failed

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&status, "status") }
}
