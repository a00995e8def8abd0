import UWBTypes

/// The rules of all sessions of one device, as a plain value: calls, measurements and the time go in, events come out in
/// order. It waits for nothing, reads no clock and starts no task.
///
/// Every call states the time, in seconds on the host's clock. What falls due by then (a peer's timeout, say) comes out
/// before what the call itself brings about.
public struct HostCore: Sendable {
  /// A clock that goes back by more was set anew; by less, its readings were handed over out of order. s.
  static let disorder = 1.0

  /// Settings of all sessions.
  public let settings: NearbySettings
  /// Capabilities of the device.
  public let capabilities: DeviceCapabilities
  /// Whether the user permits ranging.
  public internal(set) var permission: NearbyPermission
  /// Whether somebody will say what the user answered.
  public var isPermissionExpected = true
  /// Whether the app is in front.
  public internal(set) var applicationState = ApplicationState.foreground
  /// Whether the radio can range.
  public internal(set) var isRadioAvailable = true
  /// How the device is held.
  public internal(set) var orientation = DeviceOrientation.portrait
  /// Measurements that belong to no running session.
  public internal(set) var undelivered = 0

  /// The address that the radio always has, for the tokens made from now on.
  var radioAddress: DeviceAddress?
  var generator: TokenGenerator
  var slots: [SessionState] = []
  var assistances: [AssistanceState?] = []
  var freeSlots: [Int] = []
  var generations: UInt32 = 0
  var slotsByToken: [DiscoveryToken: Int] = [:]
  var routes: [DeviceAddress: [Int]] = [:]
  var endedTokens = EndedTokens()
  var isAskingPermission = false
  var pose: NearbyPose?
  var now = -Double.infinity
  /// For each session with a deadline an entry that is no later.
  var deadlines = DeadlineQueue()

  /// A host without sessions.
  public init(
    settings: NearbySettings = NearbySettings(), capabilities: DeviceCapabilities = .all,
    permission: NearbyPermission = .granted, tokens: TokenGenerator = .system
  ) {
    self.settings = settings
    self.capabilities = capabilities
    self.permission = permission
    generator = tokens
  }

  // MARK: Sessions

  /// Makes a session with a token of its own.
  public mutating func makeSession() -> SessionID {
    generations &+= 1
    var state = SessionState(generation: generations)
    let token = DiscoveryToken(deviceCapabilities: capabilities, address: radioAddress, using: &generator)
    state.token = token
    state.shortAddress = UInt16.random(in: 1...0xFFFD, using: &generator)
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
      slots[slot] = state
      assistances[slot] = nil
    } else {
      slot = slots.count
      slots.append(state)
      assistances.append(nil)
    }
    slotsByToken[token] = slot
    return SessionID(slot: slot, generation: generations)
  }

  /// The session's token; `nil` after invalidation.
  public func discoveryToken(of id: SessionID) -> DiscoveryToken? {
    index(of: id).flatMap { slots[$0].token }
  }

  /// What the session last ran with; `nil` before the first run and after invalidation.
  public func configuration(of id: SessionID) -> NearbyConfiguration? {
    index(of: id).flatMap { slots[$0].configuration }
  }

  /// Whether the session runs.
  public func isRunning(_ id: SessionID) -> Bool {
    index(of: id).map { slots[$0].phase } == .running
  }

  /// Why the session is invalid; `nil` while it is not.
  public func error(of id: SessionID) -> NearbyError? {
    guard let slot = index(of: id) else { return .invalidatedByApp }
    return slots[slot].error
  }

  /// What the radio is to range now.
  public var links: [RangingLink] {
    slots.indices.filter { slots[$0].phase == .running }.compactMap(link)
  }

  /// Whether the device can range at all.
  public var isSupported: Bool { capabilities.supportsPreciseDistanceMeasurement }

  // MARK: Inside

  func index(of id: SessionID) -> Int? {
    slots.indices.contains(id.slot) && slots[id.slot].generation == id.generation ? id.slot : nil
  }

  func id(of slot: Int) -> SessionID {
    SessionID(slot: slot, generation: slots[slot].generation)
  }

  func emit(_ kind: SessionEvent.Kind, from slot: Int, at time: Double? = nil, into events: inout [SessionEvent]) {
    events.append(SessionEvent(session: id(of: slot), time: time ?? now, kind: kind))
  }

  func link(of slot: Int) -> RangingLink? {
    guard let token = slots[slot].token, let configuration = slots[slot].configuration,
      let local = localAddress(of: slot)
    else { return nil }
    return RangingLink(
      localToken: token, peerToken: configuration.peerToken, localAddress: local,
      peerAddress: configuration.peerAddress)
  }

  /// The address under which a session that runs ranges.
  func localAddress(of slot: Int) -> DeviceAddress? {
    switch slots[slot].configuration {
    case .peer: slots[slot].token?.address
    case .accessory: DeviceAddress(rawValue: UInt64(slots[slot].shortAddress))
    case nil: nil
    }
  }

  /// Ends a session; its last event.
  mutating func invalidate(
    _ slot: Int, with error: NearbyError, at time: Double? = nil, into events: inout [SessionEvent]
  ) {
    guard slots[slot].isLive else { return }
    unbind(slot)
    if let token = slots[slot].token {
      slotsByToken[token] = nil
      endedTokens.insert(token)
      emit(.link(.ended(token)), from: slot, at: time, into: &events)
    }
    slots[slot].phase = .invalidated
    slots[slot].token = nil
    slots[slot].configuration = nil
    slots[slot].peerToken = nil
    slots[slot].isPeerPresent = false
    slots[slot].error = error
    assistances[slot] = nil
    emit(.invalidated(error), from: slot, at: time, into: &events)
  }

  /// Takes a session that runs off the air.
  mutating func stop(
    _ slot: Int, as phase: SessionState.Phase, at time: Double? = nil, into events: inout [SessionEvent]
  ) {
    let link = slots[slot].phase == .running ? link(of: slot) : nil
    unbind(slot)
    slots[slot].phase = phase
    if let link { emit(.link(.stopped(link)), from: slot, at: time, into: &events) }
  }

  mutating func bind(_ slot: Int) {
    guard let address = slots[slot].configuration?.peerAddress else { return }
    routes[address, default: []].append(slot)
  }

  mutating func unbind(_ slot: Int) {
    guard slots[slot].phase == .running, let address = slots[slot].configuration?.peerAddress else { return }
    routes[address]?.removeAll { $0 == slot }
    if routes[address]?.isEmpty == true { routes[address] = nil }
  }
}
