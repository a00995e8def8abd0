extension UCIDriver {
  mutating func take(_ packet: UCIPacket) -> [Event] {
    switch packet.kind.type {
    case .response: return takeResponse(packet)
    case .notification, .data: return takeNotification(packet)
    case .command, .test, .secondTest:
      ignored += 1
      return []
    }
  }

  private mutating func takeResponse(_ packet: UCIPacket) -> [Event] {
    guard let command = outstanding, packet.kind == command.kind.response else {
      ignored += 1
      return []
    }
    guard let status = packet.payload.first.map(UCIStatus.init) else {
      ignored += 1
      return []
    }
    if status == .retry { return retry() }
    outstanding = nil
    deadline = nil
    var events: [Event] = []
    if command.isAbandoned {
      events = []
    } else if let id = command.session {
      events = takeAnswer(packet, status, to: command, of: id)
    } else if status != .ok {
      return lose(with: .refused(command.kind, status))
    } else {
      do throws(UCIError) {
        events = try takeChipAnswer(packet)
      } catch {
        return lose(with: .malformed(command.kind, error))
      }
    }
    return events + sendNext()
  }

  private mutating func takeChipAnswer(_ packet: UCIPacket) throws(UCIError) -> [Event] {
    switch packet.kind {
    case ResetDevice.kind.response:
      if isChipReady { return identify() }
      deadline = now + settings.readyTime
      return []
    case DeviceInfo.kind:
      info = try DeviceInfo(payload: packet.payload, dialect: dialect)
      dialect.generation = info.generation
      return send(GetCapabilities())
    case Capabilities.kind:
      let capabilities = try Capabilities(payload: packet.payload, dialect: dialect)
      let length = capabilities[dialect.generation == .second ? 0x01 : 0x13]
      maximumDataLength = length.map { max(1, $0.reversed().reduce(0) { $0 << 8 | Int($1) } & 0xFFFF) } ?? 255
      state = .ready
      resets = 0
      return [.ready(info, capabilities)]
    default: return []
    }
  }

  private mutating func takeNotification(_ packet: UCIPacket) -> [Event] {
    let decoded: UCIDecodedMessage
    do throws(UCIError) {
      guard let known = try packet.decoded(in: dialect) else { return [.unknown(packet)] }
      decoded = known
    } catch {
      ignored += 1
      return []
    }
    switch decoded.message {
    case let status as DeviceStatus:
      guard status.state != .error else { return lose(with: .chipLost) }
      isChipReady = isChipReady || status.state == .ready
      let isAwaited = state == .resetting && outstanding == nil && isChipReady
      return [.message(status)] + (isAwaited ? identify() : [])
    case let error as GenericError:
      return error.status == .retry ? retry() : [.message(error)]
    case let status as SessionStatus:
      guard let id = id(of: status.token) else { return [.message(status)] }
      return take(status, of: id)
    case let info as SessionInfo:
      guard let id = id(of: info.token), let session = sessions[id],
        // A first result may come before the report that the session is active.
        session.phase == .active || session.phase == .starting
      else {
        ignored += 1
        return []
      }
      let deadline = silenceDeadline(interval: Double(info.interval) / 1000)
      if session.phase == .active { sessions[id]?.deadline = deadline }
      return [.info(id, info)]
    case let credit as DataCredit:
      guard let id = id(of: credit.token) else { return [.message(credit)] }
      sessions[id]?.hasCredit = credit.availability != 0
      return [.message(credit)] + flushData(of: id)
    default: return [.message(decoded.message)]
    }
  }

  /// One packet for each credit.
  mutating func flushData(of id: UInt32) -> [Event] {
    guard let session = sessions[id], session.hasCredit, let data = session.data.first else { return [] }
    sessions[id]?.data.removeFirst()
    sessions[id]?.hasCredit = false
    do throws(UCIError) {
      let packets = try data.packets(in: dialect, limit: maximumDataLength)
      return [.send(packets.compactMap { try? $0.bytes }.flatMap(\.self))]
    } catch {
      return [.dataFailed(id, .malformed(SendData.kind, error))]
    }
  }

  /// When an active session that says nothing counts as lost.
  func silenceDeadline(interval: Double) -> Double? {
    settings.silentRounds.map { now + max(settings.answerTime, Double($0) * interval) }
  }

  private func id(of token: UInt32) -> UInt32? {
    sessions.first { $0.value.token == token }?.key
  }
}
