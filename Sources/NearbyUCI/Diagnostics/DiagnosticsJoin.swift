/// Brings each round and the diagnostics of its frames together by session and sequence number, whichever comes first.
///
/// A round whose session sends diagnostics waits for its own until the next round of any session, so rounds keep their order and one waits
/// at the most. A session that sent none for some rounds is not waited for until it sends some again.
struct DiagnosticsJoin: Sendable {
  struct Round: Sendable {
    var token: UInt32
    var sequence: UInt32
    var measurements: SessionInfo.Measurements
    /// µs; when its notification came
    var microseconds: UInt64
    /// Rounds before it whose results did not come.
    var lost: Int
    var reports: [FrameReport] = []

    fileprivate var key: Key { Key(token: token, sequence: sequence) }
  }

  fileprivate struct Key: Hashable {
    var token: UInt32
    var sequence: UInt32
  }

  private struct Session {
    /// Rounds in a row without diagnostics; `nil` where none are expected.
    var missed: Int?
    /// The round that went on last.
    var last: UInt32?

    /// Notes that diagnostics have come.
    ///
    /// - Returns: the round that went on last.
    mutating func takeDiagnostics() -> UInt32? {
      missed = 0
      return last
    }

    /// A round went on that waited in vain.
    mutating func goOn(without sequence: UInt32) {
      missed = missed.map { $0 + 1 }
      last = sequence
    }

    enum Passage {
      case waits, passes, passesWithout
    }

    mutating func take(_ sequence: UInt32, hasDiagnostics: Bool) -> Passage {
      let missed = hasDiagnostics ? nil : missed
      if let missed, missed < longestWait { return .waits }
      if hasDiagnostics { self.missed = 0 }
      last = sequence
      return missed == nil ? .passes : .passesWithout
    }
  }

  private static let longestWait = 3
  private static let capacity = 8

  private(set) var problems: [UCIRoundReader.Problem: Int] = [:]
  private var sessions: [UInt32: Session] = [:]
  /// Diagnostics whose round has not come, the oldest first.
  private var early: [(key: Key, reports: [FrameReport])] = []
  private var held: Round?

  /// The session's configuration asks for diagnostics.
  mutating func expect(_ token: UInt32) { sessions[token, default: Session()].missed = 0 }

  mutating func take(_ round: Round, into rounds: inout [Round]) {
    release(into: &rounds)
    // What came for rounds before this one stays without.
    drop { $0.token == round.key.token && $0 != round.key }
    let index = early.firstIndex { $0.key == round.key }
    switch sessions[round.token, default: Session()].take(round.sequence, hasDiagnostics: index != nil) {
    case .waits:
      held = round
      return
    case .passes: break
    case .passesWithout: problems[.roundWithoutDiagnostics, default: 0] += 1
    }
    rounds.append(round)
    if let index { rounds[rounds.count - 1].reports = early.remove(at: index).reports }
  }

  mutating func take(_ diagnostics: RangeDiagnostics, into rounds: inout [Round]) {
    let key = Key(token: diagnostics.token, sequence: diagnostics.sequence)
    if let round = held, round.key == key {
      held = nil
      rounds.append(round)
      rounds[rounds.count - 1].reports = diagnostics.reports
      sessions[key.token] = Session(missed: 0, last: key.sequence)
      return
    }
    if sessions[key.token, default: Session()].takeDiagnostics() == key.sequence {
      problems[.lateDiagnostics, default: 0] += 1
    } else if let index = early.firstIndex(where: { $0.key == key }) {
      early[index].reports += diagnostics.reports
    } else {
      early.append((key, diagnostics.reports))
      if early.count > Self.capacity { drop { [oldest = early[0].key] in $0 == oldest } }
    }
  }

  /// A session ranges no more: what waits goes on.
  mutating func end(_ token: UInt32, into rounds: inout [Round]) {
    if held?.token == token { release(into: &rounds) }
    drop { $0.token == token }
    sessions[token]?.last = nil
  }

  /// The same of all sessions, which are forgotten.
  mutating func end(into rounds: inout [Round]) {
    release(into: &rounds)
    drop { _ in true }
    sessions.removeAll()
  }

  private mutating func release(into rounds: inout [Round]) {
    guard let round = held else { return }
    held = nil
    problems[.roundWithoutDiagnostics, default: 0] += 1
    sessions[round.token, default: Session()].goOn(without: round.sequence)
    rounds.append(round)
  }

  private mutating func drop(_ isOver: (Key) -> Bool) {
    guard !early.isEmpty else { return }
    let count = early.count
    early.removeAll { isOver($0.key) }
    if early.count < count { problems[.diagnosticsWithoutRound, default: 0] += count - early.count }
  }
}
