import Dispatch
import UWBTracking
import UWBTypes

/// How an app asks its user whether it may range.
public struct NearbyPermissionRequest: Sendable {
  /// What the app uses ranging for, in the user's words.
  public let usageDescription: String
  let ask: @Sendable (String) async -> Bool

  /// A request with the text that the user is shown and the function that asks.
  public init(usageDescription: String, ask: @escaping @Sendable (_ usageDescription: String) async -> Bool) {
    self.usageDescription = usageDescription
    self.ask = ask
  }
}

/// One device: its sessions, its limits, what it knows of the app and the user, and the door for measurements.
///
/// All sessions of a host share one lock, held for well under a microsecond a measurement; nobody is called back
/// under it. Calls may come from any thread and take effect, and are told to subscribers, in one order.
public final class NearbyHost: Sendable {
  /// What the lock guards.
  struct Guarded: Sendable {
    var core: HostCore
    /// By the session's slot.
    var subscribers: [[EventQueue<NearbySessionEvent>]] = []
    var linkSubscribers: [EventQueue<LinkChange>] = []
    var events: [SessionEvent] = []
    /// What serves the attached radio.
    var radio: [Task<Void, Never>] = []
    /// What the host's own timer waits for, s.
    var alarm = Double.infinity
  }

  /// Settings of all sessions of this host.
  public let settings: NearbySettings
  /// What the device can do; look here first.
  public let deviceCapabilities: DeviceCapabilities
  private let clock: any NearbyClock
  private let hasTimer: Bool
  private let request: NearbyPermissionRequest?
  private let state: StateLock<Guarded>

  /// - Parameters:
  ///   - clock: where to read the time. The host then lets time pass with every call, and by nothing else. Without one it has the
  ///     machine's clock and a timer of its own.
  ///   - permission: What the user answered before, where the app has kept it. `undetermined` promises a call of `setPermission`.
  ///   - request: Asks the user before the first run. With neither, `run` throws.
  ///   - tokens: the system's random numbers, or a seed where output must repeat.
  public init(
    settings: NearbySettings = NearbySettings(), deviceCapabilities: DeviceCapabilities = .all,
    clock: (any NearbyClock)? = nil, permission: NearbyPermission? = nil,
    request: NearbyPermissionRequest? = nil, tokens: TokenGenerator = .system
  ) {
    self.settings = settings
    self.deviceCapabilities = deviceCapabilities
    self.clock = clock ?? NearbyMonotonicClock()
    hasTimer = clock == nil
    self.request = request
    var core = HostCore(
      settings: settings, capabilities: deviceCapabilities, permission: permission ?? .undetermined, tokens: tokens)
    core.isPermissionExpected = permission != nil || request != nil
    state = StateLock(Guarded(core: core))
  }

  deinit {
    for task in state.withLock({ $0.radio }) { task.cancel() }
  }

  /// Whether the device can range at all: the older way to ask.
  public var isSupported: Bool { deviceCapabilities.supportsPreciseDistanceMeasurement }

  // MARK: The app and its user

  /// What the user answered; for the app to keep.
  public var permission: NearbyPermission { read { $0.permission } }

  /// The user has changed their mind. Returns `false` where an answer holds until the app exits.
  @discardableResult
  public func setPermission(_ permission: NearbyPermission) -> Bool {
    transact { core, now, events in core.setPermission(permission, at: now, into: &events) }
  }

  /// Whether the app is in front.
  public var applicationState: ApplicationState { read { $0.applicationState } }

  /// Tells the host whether the app is in front; sessions of an app in the background are suspended.
  public func setApplicationState(_ applicationState: ApplicationState) {
    transact { core, now, events in core.setApplicationState(applicationState, at: now, into: &events) }
  }

  /// How the user holds the device, which decides how wide its field of view is.
  public func setOrientation(_ orientation: DeviceOrientation) {
    transact { core, now, events in core.setOrientation(orientation, at: now, into: &events) }
  }

  /// The device's pose now, for sessions with assistance.
  public func updatePose(_ pose: NearbyPose) {
    transact { core, now, events in core.updatePose(pose, at: now, into: &events) }
  }

  // MARK: The source of exchanges

  /// Brings one measurement to the sessions that run with its peer.
  ///
  /// - Parameter local: the address under which this device ranged. Where it is one of a session's own, that session alone
  ///   hears of it; else every session with that peer.
  public func deliver(_ measurement: RangingMeasurement, local: DeviceAddress? = nil) {
    transact { core, now, events in core.deliver(measurement, local: local, at: now, into: &events) }
  }

  /// Brings exchanges through an engine and a tracker for each peer, until the source ends or the task is cancelled.
  ///
  /// `ExchangePipeline` is the same for a source that pushes.
  public func receive<Source: AsyncSequence>(
    _ source: Source, engine: some RangingProcessSource,
    tracking: PeerTracker.Configuration? = PeerTracker.Configuration(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Source.Failure) where Source.Element == RangingExchange {
    try await ExchangePipeline(to: self, engine: engine, tracking: tracking).receive(source, isolation: isolation)
  }

  /// Brings several measurements that are ready at once.
  public func deliver(contentsOf measurements: some Sequence<RangingMeasurement>) {
    transact { core, now, events in
      for measurement in measurements {
        core.deliver(measurement, at: now, into: &events)
      }
    }
  }

  /// Brings measurements until the source ends or the task is cancelled.
  public func receive<Source: AsyncSequence>(
    _ source: Source, isolation: isolated (any Actor)? = #isolation
  ) async throws(Source.Failure) where Source.Element == RangingMeasurement {
    var iterator = source.makeAsyncIterator()
    while let measurement = try await iterator.next(isolation: isolation) {
      deliver(measurement)
    }
  }

  /// Brings exchanges through an engine until the source ends or the task is cancelled.
  public func receive<Source: AsyncSequence>(
    _ source: Source, isolation: isolated (any Actor)? = #isolation,
    measuring measure: (RangingExchange) -> RangingMeasurement
  ) async throws(Source.Failure) where Source.Element == RangingExchange {
    var iterator = source.makeAsyncIterator()
    while let exchange = try await iterator.next(isolation: isolation) {
      deliver(measure(exchange))
    }
  }

  /// The peer with this token has invalidated its session.
  public func peerEnded(_ token: DiscoveryToken) {
    transact { core, now, events in core.peerEnded(token, at: now, into: &events) }
  }

  /// The Bluetooth link to an accessory is gone.
  public func accessoryUnavailable(bluetoothPeerIdentifier: String) {
    transact { core, now, events in
      core.accessoryUnavailable(bluetoothPeerIdentifier: bluetoothPeerIdentifier, at: now, into: &events)
    }
  }

  /// Whether the radio can range now: one that is busy or gone suspends the sessions on the air.
  public func setRadioAvailable(_ isAvailable: Bool) {
    transact { core, now, events in core.setRadioAvailable(isAvailable, at: now, into: &events) }
  }

  /// What the radio is to range now.
  public var links: [RangingLink] { read { $0.links } }

  /// What changes in `links`, and which sessions end, from now on.
  public var linkChanges: LinkChanges { subscribeToLinks().changes }

  /// Measurements so far that belonged to no running session.
  public var undelivered: Int { read { $0.undelivered } }

  // MARK: Time

  /// Lets what is due happen. A host without a clock by hand does so by itself.
  public func advance() {
    transact { _, _, _ in }
  }

  /// When something falls due next, on the host's clock; `nil` for never.
  public var nextDeadline: Double? { read { $0.nextDeadline } }

  /// Calls `advance` at a steady pace until the task is cancelled: for a host that was given a clock.
  public func keepTime<C: Clock>(every interval: C.Duration, clock: C) async {
    while !Task.isCancelled {
      advance()
      do {
        try await clock.sleep(until: clock.now.advanced(by: interval), tolerance: nil)
      } catch {
        return
      }
    }
  }

  // MARK: For radios

  /// The links now, and every change from then on.
  func subscribeToLinks() -> (changes: LinkChanges, links: [RangingLink]) {
    let queue = EventQueue<LinkChange>()
    let links = state.withLock { guarded in
      guarded.linkSubscribers.append(queue)
      return guarded.core.links
    }
    let subscription = Subscription(queue: queue) { [weak self] queue in
      self?.state.withLock { $0.linkSubscribers.removeAll { $0 === queue } }
    }
    return (LinkChanges(subscription: subscription), links)
  }

  func replaceRadio(by tasks: [Task<Void, Never>]) {
    let previous = state.withLock { guarded in
      defer { guarded.radio = tasks }
      return guarded.radio
    }
    for task in previous { task.cancel() }
  }

  /// s
  var now: Double { clock.now }

  func deliver(_ measurement: RangingMeasurement, of link: RangingLink) {
    transact { core, now, events in core.deliver(measurement, of: link, at: now, into: &events) }
  }

  // MARK: For sessions

  func makeSession() -> SessionID {
    state.withLock { guarded in
      let id = guarded.core.makeSession()
      if id.slot == guarded.subscribers.count { guarded.subscribers.append([]) }
      return id
    }
  }

  func run(_ id: SessionID, with configuration: NearbyConfiguration) throws(NearbyError) {
    let outcome = try transact { (core, now, events) throws(NearbyError) in
      try core.run(id, with: configuration, at: now, into: &events)
    }
    guard outcome == .askPermission, let request else { return }
    Task { [weak self] in
      let isAllowed = await request.ask(request.usageDescription)
      self?.setPermission(isAllowed ? .granted : .declined)
    }
  }

  func subscribe(_ queue: EventQueue<NearbySessionEvent>, to id: SessionID) -> Subscription<NearbySessionEvent> {
    state.withLock { guarded in
      if let error = guarded.core.error(of: id) {
        _ = queue.finish(throwing: error)
      } else {
        guarded.subscribers[id.slot].append(queue)
      }
    }
    return Subscription(queue: queue) { [weak self] queue in
      self?.state.withLock { $0.subscribers[id.slot].removeAll { $0 === queue } }
    }
  }

  func read<Value: Sendable>(_ body: (HostCore) -> Value) -> Value {
    state.withLock { body($0.core) }
  }

  /// Changes the core, hands what it said to the subscribers, and wakes them once the lock is free.
  @discardableResult
  func transact<Value: Sendable, Failure: Error>(
    _ body: (inout HostCore, Double, inout [SessionEvent]) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // An app's clock may call the host: it is read outside the lock. The core takes a reading that comes late as its latest.
    let now = clock.now
    var wakeups: [UnsafeContinuation<Void, Never>] = []
    let (result, alarm) = state.withLock { guarded -> (Result<Value, Failure>, Double?) in
      guarded.core.advance(to: now, into: &guarded.events)
      let result: Result<Value, Failure>
      do throws(Failure) {
        result = .success(try body(&guarded.core, now, &guarded.events))
      } catch {
        result = .failure(error)
      }
      guarded.distribute(to: &wakeups)
      return (result, hasTimer ? guarded.nextAlarm() : nil)
    }
    for wakeup in wakeups { wakeup.resume() }
    if let alarm { wait(for: alarm, since: now) }
    return try result.get()
  }

  /// Has `advance` called once `alarm` is past.
  private func wait(for alarm: Double, since now: Double) {
    let delay = min(max(0, alarm - now), 86_400) + 1e-3
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self else { return }
      state.withLock { if $0.alarm == alarm { $0.alarm = .infinity } }
      advance()
    }
  }
}

extension NearbyHost.Guarded {
  /// What the timer is to wait for, where that is earlier than what it waits for.
  fileprivate mutating func nextAlarm() -> Double? {
    guard let deadline = core.deadlines.first?.deadline, deadline < alarm else { return nil }
    alarm = deadline
    return deadline
  }

  fileprivate mutating func distribute(to wakeups: inout [UnsafeContinuation<Void, Never>]) {
    for event in events {
      let slot = event.session.slot
      switch event.kind {
      case .invalidated(let error):
        for queue in subscribers[slot] { wakeups += queue.finish(throwing: error) }
        subscribers[slot].removeAll()
      case .link(let change):
        for queue in linkSubscribers {
          if let wakeup = queue.push(change) { wakeups.append(wakeup) }
        }
      default:
        guard !subscribers[slot].isEmpty, let told = NearbySessionEvent(event.kind) else { continue }
        for queue in subscribers[slot] {
          if let wakeup = queue.push(told) { wakeups.append(wakeup) }
        }
      }
    }
    events.removeAll(keepingCapacity: true)
  }
}
