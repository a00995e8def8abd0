import Foundation
import Testing
import UWBDSP

@testable import NearbySession

/// Random sequences with radios that fail, vanish, refuse and come back, through the tasks that serve them.
@Suite struct RadioSequenceTests {
  /// 200, or as many as UWB_RADIO_SEQUENCES says.
  private static let count =
    ProcessInfo.processInfo.environment["UWB_RADIO_SEQUENCES"].flatMap(UInt64.init) ?? 200

  @Test("the attached radio ranges what runs, others nothing; streams keep their order; nothing runs without a radio")
  func sequences() async {
    var met = RadioSequence.Met()
    for seed in 1...Self.count {
      let sequence = RadioSequence(seed: seed)
      let difference = await sequence.run(steps: 30)
      #expect(difference == nil, "seed \(seed): \(difference ?? "")")
      if difference != nil { return }
      met.add(sequence.met)
    }
    // The sequences must reach every corner, or they show nothing.
    #expect(met.isRich, "\(met)")
  }
}

/// One host whose radios come and go, its sessions, and an app that runs them again when it feels like it.
private final class RadioSequence {
  struct Met {
    var failed = 0, vanished = 0, refused = 0, suspended = 0, updates = 0, replaced = 0

    mutating func add(_ other: Met) {
      failed += other.failed
      vanished += other.vanished
      refused += other.refused
      suspended += other.suspended
      updates += other.updates
      replaced += other.replaced
    }

    var isRich: Bool { [failed, vanished, refused, suspended, updates, replaced].allSatisfy { $0 >= 20 } }
  }

  private(set) var met = Met()
  private let clock = NearbyManualClock()
  private let host: NearbyHost
  private let record = SoakRecord()
  private var watchers: [Task<Void, Never>] = []
  private var sessions: [NearbySession] = []
  private var radio: FakeRadio?
  private var gone: [FakeRadio] = []
  private var peers: UInt64 = 0
  private var generator: TokenGenerator
  /// Of a link that nobody runs: a report of it is counted as undelivered once all before it are taken.
  private let marker: RangingLink

  init(seed: UInt64) {
    generator = .seeded(seed)
    host = NearbyHost(settings: .modelled, clock: clock, permission: .granted, tokens: .seeded(seed))
    let token = peerToken(1 << 40)
    marker = RangingLink(
      localToken: token, peerToken: token, localAddress: token.address, peerAddress: token.address)
    attach()
  }

  private func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private func attach() {
    if let radio {
      gone.append(radio)
      met.replaced += 1
    }
    let next = FakeRadio()
    radio = next
    host.attach(next)
  }

  /// What is wrong first; `nil` for nothing.
  func run(steps: Int) async -> String? {
    for step in 0..<steps {
      let name = act()
      if let wrong = await settle() { return "step \(step), \(name): \(wrong)" }
    }
    for session in sessions { session.invalidate() }
    if let wrong = await settle() { return "at the end: \(wrong)" }
    for watcher in watchers { await watcher.value }
    let totals = record.now
    met.updates += totals.events
    return totals.broken.first
  }

  private func act() -> String {
    clock.now += [0, 0, 0.25, 1, 3][pick(5)]
    host.advance()
    sessions.removeAll { $0.discoveryToken == nil && pick(2) == 0 }
    guard !sessions.isEmpty, pick(8) > 0 || sessions.count > 4 else { return make() }
    let session = sessions[pick(sessions.count)]
    let link = host.links.isEmpty ? marker : host.links[pick(host.links.count)]
    switch pick(24) {
    case 0..<8: return run(session)
    case 8..<13:
      radio?.report(.measured(RadioMeasurement(distance: Double(pick(9)), time: clock.now), of: link))
      return "measured"
    case 13:
      radio?.report(.missed(link))
      return "missed"
    case 14:
      session.pause()
      return "pause"
    case 15:
      session.invalidate()
      return "invalidate"
    case 16:
      met.failed += 1
      radio?.report(.failed("at random", of: pick(3) == 0 ? nil : link))
      return "failed"
    case 17:
      met.suspended += 1
      radio?.report(.suspended)
      return "suspended"
    case 18, 19:
      radio?.report(.resumed)
      return "resumed"
    case 20:
      guard let radio else { return "no radio" }
      met.vanished += 1
      radio.vanish()
      gone.append(radio)
      self.radio = nil
      return "vanish"
    case 21:
      attach()
      return "attach"
    case 22:
      radio?.refuse(pick(2) == 0)
      return "refuse"
    default:
      if radio == nil { attach() }
      return "come back"
    }
  }

  private func make() -> String {
    let session = NearbySession(host: host)
    watchers.append(record.watch(session.events))
    sessions.append(session)
    return "make"
  }

  private func run(_ session: NearbySession) -> String {
    if pick(3) == 0 || session.configuration == nil {
      peers += 1
      try? session.run(NearbyPeerConfiguration(peerToken: peerToken(peers)))
    } else if let configuration = session.configuration {
      try? session.run(configuration)
    }
    return "run"
  }

  /// Waits until the host's tasks have done what there is to do; what is wrong then.
  private func settle() async -> String? {
    if let radio {
      let before = host.undelivered
      radio.report(.missed(marker))
      if !(await eventually { self.host.undelivered > before }) { return "a report is not taken" }
    } else if !(await eventually { !self.host.read { $0.isRadioAvailable } }) {
      return "the radio is gone, and the host does not know"
    }
    let links = { Set(self.host.links) }
    if !(await eventually { (self.radio?.ranging ?? []) == links() }) {
      return "the radio ranges \(radio?.ranging.count ?? 0) links, \(links().count) run"
    }
    if !(await eventually { self.gone.allSatisfy { $0.ranging.isEmpty } }) { return "a radio that is gone ranges" }
    if let fault = ((radio.map { [$0] } ?? []) + gone).lazy.flatMap(\.faults).first { return fault }
    if !host.read({ $0.isRadioAvailable }), sessions.contains(where: \.isRunning) {
      return "a session runs on no radio"
    }
    met.refused += sessions.count { session in
      guard session.discoveryToken == nil, let error = host.read({ $0.error(of: session.id) }) else { return false }
      return error.reason.contains("could not start")
    }
    return nil
  }

  private func eventually(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<1_000_000 {
      if isSo() { return true }
      await Task.yield()
    }
    return false
  }
}
