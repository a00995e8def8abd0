import NearbySession

/// The rules once more, as plainly as they can be written: no tables, no shortcuts, everything looked at every time.
/// The random sequences hold the real thing against it.
struct RuleModel {
  static let timeout = 2.0
  static let suspensionLimit = 4.0
  static let inactivityLimit = 8.0
  static let activeLimit = 3
  static let extendedLimit = 1

  enum Peer: Hashable {
    case device(Int, reachesFar: Bool)
    case accessory(Int, bluetooth: Bool)
    /// Another session of the same host.
    case own(Int)
  }

  enum Status: Hashable {
    case fresh, asking, ranging, resting, asleep
    case dead(NearbyError.Code)
  }

  struct Member {
    var status = Status.fresh
    var peer: Peer?
    var far = false
    var met = false
    var heard = 0.0
    var asleepSince = 0.0
  }

  enum Said: Hashable {
    case started(Int)
    case updated(Int, Peer)
    case removed(Int, Peer, NearbyObject.RemovalReason, at: Double)
    case suspended(Int)
    case suspensionEnded(Int)
    case shareable(Int, Peer)
    case ended(Int, NearbyError.Code)

    var session: Int {
      switch self {
      case .started(let session), .updated(let session, _), .removed(let session, _, _, _), .suspended(let session),
        .suspensionEnded(let session), .shareable(let session, _), .ended(let session, _):
        session
      }
    }
  }

  var time = 0.0
  var members: [Member] = []
  var permission = NearbyPermission.undetermined
  var inBackground = false
  var radioIsGone = false
  var endedPeers: Set<Peer> = []
  var said: [Said] = []
  var undelivered = 0

  // MARK: Time

  private func due(_ member: Member) -> Double? {
    switch member.status {
    case .ranging: member.met ? member.heard + Self.timeout : member.heard + Self.inactivityLimit
    case .asleep: member.asleepSince + Self.suspensionLimit
    default: nil
    }
  }

  mutating func pass(to later: Double) {
    while true {
      let waiting = members.indices.compactMap { index in due(members[index]).map { (time: $0, index: index) } }
      guard let next = waiting.min(by: { ($0.time, $0.index) < ($1.time, $1.index) }), next.time < later else { break }
      let member = members[next.index]
      if member.status == .ranging, member.met, let peer = member.peer {
        members[next.index].status = .resting
        members[next.index].met = false
        said.append(.removed(next.index, peer, .timeout, at: next.time))
      } else {
        kill(next.index, .resourceUsageTimeout)
      }
    }
    time = later
  }

  // MARK: Calls

  mutating func make() {
    members.append(Member())
  }

  /// Returns the code of the error that the run throws.
  mutating func run(_ index: Int, with peer: Peer, far: Bool) -> NearbyError.Code? {
    switch members[index].status {
    case .dead(let code): return code
    case .asleep: return .sessionFailed
    default: break
    }
    if isPrevented(peer) { return .sessionFailed }
    if let code = objection(index, peer, far: far) {
      kill(index, code)
      return code
    }
    let isResumed = members[index].peer == peer
    if members[index].status == .ranging, isResumed {
      members[index].far = far
      share(index)
      return nil
    }
    members[index].peer = peer
    members[index].far = far
    if !isResumed { members[index].met = false }
    members[index].status = .asking
    if permission == .granted { start(index) }
    return nil
  }

  mutating func pause(_ index: Int) {
    if isActive(index) { members[index].status = .resting }
  }

  mutating func invalidate(_ index: Int) {
    kill(index, .invalidatedByApp)
  }

  mutating func measure(_ peer: Peer) {
    let listeners = members.indices.filter { members[$0].status == .ranging && members[$0].peer == peer }
    if listeners.isEmpty { undelivered += 1 }
    for index in listeners {
      members[index].heard = time
      members[index].met = true
    }
    // Sessions hear in the order in which they began to range, which the test leaves open.
    said += listeners.map { .updated($0, peer) }
  }

  /// A round that failed: heard of, and no sign of life.
  mutating func miss(_ peer: Peer) {
    let listeners = members.indices.filter { members[$0].status == .ranging && members[$0].peer == peer }
    if listeners.isEmpty { undelivered += 1 }
    said += listeners.map { .updated($0, peer) }
  }

  mutating func end(_ peer: Peer) {
    if case .device = peer { endedPeers.insert(peer) }
    for index in members.indices where members[index].peer == peer {
      let hears = members[index].status == .ranging || (members[index].status == .resting && members[index].met)
      members[index].met = false
      guard hears else { continue }
      members[index].status = .resting
      said.append(.removed(index, peer, .peerEnded, at: time))
    }
  }

  mutating func loseBluetooth(of peer: Peer) {
    for index in members.indices where isActive(index) && members[index].peer == peer {
      kill(index, .accessoryPeerDeviceUnavailable)
    }
  }

  /// The radio fails: whatever ranges ends.
  mutating func fail() {
    for index in members.indices where members[index].status == .ranging { kill(index, .sessionFailed) }
  }

  mutating func setPermission(_ answer: NearbyPermission) {
    permission = answer
    guard answer != .undetermined else { return }
    for index in members.indices where isActive(index) {
      if answer == .declined {
        kill(index, .userDidNotAllow)
      } else if members[index].status == .asking, let peer = members[index].peer {
        if let code = objection(index, peer, far: members[index].far) { kill(index, code) } else { start(index) }
      }
    }
  }

  mutating func setBackground(_ isBackground: Bool) {
    inBackground = isBackground
    obeyConditions()
  }

  mutating func setRadioGone(_ isGone: Bool) {
    radioIsGone = isGone
    obeyConditions()
  }

  // MARK: Inside

  private func isPrevented(_ peer: Peer?) -> Bool {
    if radioIsGone { return true }
    if case .accessory(_, true)? = peer { return false }
    return inBackground
  }

  private mutating func obeyConditions() {
    for index in members.indices {
      let isPrevented = isPrevented(members[index].peer)
      if isPrevented, isActive(index) {
        members[index].status = .asleep
        members[index].asleepSince = time
        said.append(.suspended(index))
      } else if !isPrevented, members[index].status == .asleep {
        members[index].status = .resting
        said.append(.suspensionEnded(index))
      }
    }
  }

  func isActive(_ index: Int) -> Bool {
    members[index].status == .ranging || members[index].status == .asking
  }

  private func objection(_ index: Int, _ peer: Peer, far: Bool) -> NearbyError.Code? {
    if permission == .declined { return .userDidNotAllow }
    if case .own = peer { return .invalidConfiguration }
    if endedPeers.contains(peer) { return .invalidConfiguration }
    if far, case .device(_, false) = peer { return .incompatiblePeerDevice }
    let others = members.indices.filter { $0 != index && isActive($0) }
    if others.count >= Self.activeLimit { return .activeSessionsLimitExceeded }
    if far, others.count(where: { members[$0].far }) >= Self.extendedLimit {
      return .activeExtendedDistanceSessionsLimitExceeded
    }
    return nil
  }

  private mutating func start(_ index: Int) {
    members[index].status = .ranging
    members[index].heard = time
    said.append(.started(index))
    share(index)
  }

  private mutating func share(_ index: Int) {
    if let peer = members[index].peer, case .accessory = peer { said.append(.shareable(index, peer)) }
  }

  private mutating func kill(_ index: Int, _ code: NearbyError.Code) {
    if case .dead = members[index].status { return }
    members[index].status = .dead(code)
    members[index].peer = nil
    said.append(.ended(index, code))
  }
}
