import UWBTypes

/// A chip's end of the dialogue, as a plain value: a host's bytes and the time go in, the chip's bytes come out.
///
/// It keeps to the protocol of UCI 2.0: sessions from their making to their end with all reports of state, a result for each ranging interval,
/// and a status for everything that is wrong. What its rounds measure is asked of `measure`.
public struct SimulatedChip: Sendable {
  /// Settings of the simulated chip.
  public struct Settings: Sendable, Hashable {
    /// Sessions that the chip holds at once.
    public var maximumSessions = 5
    /// Whether the chip measures angles.
    public var supportsAngles = true
    /// s; rounds that are due when more time than this has passed are not made up for.
    public var longestDelay = 1.0
    /// The layout of the diagnostics that it sends of what `observe` sees.
    public var diagnostics = SimulatedDiagnostics.Layout.qorvo
    /// Whether a round's diagnostics come before its result.
    public var sendsDiagnosticsFirst = false

    /// Creates one with default values.
    public init() {}
  }

  /// One round with one peer, as `measure` is asked about it.
  public struct Round: Sendable {
    /// Short MAC address of the peer.
    public var peer: UInt16
    /// s, the chip's time
    public var time: Double
    /// Sequence number.
    public var sequence: UInt32
    /// UWB channel: 5 or 9.
    public var channel: UInt8
    /// Which end this chip is: it hears the response, or the poll and the final.
    public var isInitiator: Bool
  }

  /// What a round measures; it is called once for each peer and round.
  public typealias Measure = @Sendable (Round) -> TwoWayMeasurement
  /// What the receiver saw of the frames of a round with one peer.
  public typealias Observe = @Sendable (Round) -> [SimulatedDiagnostics.Frame]

  static let dialect = UCIDialect(.second)
  let settings: Settings
  let measure: Measure
  private let observe: Observe?
  var sessions: [UInt32: SimulatedChipSession] = [:]
  var handles: UInt32 = 0
  var configuration: [UCIParameterID: [UInt8]] = [.init(rawValue: 1): [0]]
  var now = 0.0
  private var stream = UCIPacketStream(from: .host)
  private var reassembler = UCIReassembler(limit: 4096)
  private var lastByte = 0.0
  /// Written, and not handed over yet.
  var output: [UInt8] = []

  /// - Parameter observe: asked after `measure`; `nil` for a chip that sends no diagnostics.
  public init(_ settings: Settings = Settings(), observe: Observe? = nil, measure: @escaping Measure) {
    self.settings = settings
    self.measure = measure
    self.observe = observe
  }

  /// Sessions that range now.
  public var activeSessionCount: Int { sessions.values.count { $0.state == .active } }

  // MARK: Power, bytes, time

  /// The chip has power again: no session is left, and it reports itself ready.
  public mutating func powerOn(at time: Double) -> [UInt8] {
    now = time
    sessions.removeAll()
    stream = UCIPacketStream(from: .host)
    reassembler.reset()
    say(state: .ready)
    return take()
  }

  /// Takes bytes from the host and returns the bytes that the chip answers with.
  public mutating func receive(_ bytes: some Collection<UInt8>, at time: Double) -> [UInt8] {
    output += advance(to: time)
    lastByte = time
    for packet in stream.push(bytes) {
      do throws(UCIError) {
        if let message = try reassembler.push(packet) { obey(message) }
      } catch {
        answer(packet, .invalidMessageSize)
      }
    }
    return take()
  }

  /// When `advance` has something to say, s; `nil` for never.
  public var nextDeadline: Double? { sessions.values.compactMap(\.nextRound).min() }

  /// Ranges what is due until `time`.
  public mutating func advance(to time: Double) -> [UInt8] {
    now = max(now, time)
    // A command that its sender broke off.
    if stream.isInsidePacket, now >= lastByte + 0.1 { stream.noteSilence() }
    while let next = nextDeadline, next <= now { range(at: next) }
    return take()
  }

  private mutating func range(at time: Double) {
    for (handle, session) in sessions.sorted(by: { $0.key < $1.key }) where session.nextRound == time {
      var info = SessionInfo()
      (info.sequence, info.token) = (session.sequence, handle)
      info.interval = UInt32(clamping: Int((session.interval * 1000).rounded()))
      var frames: [SimulatedDiagnostics.Frame] = []
      let rounds = session.peers.map { peer in
        let round = Round(
          peer: peer, time: time, sequence: session.sequence, channel: session.channel,
          isInitiator: session.isInitiator)
        var measured = measure(round)
        measured.address = .short(peer)
        frames += observe?(round) ?? []
        return measured
      }
      info.measurements = .twoWay(rounds)
      let diagnostics = observe == nil ? nil : SimulatedDiagnostics(frames, of: handle, session.sequence)
      if settings.sendsDiagnosticsFirst { say(diagnostics) }
      say(info)
      if !settings.sendsDiagnosticsFirst { say(diagnostics) }
      let isLate = now - time > settings.longestDelay
      sessions[handle]?.sequence &+= 1
      sessions[handle]?.nextRound = (isLate ? now : time) + session.interval
      if let limit = session.maximumRounds, session.sequence &+ 1 >= limit {
        change(handle, to: .idle, .measurementsDone)
      }
    }
  }

  // MARK: Saying

  private mutating func take() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  /// - Parameter change: fields that differ from the message's defaults.
  mutating func say<Message: UCIMessage>(_ message: Message, _ change: (inout Message) -> Void = { _ in }) {
    var message = message
    change(&message)
    // What the chip says itself has room in its packets.
    guard let packets = try? message.packets(in: Self.dialect) else { return }
    for packet in packets { output += (try? packet.bytes) ?? [] }
  }

  private mutating func say(_ diagnostics: SimulatedDiagnostics?) {
    switch (settings.diagnostics, diagnostics) {
    case (_, nil): break
    case (.qorvo, let diagnostics?): say(diagnostics.qorvo)
    case (.android, let diagnostics?): say(diagnostics.android)
    }
  }

  mutating func say(state: DeviceState) {
    say(DeviceStatus()) { $0.state = state }
  }

  /// A response of a status alone, and what a failure adds to it.
  mutating func answer(_ packet: UCIPacket, _ status: UCIStatus, _ rest: [UInt8] = []) {
    let response = UCIPacket(packet.kind.response, payload: [status.rawValue] + rest)
    output += (try? response.bytes) ?? []
  }

  /// Changes a session's state and reports it; the device's too, where the first session begins to range or the last one ends.
  mutating func change(_ handle: UInt32, to state: UCISessionState, _ reason: UCISessionReason = .command) {
    let wasActive = activeSessionCount > 0
    sessions[handle]?.state = state
    let firstRound = (sessions[handle]?.interval).map { now + $0 }
    sessions[handle]?.nextRound = state == .active ? firstRound : nil
    if state == .active { sessions[handle]?.sequence = 0 }
    let isActive = activeSessionCount > 0
    if isActive, !wasActive { say(state: .active) }
    say(SessionStatus()) { ($0.token, $0.state, $0.reason) = (handle, state, reason) }
    if state == .deinitialized { sessions[handle] = nil }
    if wasActive, !isActive { say(state: .ready) }
  }
}
