import NearbySession
import UWBDSP

/// Draws calls, makes them on the subject and on the model, and compares.
struct RandomSequence<Subject: SequenceSubject> {
  /// Sessions that may be alive at once, so that limits are met and places are used again.
  private static var sessionCount: Int { 5 }

  var subject: Subject
  var model = RuleModel()
  /// What the model said before the last step.
  private(set) var history: [RuleModel.Said] = []
  private var generator: TokenGenerator
  private var time = 0.0
  private var devices = 0
  private var tokens: [RuleModel.Peer: DiscoveryToken] = [:]
  private var configurations: [RuleModel.Peer: NearbyConfiguration] = [:]
  private var peers: [DiscoveryToken: RuleModel.Peer] = [:]
  /// The peers that a step may choose from.
  private var known: [RuleModel.Peer] = []
  /// Sessions that their app has let go of: nobody can call them any more.
  private var released: Set<Int> = []

  init(seed: UInt64, subject: Subject) {
    self.subject = subject
    generator = .seeded(seed)
    for reachesFar in [true, true, false] { addDevice(reachesFar: reachesFar) }
    for bluetooth in [true, false] {
      let peer = RuleModel.Peer.accessory(bluetooth ? 1 : 2, bluetooth: bluetooth)
      let data = accessoryData(address: bluetooth ? 1 : 2).data
      guard
        let configuration = try? NearbyAccessoryConfiguration(
          data: data, bluetoothPeerIdentifier: bluetooth ? "link" : nil)
      else { continue }
      add(peer, configuration.accessoryDiscoveryToken, .accessory(configuration))
    }
  }

  private mutating func addDevice(reachesFar: Bool) {
    devices += 1
    let token = peerToken(UInt64(devices), capabilities: reachesFar ? .all : .distanceOnly)
    add(.device(devices, reachesFar: reachesFar), token, .peer(NearbyPeerConfiguration(peerToken: token)))
  }

  private mutating func add(_ peer: RuleModel.Peer, _ token: DiscoveryToken, _ configuration: NearbyConfiguration) {
    known.append(peer)
    tokens[peer] = token
    configurations[peer] = configuration
    peers[token] = peer
  }

  /// What is wrong first; `nil` for nothing.
  mutating func run(steps: Int) -> String? {
    for step in 0..<steps {
      let call = self.step()
      // Time has passed for the model; a step that came to nothing has not told the subject.
      if call == nil { subject.advance(to: time) }
      var name: String { call?() ?? "time alone" }
      // Among sessions, what happens at one time has no order of its own.
      if let said = subject.said(peers), said != model.said,
        Dictionary(grouping: said, by: \.session) != Dictionary(grouping: model.said, by: \.session)
      {
        return "step \(step), \(name): said \(said), expected \(model.said)"
      }
      history += model.said
      model.said.removeAll(keepingCapacity: true)
      for index in model.members.indices {
        var isDead = false
        if case .dead = model.members[index].status { isDead = true }
        if (subject.token(index) == nil) != isDead { return "step \(step), \(name): token of \(index)" }
        if subject.isRunning(index) != (model.members[index].status == .ranging) {
          return "step \(step), \(name): \(index) runs: \(subject.isRunning(index))"
        }
      }
      if subject.undelivered != model.undelivered { return "step \(step), \(name): undelivered" }
    }
    return nil
  }

  private mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func passTime() {
    // Quarters, so that deadlines are met exactly as well.
    time += [0, 0, 0.25, 0.25, 0.5, 1, 2, 2.25, 5, 9][pick(10)]
    model.pass(to: time)
  }

  private func isDead(_ index: Int) -> Bool {
    if case .dead = model.members[index].status { true } else { false }
  }

  /// Makes a call; returns its name for a failure, in the end.
  private mutating func step() -> (() -> String)? {
    passTime()
    let live = model.members.indices.filter { !isDead($0) }
    if live.isEmpty || (live.count < Self.sessionCount && pick(6) == 0) {
      subject.advance(to: time)
      subject.make()
      model.make()
      return { "make" }
    }
    let any = pick(20) == 0 ? pick(model.members.count) : live[pick(live.count)]
    let index = released.contains(any) ? live[pick(live.count)] : any
    let peer = known[pick(known.count)]
    switch pick(40) {
    case 0..<14: return run(index, with: peer)
    case 14..<24: return measure()
    case 24..<26:
      subject.pause(index, at: time)
      model.pause(index)
      return { "pause \(index)" }
    case 26:
      subject.invalidate(index, at: time)
      model.invalidate(index)
      return { "invalidate \(index)" }
    case 27:
      // Dead ones only: a live one would die of it, which the step before has.
      guard isDead(index) else { return nil }
      released.insert(index)
      subject.release(index, at: time)
      return { "release \(index)" }
    case 28:
      let isAvailable = pick(3) > 0
      subject.setRadioAvailable(isAvailable, at: time)
      model.setRadioGone(!isAvailable)
      return { "radio \(isAvailable)" }
    case 29:
      let state: ApplicationState = pick(2) == 0 ? .background : .foreground
      subject.setState(state, at: time)
      model.setBackground(state == .background)
      return { "\(state)" }
    case 30: return end(peer)
    case 31 where pick(4) == 0:
      subject.fail(at: time)
      model.fail()
      return { "radio fails" }
    case 31:
      subject.loseBluetooth("link", at: time)
      model.loseBluetooth(of: .accessory(1, bluetooth: true))
      return { "lose Bluetooth" }
    case 32..<35:
      let answers: [NearbyPermission] = [.granted, .granted, .granted, .granted, .declined, .undetermined]
      let answer = answers[pick(answers.count)]
      subject.setPermission(answer, at: time)
      model.setPermission(answer)
      return { "permission \(answer)" }
    default:
      subject.advance(to: time)
      return { "advance" }
    }
  }

  private mutating func run(_ index: Int, with peer: RuleModel.Peer) -> (() -> String)? {
    var peer = peer
    var far = false
    var configuration = configurations[peer]
    if pick(30) == 0, let token = subject.token(pick(model.members.count)) {
      peer = .own(index)
      configuration = .peer(NearbyPeerConfiguration(peerToken: token))
    } else if case .peer(var device)? = configuration, pick(5) == 0 {
      far = true
      device.isExtendedDistanceMeasurementEnabled = true
      configuration = .peer(device)
    }
    guard let configuration else { return nil }
    let thrown = subject.run(index, configuration, at: time)
    let expected = model.run(index, with: peer, far: far)
    if thrown != expected {
      // Told apart from what was said, so that the step reports it.
      model.said.append(.ended(-1, expected ?? .sessionFailed))
    }
    return { "run \(index) with \(peer), far \(far): threw \(thrown.map { "\($0)" } ?? "nothing")" }
  }

  private mutating func measure() -> (() -> String)? {
    // Mostly of a peer that a session ranges with, so that something happens.
    let ranging = model.members.filter { $0.status == .ranging }.compactMap(\.peer)
    let peer = ranging.isEmpty || pick(5) == 0 ? known[pick(known.count)] : ranging[pick(ranging.count)]
    // Two sessions with one peer hear in the order in which they began: left to the tests of the rules.
    guard ranging.count(where: { $0 == peer }) <= 1, let configuration = configurations[peer] else { return nil }
    let hasFailed = pick(5) == 0
    subject.measure(
      RangingMeasurement(
        exchange: 0, time: time, peer: configuration.peerAddress, status: hasFailed ? .missingTimestamps : .ok,
        distance: time), at: time)
    if hasFailed { model.miss(peer) } else { model.measure(peer) }
    return { "measure \(peer), failed \(hasFailed)" }
  }

  private mutating func end(_ peer: RuleModel.Peer) -> (() -> String)? {
    guard let token = tokens[peer] else { return nil }
    subject.peerEnded(token, at: time)
    model.end(peer)
    // Its device comes back with a new token; the old one stays known for a while.
    if case .device(_, let reachesFar) = peer {
      addDevice(reachesFar: reachesFar)
      if known.count > 7 { known.removeFirst() }
    }
    return { "end \(peer)" }
  }
}

/// What one session's stream must tell, from what was said of it.
struct StreamCheck {
  private let said: [RuleModel.Said]

  init(_ said: [RuleModel.Said], of index: Int) {
    self.said = said.filter { $0.session == index }
  }

  /// Of updates in a row, the newest; of everything else, all.
  private var expected: [String] {
    var names: [String] = []
    for said in said {
      switch said {
      case .started: names.append("started")
      case .updated: if names.last != "updated" { names.append("updated") }
      case .removed(_, _, let reason, _): names.append("removed \(reason)")
      case .suspended: names.append("suspended")
      case .suspensionEnded: names.append("suspensionEnded")
      case .shareable: names.append("shareable")
      case .ended: break
      }
    }
    return names
  }

  func difference(from told: (events: [NearbySessionEvent], error: NearbyError?)) -> String? {
    let names = told.events.map { event in
      switch event {
      case .started: "started"
      case .updated: "updated"
      case .removed(_, let reason): "removed \(reason)"
      case .suspended: "suspended"
      case .suspensionEnded: "suspensionEnded"
      case .generatedShareableConfiguration: "shareable"
      case .convergence: "convergence"
      }
    }
    if names != expected { return "told \(names), expected \(expected)" }
    guard case .ended(_, let code)? = said.last, told.error?.code == code else {
      return "ended with \(told.error.map { "\($0)" } ?? "nothing"), expected \(said.last.map { "\($0)" } ?? "an end")"
    }
    return nil
  }
}
