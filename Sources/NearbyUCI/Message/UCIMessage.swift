/// A UCI message with its fields.
public protocol UCIMessage: UCILayout {
  /// Message type, group and opcode.
  static var kind: UCIMessageKind { get }
}

/// A message, and what its payload holds beyond the fields that are known: later versions add at the end.
public struct UCIDecodedMessage: Sendable {
  /// The message.
  public var message: any UCIMessage
  /// Bytes behind the fields that are known.
  public var additionalBytes: [UInt8]
}

extension UCIMessage {
  /// Reads a whole message's payload.
  public init(payload: [UInt8], dialect: UCIDialect = UCIDialect()) throws(UCIError) {
    self.init()
    var coder = UCICoder(reading: payload, dialect: dialect)
    try code(&coder)
  }

  /// Bytes of the message's payload.
  public func payload(in dialect: UCIDialect = UCIDialect()) throws(UCIError) -> [UInt8] {
    var coder = UCICoder(writingFor: dialect)
    var copy = self
    try copy.code(&coder)
    return coder.bytes
  }

  /// The message as packets, in segments where it is long.
  public func packets(in dialect: UCIDialect = UCIDialect(), limit: Int = 255) throws(UCIError) -> [UCIPacket] {
    UCIPacket.segments(Self.kind, payload: try payload(in: dialect), limit: limit)
  }

  fileprivate static func decode(_ payload: [UInt8], _ dialect: UCIDialect) throws(UCIError) -> UCIDecodedMessage {
    var message = Self()
    var coder = UCICoder(reading: payload, dialect: dialect)
    try message.code(&coder)
    return UCIDecodedMessage(message: message, additionalBytes: Array(payload[coder.offset...]))
  }
}

extension UCIPacket {
  /// The fields of a whole message; `nil` for a kind that is not known.
  ///
  /// - Throws: `UCIError` with the field and its place.
  public func decoded(in dialect: UCIDialect = UCIDialect()) throws(UCIError) -> UCIDecodedMessage? {
    if kind == SessionInfo.kind, LegacySessionInfo.isLegacy(payload) {
      return try LegacySessionInfo.decode(payload, dialect)
    }
    guard let type = Self.layouts[kind] else { return nil }
    return try type.decode(payload, dialect)
  }

  /// Every message with a layout.
  private static let layouts: [UCIMessageKind: any UCIMessage.Type] = {
    let all: [any UCIMessage.Type] = [
      ResetDevice.self, GetDeviceInfo.self, GetCapabilities.self, SetDeviceConfiguration.self,
      GetDeviceConfiguration.self, QueryTimestamp.self, UCIStatusResponse<ResetDevice>.self, DeviceInfo.self,
      Capabilities.self, DeviceConfigurationResult.self, DeviceConfiguration.self, Timestamp.self, DeviceStatus.self,
      GenericError.self,
      InitializeSession.self, DeinitializeSession.self, SetSessionConfiguration.self, GetSessionConfiguration.self,
      GetSessionCount.self, GetSessionState.self, UpdateMulticastList.self, SessionHandle.self,
      UCIStatusResponse<DeinitializeSession>.self, SessionConfigurationResult.self, SessionConfiguration.self,
      SessionCount.self, SessionStateAnswer.self, MulticastListResult.self, SessionStatus.self,
      MulticastListStatus.self,
      StartSession.self, StopSession.self, GetRangingCount.self, UCIStatusResponse<StartSession>.self,
      UCIStatusResponse<StopSession>.self, RangingCount.self, SessionInfo.self, DataCredit.self,
      DataTransferStatus.self, SendData.self, ReceivedData.self,
      AndroidDiagnostics.self, QorvoDiagnostics.self, NXPImpulseResponse.First.self, NXPImpulseResponse.Second.self,
    ]
    return Dictionary(all.map { ($0.kind, $0) }) { first, _ in first }
  }()
}
