/// A command that says which session it is for, and nothing else.
public protocol UCISessionCommand: UCIMessage {
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  var token: UInt32 { get set }
}

extension UCISessionCommand {
  /// A command for this session.
  public init(token: UInt32) {
    self.init()
    self.token = token
  }

  public mutating func code(_ coder: inout UCICoder) throws(UCIError) { try coder.code(&token, "session token") }
}

/// Command: initialize session.
public struct InitializeSession: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x00)
  /// Identifier of the session.
  public var sessionID: UInt32 = 0
  /// Type of the content.
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
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// What later messages name the session by; `nil` in 1.x, where they carry its id.
  public var handle: UInt32?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&handle, "session handle")
  }
}

/// Command: deinitialize session.
public struct DeinitializeSession: UCISessionCommand {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x01)
  public var token: UInt32 = 0

  public init() {}
}

/// Notification: session status.
public struct SessionStatus: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 1, opcode: 0x02)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// State of the session.
  public var state = UCISessionState.initialized
  /// Why the session is in this state.
  public var reason = UCISessionReason.command

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&state, "session state")
    try coder.code(&reason, "reason")
  }
}

/// Command: set session configuration.
public struct SetSessionConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x03)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// Parameters with their values.
  public var parameters: [UCIParameter] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&parameters, "parameters")
  }
}

/// Response to `SetSessionConfiguration`.
public typealias SessionConfigurationResult = UCIRefusals<SetSessionConfiguration>

/// Command: get session configuration.
public struct GetSessionConfiguration: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x04)
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// Parameters that are asked for.
  public var identifiers: [UCIParameterID] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&identifiers, "identifiers")
  }
}

/// Response to `GetSessionConfiguration`.
public typealias SessionConfiguration = UCIParameterAnswer<GetSessionConfiguration>

/// Command: get session count.
public struct GetSessionCount: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x05)

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {}
}

/// Response to `GetSessionCount`.
public struct SessionCount: UCIMessage {
  public static let kind = GetSessionCount.kind.response
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Number of entries.
  public var count: UInt8?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&count, "session count")
  }
}

/// Command: get session state.
public struct GetSessionState: UCISessionCommand {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x06)
  public var token: UInt32 = 0

  public init() {}
}

/// Response to `GetSessionState`.
public struct SessionStateAnswer: UCIMessage {
  public static let kind = GetSessionState.kind.response
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// A `UCISessionState`'s number; `nil` with a status that is not ok.
  public var state: UInt8?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&state, "session state")
  }
}

/// Command: start session.
public struct StartSession: UCISessionCommand {
  public static let kind = UCIMessageKind(.command, group: 2, opcode: 0x00)
  public var token: UInt32 = 0

  public init() {}
}

/// Command: stop session.
public struct StopSession: UCISessionCommand {
  public static let kind = UCIMessageKind(.command, group: 2, opcode: 0x01)
  public var token: UInt32 = 0

  public init() {}
}

/// Command: get ranging count.
public struct GetRangingCount: UCISessionCommand {
  public static let kind = UCIMessageKind(.command, group: 2, opcode: 0x03)
  public var token: UInt32 = 0

  public init() {}
}

/// Response to `GetRangingCount`.
public struct RangingCount: UCIMessage {
  public static let kind = GetRangingCount.kind.response
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// `nil` with a status that is not ok.
  public var count: UInt32?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    try coder.code(&count, "ranging count")
  }
}
