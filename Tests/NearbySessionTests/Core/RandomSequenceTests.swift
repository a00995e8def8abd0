import Foundation
import Testing
import UWBDSP

@testable import NearbySession

/// Random sequences of calls, events and messages against the rules' model.
@Suite struct RandomSequenceTests {
  /// 20 000, or as many as UWB_SEQUENCES says.
  static let count = ProcessInfo.processInfo.environment["UWB_SEQUENCES"].flatMap(UInt64.init) ?? 20_000

  @Test("random sequences on the core: every answer, every event and its order as the model says")
  func core() throws {
    var statistics = SequenceStatistics()
    for seed in 1...Self.count {
      var sequence = RandomSequence(seed: seed, subject: CoreSubject())
      let difference = sequence.run(steps: 30)
      #expect(difference == nil, "seed \(seed): \(difference ?? "")")
      if difference != nil { return }
      statistics.add(sequence.model)
    }
    // The sequences must reach every corner, or they show nothing.
    #expect(statistics.isRich, "\(statistics)")
  }

  @Test("random sequences through hosts and sessions: streams tell the same, in order, with the newest updates")
  func host() async throws {
    for seed in 1...max(1, Self.count / 20) {
      var sequence = RandomSequence(seed: seed &+ 1_000_000_000, subject: HostSubject())
      let difference = sequence.run(steps: 30)
      #expect(difference == nil, "seed \(seed): \(difference ?? "")")
      let streams = sequence.subject.finish()
      sequence.model.pass(to: sequence.model.time)
      for index in sequence.model.members.indices { sequence.model.invalidate(index) }
      for (index, stream) in streams.enumerated() {
        let told = await drain(stream)
        let wrong = StreamCheck(sequence.history + sequence.model.said, of: index).difference(from: told)
        #expect(wrong == nil, "seed \(seed), session \(index): \(wrong ?? "")")
      }
    }
  }
}

/// How often the sequences met what.
struct SequenceStatistics {
  var deaths: [NearbyError.Code: Int] = [:]

  mutating func add(_ model: RuleModel) {
    for member in model.members {
      if case .dead(let code) = member.status { deaths[code, default: 0] += 1 }
    }
  }

  var isRich: Bool {
    let expected: [NearbyError.Code] = [
      .invalidatedByApp, .sessionFailed, .invalidConfiguration, .resourceUsageTimeout, .activeSessionsLimitExceeded,
      .userDidNotAllow,
      .accessoryPeerDeviceUnavailable, .incompatiblePeerDevice, .activeExtendedDistanceSessionsLimitExceeded,
    ]
    return expected.allSatisfy { deaths[$0, default: 0] >= 3 }
  }
}

/// What a sequence drives: the core by itself, or a host with its sessions.
protocol SequenceSubject {
  mutating func make()
  mutating func run(_ index: Int, _ configuration: NearbyConfiguration, at time: Double) -> NearbyError.Code?
  mutating func pause(_ index: Int, at time: Double)
  mutating func invalidate(_ index: Int, at time: Double)
  /// Lets go of an invalid session, so that its place is used again.
  mutating func release(_ index: Int, at time: Double)
  mutating func measure(_ measurement: RangingMeasurement, at time: Double)
  mutating func peerEnded(_ token: DiscoveryToken, at time: Double)
  mutating func loseBluetooth(_ identifier: String, at time: Double)
  mutating func setPermission(_ answer: NearbyPermission, at time: Double)
  mutating func setState(_ state: ApplicationState, at time: Double)
  mutating func setRadioAvailable(_ isAvailable: Bool, at time: Double)
  mutating func fail(at time: Double)
  mutating func advance(to time: Double)
  func token(_ index: Int) -> DiscoveryToken?
  func isRunning(_ index: Int) -> Bool
  var undelivered: Int { get }
  /// What was said since the last call; `nil` where only the streams know.
  mutating func said(_ peers: [DiscoveryToken: RuleModel.Peer]) -> [RuleModel.Said]?
}

extension NearbySettings {
  static var modelled: NearbySettings {
    var settings = NearbySettings()
    settings.timeout = RuleModel.timeout
    settings.suspensionLimit = RuleModel.suspensionLimit
    settings.inactivityLimit = RuleModel.inactivityLimit
    settings.activeSessionLimit = RuleModel.activeLimit
    settings.activeExtendedDistanceSessionLimit = RuleModel.extendedLimit
    return settings
  }
}

/// The synchronous heart.
struct CoreSubject: SequenceSubject {
  var core = HostCore(settings: .modelled, permission: .undetermined, tokens: .seeded(1))
  var ids: [SessionID] = []
  var events: [SessionEvent] = []
  private var lastTime = -Double.infinity

  mutating func make() { ids.append(core.makeSession()) }

  mutating func run(_ index: Int, _ configuration: NearbyConfiguration, at time: Double) -> NearbyError.Code? {
    do throws(NearbyError) {
      _ = try core.run(ids[index], with: configuration, at: time, into: &events)
      return nil
    } catch {
      return error.code
    }
  }

  mutating func pause(_ index: Int, at time: Double) { core.pause(ids[index], at: time, into: &events) }
  mutating func invalidate(_ index: Int, at time: Double) { core.invalidate(ids[index], at: time, into: &events) }
  mutating func release(_ index: Int, at time: Double) { core.release(ids[index], at: time, into: &events) }
  mutating func measure(_ measurement: RangingMeasurement, at time: Double) {
    core.deliver(measurement, at: time, into: &events)
  }
  mutating func peerEnded(_ token: DiscoveryToken, at time: Double) { core.peerEnded(token, at: time, into: &events) }
  mutating func loseBluetooth(_ identifier: String, at time: Double) {
    core.accessoryUnavailable(bluetoothPeerIdentifier: identifier, at: time, into: &events)
  }
  mutating func setPermission(_ answer: NearbyPermission, at time: Double) {
    core.setPermission(answer, at: time, into: &events)
  }
  mutating func setState(_ state: ApplicationState, at time: Double) {
    core.setApplicationState(state, at: time, into: &events)
  }
  mutating func setRadioAvailable(_ isAvailable: Bool, at time: Double) {
    core.setRadioAvailable(isAvailable, at: time, into: &events)
  }
  mutating func fail(at time: Double) { core.fail(nil, "the radio", at: time, into: &events) }
  mutating func advance(to time: Double) { core.advance(to: time, into: &events) }
  func token(_ index: Int) -> DiscoveryToken? { core.discoveryToken(of: ids[index]) }
  func isRunning(_ index: Int) -> Bool { core.isRunning(ids[index]) }
  var undelivered: Int { core.undelivered }

  mutating func said(_ peers: [DiscoveryToken: RuleModel.Peer]) -> [RuleModel.Said]? {
    defer { events.removeAll(keepingCapacity: true) }
    return events.compactMap { event in
      guard let index = ids.lastIndex(of: event.session), event.time >= lastTime else { return .started(-1) }
      lastTime = event.time
      func peer(_ object: NearbyObject) -> RuleModel.Peer { peers[object.discoveryToken] ?? .own(-1) }
      return switch event.kind {
      case .started: .started(index)
      case .update(let object): .updated(index, peer(object))
      case .removed(let object, let reason): .removed(index, peer(object), reason, at: event.time)
      case .suspended: .suspended(index)
      case .suspensionEnded: .suspensionEnded(index)
      case .shareableConfiguration(_, let object): .shareable(index, peer(object))
      case .invalidated(let error): .ended(index, error.code)
      case .convergence, .link: nil
      }
    }
  }
}

/// A host, its sessions, and a stream of each that nobody reads until the end.
struct HostSubject: SequenceSubject {
  let clock = NearbyManualClock()
  let host: NearbyHost
  var sessions: [NearbySession] = []
  var streams: [NearbySessionEvents] = []

  init() {
    host = NearbyHost(settings: .modelled, clock: clock, permission: .undetermined, tokens: .seeded(1))
  }

  mutating func make() {
    let session = NearbySession(host: host)
    sessions.append(session)
    streams.append(session.events)
  }

  mutating func run(_ index: Int, _ configuration: NearbyConfiguration, at time: Double) -> NearbyError.Code? {
    clock.now = time
    do throws(NearbyError) {
      try sessions[index].run(configuration)
      return nil
    } catch {
      return error.code
    }
  }

  mutating func pause(_ index: Int, at time: Double) {
    clock.now = time
    sessions[index].pause()
  }
  mutating func invalidate(_ index: Int, at time: Double) {
    clock.now = time
    sessions[index].invalidate()
  }
  mutating func release(_ index: Int, at time: Double) { invalidate(index, at: time) }
  mutating func measure(_ measurement: RangingMeasurement, at time: Double) {
    clock.now = time
    host.deliver(measurement)
  }
  mutating func peerEnded(_ token: DiscoveryToken, at time: Double) {
    clock.now = time
    host.peerEnded(token)
  }
  mutating func loseBluetooth(_ identifier: String, at time: Double) {
    clock.now = time
    host.accessoryUnavailable(bluetoothPeerIdentifier: identifier)
  }
  mutating func setPermission(_ answer: NearbyPermission, at time: Double) {
    clock.now = time
    host.setPermission(answer)
  }
  mutating func setState(_ state: ApplicationState, at time: Double) {
    clock.now = time
    host.setApplicationState(state)
  }
  mutating func setRadioAvailable(_ isAvailable: Bool, at time: Double) {
    clock.now = time
    host.setRadioAvailable(isAvailable)
  }
  mutating func fail(at time: Double) {
    clock.now = time
    host.fail(nil, "the radio")
  }
  mutating func advance(to time: Double) {
    clock.now = time
    host.advance()
  }
  func token(_ index: Int) -> DiscoveryToken? { sessions[index].discoveryToken }
  func isRunning(_ index: Int) -> Bool { sessions[index].isRunning }
  var undelivered: Int { host.undelivered }
  mutating func said(_ peers: [DiscoveryToken: RuleModel.Peer]) -> [RuleModel.Said]? { nil }

  /// Invalidates every session and gives its stream.
  mutating func finish() -> [NearbySessionEvents] {
    for session in sessions { session.invalidate() }
    return streams
  }
}
