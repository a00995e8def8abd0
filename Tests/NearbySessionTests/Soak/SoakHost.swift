import NearbySession
import UWBDSP

/// One device of the soak: a host with a clock that can be moved, and the sessions that its app holds now.
final class SoakHost: Sendable {
  final class WeakSession: @unchecked Sendable {
    // Set once; `weak` alone makes it a variable.
    weak var session: NearbySession?

    init(_ session: NearbySession) {
      self.session = session
    }
  }

  private struct State: Sendable {
    var sessions: [NearbySession] = []
    var made: [WeakSession] = []
    var watchers: [Task<Void, Never>] = []
  }

  let host: NearbyHost
  let clock = NearbyManualClock()
  private let record: SoakRecord
  private let state = StateLock(State())

  init(number: Int, seed: UInt64, record: SoakRecord) {
    var settings = NearbySettings()
    settings.timeout = 2
    settings.suspensionLimit = 20
    settings.inactivityLimit = 30
    settings.activeSessionLimit = 8
    host = NearbyHost(
      settings: settings, clock: clock, permission: .granted, tokens: .seeded(seed &* 1000 &+ UInt64(number)))
    self.record = record
  }

  var sessions: [NearbySession] { state.withLock { $0.sessions } }

  /// A session more, watched by one reader that keeps up.
  func makeSession() {
    let session = NearbySession(host: host)
    let watcher = record.watch(session.events)
    state.withLock { state in
      state.sessions.append(session)
      state.made.append(WeakSession(session))
      state.watchers.append(watcher)
      if state.watchers.count > 256 { state.watchers.removeFirst(128) }
      if state.made.count > 256 { state.made.removeAll { $0.session == nil } }
    }
  }

  /// The app lets go of one.
  func drop(_ index: Int) {
    let gone = state.withLock { state in
      state.sessions.indices.contains(index) ? state.sessions.remove(at: index) : nil
    }
    withExtendedLifetime(gone) {}
  }

  /// Lets go of everything; what reads the streams that end with it.
  func close() -> [Task<Void, Never>] {
    let (sessions, watchers) = state.withLock { state in
      defer { state.sessions.removeAll() }
      return (state.sessions, state.watchers)
    }
    for session in sessions { session.invalidate() }
    return watchers
  }

  var leftSessions: Int {
    state.withLock { state in state.made.count { $0.session != nil } }
  }
}

/// Tokens that have been handed about: the newest, and old ones that a careless app still uses.
final class SoakDirectory: Sendable {
  private let hosts: [SoakHost]
  private let old = StateLock<[DiscoveryToken]>([])

  init(_ hosts: [SoakHost]) {
    self.hosts = hosts
  }

  /// One for an app on `host`: seldom a stale one or one of its own device.
  func token(for host: SoakHost, using generator: inout TokenGenerator) -> DiscoveryToken? {
    if generator.chance(0.02), let stale = old.withLock({ $0.randomElement(using: &generator) }) { return stale }
    let others = generator.chance(0.02) ? hosts : hosts.filter { $0 !== host }
    let token = others.randomElement(using: &generator)?.sessions.randomElement(using: &generator)?.discoveryToken
    if let token {
      old.withLock { tokens in
        if tokens.count < 64 { tokens.append(token) } else { tokens[Int.random(in: 0..<64, using: &generator)] = token }
      }
    }
    return token
  }
}

extension TokenGenerator {
  mutating func chance(_ part: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < part
  }
}
