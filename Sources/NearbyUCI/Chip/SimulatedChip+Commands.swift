extension SimulatedChip {
  /// Obeys a command, or answers with what is wrong with it.
  mutating func obey(_ packet: UCIPacket) {
    guard packet.kind.type == .command else {
      if packet.kind == SendData.kind { carry(packet) }
      return
    }
    guard [0, 1, 2].contains(packet.kind.group) else { return answer(packet, .unknownGroup) }
    do throws(UCIError) {
      guard let decoded = try packet.decoded(in: Self.dialect) else { return answer(packet, .unknownOpcode) }
      guard decoded.additionalBytes.isEmpty else { return answer(packet, .syntaxError) }
      obey(decoded.message, packet)
    } catch {
      answer(packet, .syntaxError)
    }
  }

  private mutating func obey(_ message: any UCIMessage, _ packet: UCIPacket) {
    switch message {
    case is ResetDevice:
      answer(packet, .ok)
      for handle in sessions.keys.sorted() { change(handle, to: .deinitialized) }
      say(state: .ready)
    case is GetDeviceInfo: say(deviceInfo)
    case is GetCapabilities: say(capabilities)
    case is QueryTimestamp:
      let time = UInt64(max(0, now) * 1e6)
      say(Timestamp()) { $0.time = time }
    case let command as SetDeviceConfiguration:
      for parameter in command.parameters { configuration[parameter.id] = parameter.value }
      say(DeviceConfigurationResult())
    case let command as GetDeviceConfiguration:
      let known = command.identifiers.compactMap { id in configuration[id].map { UCIParameter(id, $0) } }
      say(DeviceConfiguration()) { $0.parameters = known }
    case let command as InitializeSession: initialize(command, packet)
    case is GetSessionCount:
      let count = UInt8(clamping: sessions.count)
      say(SessionCount()) { $0.count = count }
    case let command as SetSessionConfiguration: configure(command, packet)
    case let command as GetSessionConfiguration:
      guard let session = session(command.token, packet) else { return }
      let known = command.identifiers.compactMap { id in session.parameters[id].map { UCIParameter(id, $0) } }
      say(SessionConfiguration()) { $0.parameters = known }
    case let command as GetSessionState:
      guard let session = session(command.token, packet) else { return }
      say(SessionStateAnswer()) { $0.state = session.state.rawValue }
    case let command as StartSession:
      guard let session = session(command.token, packet) else { return }
      guard session.state != .active else { return answer(packet, .sessionActive) }
      guard session.state == .idle else { return answer(packet, .sessionNotConfigured) }
      answer(packet, .ok)
      change(command.token, to: .active)
      grantCredit(command.token)
    case let command as StopSession:
      guard let session = session(command.token, packet) else { return }
      guard session.state == .active else { return answer(packet, .rejected) }
      answer(packet, .ok)
      change(command.token, to: .idle)
    case let command as DeinitializeSession:
      guard session(command.token, packet) != nil else { return }
      answer(packet, .ok)
      change(command.token, to: .deinitialized)
    case let command as GetRangingCount:
      guard let session = session(command.token, packet) else { return }
      say(RangingCount()) { $0.count = session.sequence }
    default: answer(packet, .unknownOpcode)
    }
  }

  /// The session that a command is for; where there is none the host is told.
  private mutating func session(_ token: UInt32, _ packet: UCIPacket) -> SimulatedChipSession? {
    if let session = sessions[token] { return session }
    let hasList = packet.kind == SetSessionConfiguration.kind || packet.kind == GetSessionConfiguration.kind
    answer(packet, .noSuchSession, hasList ? [0] : [])
    return nil
  }

  private mutating func initialize(_ command: InitializeSession, _ packet: UCIPacket) {
    guard !sessions.values.contains(where: { $0.id == command.sessionID }) else {
      return answer(packet, .duplicateSession)
    }
    guard sessions.count < settings.maximumSessions else { return answer(packet, .tooManySessions) }
    handles &+= 1
    sessions[handles] = SimulatedChipSession(id: command.sessionID)
    let handle = handles
    say(SessionHandle()) { $0.handle = handle }
    change(handles, to: .initialized)
  }

  private mutating func configure(_ command: SetSessionConfiguration, _ packet: UCIPacket) {
    guard let session = session(command.token, packet) else { return }
    guard session.state != .active else { return answer(packet, .sessionActive, [0]) }
    var result = SessionConfigurationResult()
    for parameter in command.parameters {
      if let fault = SimulatedChipSession.fault(parameter) {
        result.refused.append(UCIParameterStatus(parameter.id, fault))
      } else {
        sessions[command.token]?.parameters[parameter.id] = parameter.value
      }
    }
    if !result.refused.isEmpty { result.status = .invalidParameter }
    say(result)
    if result.refused.isEmpty, sessions[command.token]?.isConfigured == true { change(command.token, to: .idle) }
  }

  /// Data to a peer arrives at once.
  private mutating func carry(_ packet: UCIPacket) {
    guard let data = try? SendData(payload: packet.payload, dialect: Self.dialect), sessions[data.token] != nil else {
      return
    }
    say(DataTransferStatus()) { ($0.token, $0.sequence, $0.status) = (data.token, data.sequence, 1) }
    grantCredit(data.token)
  }

  private mutating func grantCredit(_ handle: UInt32) {
    say(DataCredit()) { ($0.token, $0.availability) = (handle, 1) }
  }

  // MARK: What it says of itself

  private var deviceInfo: DeviceInfo {
    var info = DeviceInfo()
    info.uci.rawValue = 0x0002
    info.mac.rawValue = 0x0002
    info.phy.rawValue = 0x0002
    info.test.rawValue = 0x1001
    return info
  }

  private var capabilities: Capabilities {
    var capabilities = Capabilities()
    let angles: UInt8 = settings.supportsAngles ? 0x0D : 0
    // Longest message and data, both roles, deferred double-sided ranging, static sequence, one to one and to many, channels 5 and 9.
    for (tag, value) in [
      (0x00, [0xFF, 0x00]), (0x01, [0xFF, 0x00]), (0x02, [0x02, 0x00, 0x02, 0x00]), (0x03, [0x02, 0x00, 0x02, 0x00]),
      (0x04, [0x03]), (0x05, [0x03, 0x00]), (0x06, [0x04, 0x00]), (0x07, [0x01]), (0x08, [0x03]), (0x0E, [0x09]),
      (0x13, [angles]), (0x14, [0x00]), (0xE9, [UInt8(clamping: settings.maximumSessions), 0, 0, 0]),
    ] as [(UInt8, [UInt8])] {
      var capability = UCICapability()
      (capability.tag, capability.value) = (tag, value)
      capabilities.parameters.append(capability)
    }
    return capabilities
  }
}
