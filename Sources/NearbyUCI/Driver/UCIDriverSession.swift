/// One session of a chip, and where it stands.
struct UCIDriverSession: Sendable {
  enum Phase: Sendable, Hashable {
    case initializing, configuring, starting, active, stopping, deinitializing
  }

  var parameters: [UCIParameter]
  var phase = Phase.initializing
  /// What messages name the session by: its handle or, in 1.x, its id.
  var token: UInt32?
  /// As the chip last said: a notification may come before the response to what caused it.
  var state: UCISessionState?
  /// Whether the command of the present phase was answered.
  var isAnswered = false
  var isStopRequested = false
  /// Not sent yet.
  var data: [SendData] = []
  var hasCredit = false
  /// s; by then the chip must have said what is waited for.
  var deadline: Double?
}

extension UCIDriver {
  /// Most bytes of parameters in one command: 255 without token and count.
  private static let configurationLimit = 250

  mutating func takeAnswer(
    _ packet: UCIPacket, _ status: UCIStatus, to command: Command, of id: UInt32
  ) -> [Event] {
    guard let session = sessions[id] else { return [] }
    if command.kind == DeinitializeSession.kind {
      sessions[id] = nil
      return [.stopped(id)]
    }
    guard status == .ok else { return end(id, with: Self.refusal(packet, status, command)) }
    if command.kind == InitializeSession.kind {
      do throws(UCIError) {
        sessions[id]?.token = try SessionHandle(payload: packet.payload, dialect: dialect).handle ?? id
      } catch {
        return end(id, with: .malformed(command.kind, error))
      }
      return session.isStopRequested ? proceed(id) : configure(id)
    }
    if command.kind == SetSessionConfiguration.kind, isConfiguring(id) { return [] }
    sessions[id]?.isAnswered = true
    return proceed(id)
  }

  private static func refusal(_ packet: UCIPacket, _ status: UCIStatus, _ command: Command) -> UCIDriverError {
    // A refusal without a list of parameters is one all the same.
    if command.kind == SetSessionConfiguration.kind,
      let refused = try? SessionConfigurationResult(payload: packet.payload).refused, !refused.isEmpty
    {
      return .parametersRefused(refused)
    }
    return .refused(command.kind, status)
  }

  mutating func take(_ status: SessionStatus, of id: UInt32) -> [Event] {
    sessions[id]?.state = status.state
    guard let phase = sessions[id]?.phase else { return [] }
    if status.state == .deinitialized, phase != .deinitializing {
      sessions[id] = nil
      abandonCommands(of: id)
      return [.failed(id, .ended(status.reason))]
    }
    if phase == .active, status.state == .idle {
      return end(id, with: .ended(status.reason))
    }
    return proceed(id)
  }

  /// Goes on as far as the chip's answers and states allow.
  mutating func proceed(_ id: UInt32) -> [Event] {
    guard let session = sessions[id], let token = session.token else { return [] }
    switch session.phase {
    case .initializing where session.isStopRequested: return deinitialize(id, token)
    case .configuring where session.isAnswered && session.isStopRequested: return deinitialize(id, token)
    case .configuring where session.isAnswered && session.state == .idle:
      enter(.starting, id)
      return send(StartSession(token: token), for: id)
    case .starting where session.isAnswered && session.state == .active:
      sessions[id]?.phase = .active
      let interval = session.parameters.last { $0.id == .rangingInterval }?.number ?? 200
      let deadline = silenceDeadline(interval: Double(interval) / 1000)
      sessions[id]?.deadline = deadline
      return [.started(id)] + (session.isStopRequested ? proceed(id) : [])
    case .active where session.isStopRequested:
      enter(.stopping, id)
      return send(StopSession(token: token), for: id)
    case .stopping where session.isAnswered && session.state == .idle: return deinitialize(id, token)
    default:
      // Answered, and the state is still to come.
      if session.isAnswered, session.deadline == nil, session.phase != .active {
        sessions[id]?.deadline = now + settings.answerTime
      }
      return []
    }
  }

  /// Ends a session that can't go on: the app is told at once, the chip by a command.
  mutating func end(_ id: UInt32, with error: UCIDriverError) -> [Event] {
    guard let session = sessions.removeValue(forKey: id) else { return [] }
    abandonCommands(of: id)
    guard let token = session.token else { return [.failed(id, error)] }
    return [.failed(id, error)] + send(DeinitializeSession(token: token), isAbandoned: true)
  }

  private mutating func enter(_ phase: UCIDriverSession.Phase, _ id: UInt32) {
    sessions[id]?.phase = phase
    sessions[id]?.isAnswered = false
    sessions[id]?.deadline = nil
  }

  private mutating func deinitialize(_ id: UInt32, _ token: UInt32) -> [Event] {
    enter(.deinitializing, id)
    return send(DeinitializeSession(token: token), for: id)
  }

  /// Sends the configuration, in as many commands as it takes.
  private mutating func configure(_ id: UInt32) -> [Event] {
    guard let session = sessions[id], let token = session.token else { return [] }
    enter(.configuring, id)
    var events: [Event] = []
    var command = SetSessionConfiguration()
    command.token = token
    var room = Self.configurationLimit
    for parameter in session.parameters {
      let length = parameter.value.count + (parameter.id.rawValue > 0xFF ? 3 : 2)
      if length > room, !command.parameters.isEmpty {
        events += send(command, for: id)
        command.parameters.removeAll()
        room = Self.configurationLimit
      }
      command.parameters.append(parameter)
      room -= length
    }
    return events + send(command, for: id)
  }
}
