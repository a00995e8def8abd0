import UWBTypes

/// Results of ranging rounds from a chip's traffic, live or recorded: packets of both directions go in, in their order.
///
/// It follows the dialogue as far as a result's meaning depends on it: the chip's generation, addresses, roles, resets. Traffic that begins in
/// the middle is read as well. Diagnostics with windows of impulse responses become receptions of the round that they are of.
public struct UCIRoundReader: Sendable {
  /// One peer's part in a round.
  public struct Result: Sendable {
    /// The session's handle or, in 1.x, its id.
    public var token: UInt32
    /// Where the session's making was seen.
    public var sessionID: UInt32?
    /// Sequence number.
    public var sequence: UInt32
    /// Whether it succeeded, and why not.
    public var status: UCIStatus
    /// When the round's notification came, µs
    public var microseconds: UInt64
    /// Peers, what the chip has measured, and impulse responses. Its index and time are 0.
    public var exchange: RangingExchange
    /// Rounds whose results should have come since the session's last one.
    public var lost = 0

    /// Whether a reception of the exchange has an impulse response.
    public var hasImpulseResponse: Bool { !exchange.receptionsWithImpulseResponse.isEmpty }
  }

  /// What was wrong, or passed over.
  public enum Problem: Sendable, Hashable, CaseIterable {
    /// A message that could not be read.
    case badMessage
    /// A round whose number is missing.
    case lostRound
    /// A round of a kind of ranging that has no layout here.
    case otherRound
    /// A round whose session sends diagnostics, and that came without.
    case roundWithoutDiagnostics
    /// Diagnostics of a round that did not come.
    case diagnosticsWithoutRound
    /// Diagnostics that came after their round had gone on without them.
    case lateDiagnostics
    /// A frame of a round with several peers, without the address of its sender.
    case frameOfUnknownPeer
    /// A window of another segment than the one used, or of a frame that an exchange has no place for.
    case unusedWindow
    /// A window whose octets do not divide into taps.
    case unreadableWindow
    /// An NXP chip's impulse response, which names no round.
    case windowWithoutRound
  }

  private struct Session {
    var id: UInt32?
    var sequence: UInt32?
    var local: DeviceAddress?
    var isInitiator: Bool?

    /// - Returns: how many rounds should have come between the last one and this. A number that goes back is a session's that began anew.
    mutating func advance(to next: UInt32) -> Int {
      let lost = sequence.map { Int(next &- $0 &- 1) } ?? 0
      sequence = next
      return lost < 1 << 16 ? lost : 0
    }
  }

  /// What the same bytes mean to this chip.
  public private(set) var dialect = UCIDialect()
  private var own: [Problem: Int] = [:]
  private var commands = UCIReassembler()
  private var answers = UCIReassembler()
  private var sessions: [UInt32: Session] = [:]
  private var diagnostics = DiagnosticsJoin()
  /// Rounds that wait for nothing more. Empty between packets.
  private var rounds: [DiagnosticsJoin.Round] = []
  /// Whether the chip was told to reset and has not answered: what it still says is of sessions that are no more.
  private var isResetting = false
  /// Of the session whose making was asked for last.
  private var initializing: UInt32?

  /// Creates one with default values.
  public init() {}

  /// What was wrong so far, and how often.
  public var problems: [Problem: Int] { own.merging(diagnostics.problems, uniquingKeysWith: +) }

  /// Takes the next packet; returns the results that it completes.
  ///
  /// - Parameter microseconds: when it passed, on any clock
  public mutating func push(_ packet: UCIPacket, microseconds: UInt64 = 0) -> [Result] {
    var results: [Result] = []
    push(packet, microseconds: microseconds, into: &results)
    return results
  }

  /// The same, appended to an array that the next packets take again.
  public mutating func push(_ packet: UCIPacket, microseconds: UInt64, into results: inout [Result]) {
    do throws(UCIError) {
      let isCommand = packet.kind.type == .command
      guard let message = try isCommand ? commands.push(packet) : answers.push(packet) else { return }
      try take(message, microseconds, &results)
    } catch {
      note(.badMessage)
    }
  }

  /// Ends the traffic: gives the results that still wait for diagnostics.
  public mutating func finish() -> [Result] {
    var results: [Result] = []
    finish(into: &results)
    return results
  }

  private mutating func finish(into results: inout [Result]) {
    diagnostics.end(into: &rounds)
    takeRounds(into: &results)
  }

  /// Makes results of the rounds that `diagnostics` has let go.
  private mutating func takeRounds(into results: inout [Result]) {
    guard !rounds.isEmpty else { return }
    for round in rounds { add(round, to: &results) }
    rounds.removeAll(keepingCapacity: true)
  }

  private func read<Message: UCIMessage>(_ packet: UCIPacket) throws(UCIError) -> Message {
    try Message(payload: packet.payload, dialect: dialect)
  }

  private mutating func take(
    _ packet: UCIPacket, _ microseconds: UInt64, _ results: inout [Result]
  ) throws(UCIError) {
    switch packet.kind {
    case SessionInfo.kind where LegacySessionInfo.isLegacy(packet.payload):
      let _: LegacySessionInfo = try read(packet)
      note(.otherRound)
    case SessionInfo.kind: take(try read(packet) as SessionInfo, microseconds)
    case AndroidDiagnostics.kind, QorvoDiagnostics.kind:
      let seen: AndroidDiagnostics = try read(packet)
      if !isResetting { diagnostics.take(seen.diagnostics, into: &rounds) }
    case ResetDevice.kind:
      let _: ResetDevice = try read(packet)
      defer { sessions.removeAll() }
      isResetting = true
      finish(into: &results)
    case UCIStatusResponse<ResetDevice>.kind:
      let _: UCIStatusResponse<ResetDevice> = try read(packet)
      isResetting = false
    case DeviceInfo.kind:
      let info: DeviceInfo = try read(packet)
      if info.status == .ok { dialect.generation = info.generation }
    case InitializeSession.kind: initializing = (try read(packet) as InitializeSession).sessionID
    case SessionHandle.kind:
      let answer: SessionHandle = try read(packet)
      if answer.status == .ok, let token = answer.handle ?? initializing {
        sessions[token] = Session(id: initializing)
      }
    case SetSessionConfiguration.kind: configure(try read(packet))
    case StartSession.kind: sessions[(try read(packet) as StartSession).token]?.sequence = nil
    case SessionStatus.kind:
      let status: SessionStatus = try read(packet)
      if status.state != .active { diagnostics.end(status.token, into: &rounds) }
    default:
      if NXPImpulseResponse.kinds.contains(packet.kind) { note(.windowWithoutRound) }
      _ = try packet.decoded(in: dialect)
    }
    takeRounds(into: &results)
  }

  private mutating func configure(_ command: SetSessionConfiguration) {
    var session = sessions[command.token] ?? Session()
    for parameter in command.parameters {
      guard let number = parameter.number else { continue }
      switch parameter.id {
      case .deviceAddress: session.local = DeviceAddress(rawValue: number)
      case .deviceRole: session.isInitiator = number == 1
      case .qorvoDiagnostics where number != 0: diagnostics.expect(command.token)
      default: break
      }
    }
    sessions[command.token] = session
  }

  private mutating func take(_ info: SessionInfo, _ microseconds: UInt64) {
    guard !isResetting else { return }
    let lost = sessions[info.token, default: Session()].advance(to: info.sequence)
    diagnostics.take(
      DiagnosticsJoin.Round(
        token: info.token, sequence: info.sequence, measurements: info.measurements, microseconds: microseconds,
        lost: lost), into: &rounds)
  }

  private mutating func add(_ round: DiagnosticsJoin.Round, to results: inout [Result]) {
    note(.lostRound, round.lost)
    let session = sessions[round.token] ?? Session()
    let peerCount = round.measurements.peerCount
    if !round.measurements.isRead { note(.otherRound) }
    for index in 0..<peerCount {
      guard let peer = round.measurements.peer(index) else { break }
      var exchange = RangingExchange(
        index: 0, time: 0, peer: peer.peer, local: session.local,
        poll: RangingMessage(transmitted: peer.transmitted, reception: peer.received.map { Reception(time: $0) }),
        chipReport: peer.measurement.map {
          ChipReport(
            distance: $0.distance, rawDistance: $0.distance, azimuth: $0.azimuth?.value, elevation: $0.elevation?.value)
        },
        ready: peer.measurement)
      exchange.hasFailed = peer.measurement == nil
      if !round.reports.isEmpty {
        // Without an address a frame can be but the only peer's.
        let frames = RoundFrames(round.reports, isInitiator: session.isInitiator) {
          $0.emitter.map { UInt64($0) == peer.peer.rawValue } ?? (peerCount == 1)
        }
        frames.enter(into: &exchange)
        note(.unusedWindow, frames.unusedWindows)
        note(.unreadableWindow, frames.unreadableWindows)
      }
      results.append(
        Result(
          token: round.token, sessionID: session.id, sequence: round.sequence, status: peer.status,
          microseconds: round.microseconds, exchange: exchange, lost: index == 0 ? round.lost : 0))
    }
    let unknown = round.reports.count { report in
      let isKnown = report.emitter.map(round.measurements.isOf)
      return !(isKnown ?? (peerCount <= 1)) && report.hasWindows
    }
    note(.frameOfUnknownPeer, unknown)
  }

  private mutating func note(_ problem: Problem, _ count: Int = 1) {
    if count > 0 { own[problem, default: 0] += count }
  }
}
