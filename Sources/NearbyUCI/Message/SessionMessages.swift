public struct InitializeSession: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x00)
  public var sessionID: UInt32 = 0
  public var type = UCISessionType.ranging

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&sessionID, "session id")
    try coder.code(&type, "session type")
  }
}

/// Answers the making of a session.
public struct SessionHandle: UCIMessage {
  public static let kind = InitializeSession.kind.response
  public var status = UCIStatus.ok
  /// What later messages name the session by; `nil` in 1.x, where they carry its id.
  public var handle: UInt32?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&handle, "session handle")
  }
}

public struct DeinitializeSession: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x01)
  public var token: UInt32 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&token, "session token") }
}

public struct SessionStatus: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 1, opcode: 0x02)
  public var token: UInt32 = 0
  public var state = UCISessionState.initialized
  public var reason = UCISessionReason.command

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&state, "session state")
    try coder.code(&reason, "reason")
  }
}

public struct SetSessionConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x03)
  public var token: UInt32 = 0
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&parameters, "parameters")
  }
}

/// Says which parameters were refused.
public struct SessionConfigurationResult: UCIMessage {
  public static let kind = SetSessionConfiguration.kind.response
  public var status = UCIStatus.ok
  public var refused: [UCIParameterStatus] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&refused, "refused parameters")
  }
}

public struct GetSessionConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x04)
  public var token: UInt32 = 0
  public var identifiers: [UCIParameterID] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&identifiers, "identifiers")
  }
}

public struct SessionConfiguration: UCIMessage {
  public static let kind = GetSessionConfiguration.kind.response
  public var status = UCIStatus.ok
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&parameters, "parameters")
  }
}

public struct GetSessionCount: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x05)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

public struct SessionCount: UCIMessage {
  public static let kind = GetSessionCount.kind.response
  public var status = UCIStatus.ok
  public var count: UInt8?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&count, "session count")
  }
}

public struct GetSessionState: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x06)
  public var token: UInt32 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&token, "session token") }
}

public struct SessionStateAnswer: UCIMessage {
  public static let kind = GetSessionState.kind.response
  public var status = UCIStatus.ok
  /// A `UCISessionState`'s number; `nil` with a status that is not ok.
  public var state: UInt8?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&state, "session state")
  }
}

public struct StartSession: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 2, opcode: 0x00)
  public var token: UInt32 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&token, "session token") }
}

public struct StopSession: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 2, opcode: 0x01)
  public var token: UInt32 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&token, "session token") }
}

public struct GetRangingCount: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 2, opcode: 0x03)
  public var token: UInt32 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&token, "session token") }
}

public struct RangingCount: UCIMessage {
  public static let kind = GetRangingCount.kind.response
  public var status = UCIStatus.ok
  /// `nil` with a status that is not ok.
  public var count: UInt32?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&count, "ranging count")
  }
}
