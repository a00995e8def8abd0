/// The host's end of the dialogue with one chip, as a plain value: bytes, orders and the time go in; bytes and events come out.
///
/// It opens no port, reads no clock and starts no task. One command is outstanding at a time; notifications may come at any moment. What
/// answers late, twice or out of order is counted and changes nothing. A chip that does not answer is reset; when resets fail, it is lost.
///
///     closed ─▶ resetting ─▶ identifying ─▶ ready;   a session: initializing ─▶ configuring ─▶ starting ─▶ active ─▶ stopping
public struct UCIDriver: Sendable {
  /// Timeouts and limits of the driver.
  public struct Settings: Sendable, Hashable {
    /// s for a response, or for a session's change of state
    public var answerTime = 2.0
    /// s that the chip has for reporting itself ready after it has answered a reset; then it is asked all the same.
    public var readyTime = 0.5
    /// After so many intervals without a round's result, and `answerTime` at least, an active session counts as lost; `nil` waits for ever.
    public var silentRounds: Int?
    /// How often a command is sent at most where the chip asks for it again.
    public var maximumAttempts = 3
    /// How often the chip is reset in a row before it counts as lost.
    public var maximumResets = 3
    /// s after which a sender has given up the packet that it began.
    public var silence = 0.1
    /// Whether E3, E4 and E5 begin parameter identifiers of two bytes, as on NXP's chips.
    public var hasTwoByteIdentifiers = false

    /// Creates one with default values.
    public init() {}
  }

  /// What the driver asks for or reports.
  public enum Event: Sendable {
    /// Bytes to write to the port.
    case send([UInt8])
    /// A packet that has come, before anything is made of it.
    case packet(UCIPacket)
    /// The chip answers; sessions may be started.
    case ready(DeviceInfo, Capabilities)
    /// The chip could not be reset; `open` tries again.
    case lost(UCIDriverError)
    /// By the session's id.
    case started(UInt32)
    /// The session of this identifier has stopped.
    case stopped(UInt32)
    /// The session of this identifier failed.
    case failed(UInt32, UCIDriverError)
    /// Data of a session that could not be sent.
    case dataFailed(UInt32, UCIDriverError)
    /// What a session has measured.
    case info(UInt32, SessionInfo)
    /// Any other notification or data, as it came.
    case message(any UCIMessage)
    /// A packet that is not understood.
    case unknown(UCIPacket)
  }

  /// State of the connection to the chip.
  public enum State: Sendable, Hashable {
    /// From closed to ready.
    case closed, resetting, identifying, ready
  }

  struct Command: Sendable {
    var kind: UCIMessageKind
    var packets: [UCIPacket]
    /// Whom the answer is for; `nil` for the chip's own commands.
    var session: UInt32?
    /// Whether nobody waits for the answer any more.
    var isAbandoned = false
    var attempts = 0
  }

  /// Settings of the driver.
  public let settings: Settings
  /// State of the connection to the chip.
  public internal(set) var state = State.closed
  /// What the same bytes mean to this chip.
  public internal(set) var dialect: UCIDialect
  /// Answers to nothing that was asked, and messages that could not be read.
  public internal(set) var ignored = 0
  var sessions: [UInt32: UCIDriverSession] = [:]
  private var stream = UCIPacketStream(isSynchronized: false)
  private var reassembler = UCIReassembler()
  var queue: [Command] = []
  var outstanding: Command?
  var deadline: Double?
  private var lastByte = 0.0
  var resets = 0
  var info = DeviceInfo()
  /// Whether the chip has reported itself ready since it was last reset.
  var isChipReady = false
  /// Most payload bytes of a data packet, as the chip says.
  var maximumDataLength = 255
  var now = 0.0

  /// Creates one with the given values.
  public init(settings: Settings = Settings()) {
    self.settings = settings
    dialect = UCIDialect(.second, hasTwoByteIdentifiers: settings.hasTwoByteIdentifiers)
  }

  // MARK: Orders

  /// The port was opened: whatever the chip was doing, it is reset.
  public mutating func open(at time: Double) -> [Event] {
    now = time
    resets = 0
    stream = UCIPacketStream(isSynchronized: false)
    return reset()
  }

  /// The port is gone.
  public mutating func close() -> [Event] {
    state = .closed
    clearCommands()
    return forgetSessions()
  }

  /// Ranges a session from now on; one that is there already goes on as it is. Its id must be the peer's too.
  public mutating func start(
    _ id: UInt32, type: UCISessionType = .ranging, parameters: [UCIParameter], at time: Double
  ) -> [Event] {
    now = time
    guard state == .ready else { return [.failed(id, .chipLost)] }
    guard sessions[id] == nil else { return [] }
    sessions[id] = UCIDriverSession(parameters: parameters)
    var command = InitializeSession()
    (command.sessionID, command.type) = (id, type)
    return send(command, for: id)
  }

  /// Ends a session.
  public mutating func stop(_ id: UInt32, at time: Double) -> [Event] {
    now = time
    guard sessions[id] != nil else { return [] }
    sessions[id]?.isStopRequested = true
    return proceed(id)
  }

  /// Sends data to a peer of a session once the chip has given credit for it.
  public mutating func sendData(_ data: SendData, of id: UInt32, at time: Double) -> [Event] {
    now = time
    guard let token = sessions[id]?.token else { return [.dataFailed(id, .chipLost)] }
    var data = data
    data.token = token
    sessions[id]?.data.append(data)
    return flushData(of: id)
  }

  // MARK: Bytes and time

  /// Takes bytes from the chip and returns what follows from them.
  public mutating func receive(_ bytes: some Collection<UInt8>, at time: Double) -> [Event] {
    var events = advance(to: time)
    lastByte = time
    for packet in stream.push(bytes) where state != .closed {
      events.append(.packet(packet))
      do throws(UCIError) {
        if let message = try reassembler.push(packet) { events += take(message) }
      } catch {
        ignored += 1
      }
    }
    return events
  }

  /// When `advance` has something to do, s; `nil` for never.
  public var nextDeadline: Double? {
    let silence = stream.isInsidePacket ? lastByte + settings.silence : nil
    let sessions = sessions.values.compactMap(\.deadline)
    return ([deadline, silence].compactMap(\.self) + sessions).min()
  }

  /// Tells the driver what time it is, s, and returns what follows from it.
  public mutating func advance(to time: Double) -> [Event] {
    now = max(now, time)
    if stream.isInsidePacket, now >= lastByte + settings.silence { stream.noteSilence() }
    if let deadline, now >= deadline {
      return outstanding.map { lose(with: .noAnswer($0.kind)) } ?? identify()
    }
    var events: [Event] = []
    for (id, session) in sessions.sorted(by: { $0.key < $1.key }) {
      if let deadline = session.deadline, now >= deadline {
        if session.phase == .active { return events + lose(with: .silent) }
        events += end(id, with: session.phase == .configuring ? .notConfigured : .noAnswer(StartSession.kind))
      }
    }
    return events
  }

  // MARK: Commands

  mutating func send(
    _ message: some UCIMessage, for session: UInt32? = nil, isAbandoned: Bool = false
  ) -> [Event] {
    do throws(UCIError) {
      let packets = try message.packets(in: dialect)
      queue.append(Command(kind: type(of: message).kind, packets: packets, session: session, isAbandoned: isAbandoned))
      return sendNext()
    } catch {
      guard let session else { return [] }
      return end(session, with: .malformed(type(of: message).kind, error))
    }
  }

  /// What was ordered for a session that is no more goes unsent, and what was sent goes unheard.
  mutating func abandonCommands(of id: UInt32) {
    queue.removeAll { $0.session == id }
    guard outstanding?.session == id else { return }
    outstanding?.session = nil
    outstanding?.isAbandoned = true
  }

  private mutating func clearCommands() {
    queue.removeAll()
    outstanding = nil
    deadline = nil
  }

  /// Whether more of a session's configuration is to be sent.
  func isConfiguring(_ id: UInt32) -> Bool {
    queue.contains { $0.session == id && $0.kind == SetSessionConfiguration.kind }
  }

  mutating func sendNext() -> [Event] {
    guard outstanding == nil, !queue.isEmpty else { return [] }
    outstanding = queue.removeFirst()
    return sendOutstanding()
  }

  private mutating func sendOutstanding() -> [Event] {
    outstanding?.attempts += 1
    deadline = now + settings.answerTime
    // Packets of 255 payload bytes at the most: their lengths have room.
    let bytes = (outstanding?.packets ?? []).compactMap { try? $0.bytes }.flatMap(\.self)
    return [.send(bytes)]
  }

  /// Sends the outstanding command again, as it was.
  mutating func retry() -> [Event] {
    guard let command = outstanding else {
      ignored += 1
      return []
    }
    if command.attempts < settings.maximumAttempts { return sendOutstanding() }
    guard command.session != nil || command.isAbandoned else { return lose(with: .tooManyRetries(command.kind)) }
    outstanding = nil
    deadline = nil
    let events = command.session.map { end($0, with: .tooManyRetries(command.kind)) } ?? []
    return events + sendNext()
  }

  private mutating func reset() -> [Event] {
    state = .resetting
    isChipReady = false
    clearCommands()
    reassembler.reset()
    return send(ResetDevice())
  }

  /// The chip has answered the reset, and is ready or has had the time to say so.
  mutating func identify() -> [Event] {
    deadline = nil
    state = .identifying
    return send(GetDeviceInfo())
  }

  /// The chip does not do what it must: it is reset, and after too many resets given up.
  mutating func lose(with error: UCIDriverError) -> [Event] {
    var events = forgetSessions()
    guard resets < settings.maximumResets else {
      state = .closed
      clearCommands()
      return events + [.lost(error)]
    }
    resets += 1
    events += reset()
    return events
  }

  private mutating func forgetSessions() -> [Event] {
    defer { sessions.removeAll() }
    return sessions.keys.sorted().map { .failed($0, .chipLost) }
  }
}
