import NearbySession

/// Plays a scenario: an app on each device that has the sessions the scenario names, and what the scenario lets happen.
///
/// Each app makes its sessions, exchanges tokens with the others (accessories: their data), runs, and from then on does
/// what such an app does: it hands an accessory its configuration, and runs a session again once a suspension or a timeout
/// is over, unless the device `resumes: false`.
public final class ScriptedApps {
  /// One session of an app.
  private final class Call {
    let device: Int
    let peer: Int
    let session: NearbySession
    let events: NearbySessionEvents
    var configuration: NearbyConfiguration?
    var isOver = false

    init(device: Int, peer: Int, session: NearbySession) {
      self.device = device
      self.peer = peer
      self.session = session
      events = session.events
    }
  }

  /// The room that the apps live in.
  public let room: SimulatedRoom
  private var calls: [Call] = []
  private var script: [RoomScenario.Event]
  private var body: (RoomEvent) -> Void = { _ in }

  /// Opens the scenario's room; nothing runs yet.
  public init(_ scenario: RoomScenario) throws(ScenarioError) {
    room = try SimulatedRoom(scenario)
    // The next one last.
    script = room.scenario.events.enumerated()
      .sorted { ($0.element.time, $0.offset) > ($1.element.time, $1.offset) }.map(\.element)
  }

  /// Plays the scenario to its end; `body` hears what every delegate is told, in order.
  public func play(_ body: @escaping (RoomEvent) -> Void) {
    begin(body)
    while let event = nextEvent() {
      room.advance(to: min(event.time, room.scenario.duration))
      perform(event)
    }
    room.advance(to: room.scenario.duration)
    collect()
  }

  /// The same at a pace, `speed` of the scenario's seconds a second.
  public func play(
    speed: Double, isolation: isolated (any Actor)? = #isolation, _ body: @escaping (RoomEvent) -> Void
  ) async {
    begin(body)
    while let event = nextEvent() {
      await room.run(until: min(event.time, room.scenario.duration), speed: speed, isolation: isolation)
      perform(event)
    }
    await room.run(until: room.scenario.duration, speed: speed, isolation: isolation)
    collect()
  }

  // MARK: Inside

  private func begin(_ body: @escaping (RoomEvent) -> Void) {
    self.body = body
    for (index, node) in room.plan.nodes.enumerated() {
      guard let device = node.device, let host = room.host(of: node.name) else { continue }
      for peer in device.sessions {
        guard let peer = room.plan.indices[peer] else { continue }
        calls.append(Call(device: index, peer: peer, session: NearbySession(host: host)))
      }
    }
    for call in calls {
      call.configuration = configuration(of: call)
      run(call)
    }
    room.onStep = { [weak self] _ in self?.collect() }
    collect()
  }

  private func nextEvent() -> RoomScenario.Event? {
    guard let next = script.last, next.time <= room.scenario.duration else { return nil }
    return script.removeLast()
  }

  /// What both apps' transport brings about.
  private func configuration(of call: Call) -> NearbyConfiguration? {
    let node = room.plan.nodes[call.peer]
    let isAssisted = room.plan.nodes[call.device].device?.isAssisted == true
    guard node.accessory == nil else {
      guard let answer = try? room.send(AccessoryMessage.initialize.bytes, to: node.name).first,
        var configuration = try? NearbyAccessoryConfiguration(data: answer.dropFirst())
      else { return nil }
      configuration.isCameraAssistanceEnabled = isAssisted
      return .accessory(configuration)
    }
    guard let token = calls.first(where: { $0.device == call.peer && $0.peer == call.device })?.session.discoveryToken
    else { return nil }
    var configuration = NearbyPeerConfiguration(peerToken: token)
    configuration.isCameraAssistanceEnabled = isAssisted
    return .peer(configuration)
  }

  private func run(_ call: Call) {
    guard let configuration = call.configuration, !room.isOff(call.device) else { return }
    // What was thrown comes as the session's last event as well.
    _ = try? call.session.run(configuration)
  }

  private func perform(_ event: RoomScenario.Event) {
    guard let device = room.plan.indices[event.device] else { return }
    let peer = event.peer.flatMap { room.plan.indices[$0] }
    let chosen = calls.filter { $0.device == device && (peer ?? $0.peer) == $0.peer }
    let host = room.host(of: event.device)
    let end = event.time + (event.period ?? .infinity)
    switch event.action {
    case .background: host?.setApplicationState(.background)
    case .foreground: host?.setApplicationState(.foreground)
    case .pause: for call in chosen { call.session.pause() }
    case .run: for call in chosen { run(call) }
    case .leave: for call in chosen { call.session.invalidate() }
    case .decline: host?.setPermission(.declined)
    case .powerOff:
      room.powerOff(device)
      for call in chosen { call.isOver = true }
    case .stop: room.stopAccessory(device)
    case .lose:
      room.lose(SimulatedRoom.LostMessages(node: device, peer: peer, end: end, areNotices: false))
    case .loseNotices:
      room.lose(SimulatedRoom.LostMessages(node: device, peer: peer, end: end, areNotices: true))
    }
    collect()
  }

  /// Takes what every delegate has been told since the last time, and lets the apps answer.
  private func collect() {
    for call in calls where !call.isOver {
      do throws(NearbyError) {
        while let event = try call.events.takeReady() {
          tell(.told(event), call)
          answer(event, call)
        }
      } catch {
        call.isOver = true
        tell(.invalidated(error), call)
      }
    }
  }

  private func tell(_ kind: RoomEvent.Kind, _ call: Call) {
    let device = room.plan.nodes[call.device].name
    let peer = room.plan.nodes[call.peer].name
    body(
      RoomEvent(
        time: room.time, device: device, peer: peer, kind: kind, truth: room.truth(of: peer, from: device)))
  }

  private func answer(_ event: NearbySessionEvent, _ call: Call) {
    let resumes = room.plan.nodes[call.device].device?.resumes == true
    switch event {
    case .generatedShareableConfiguration(let data, _):
      // 0x0B and the data as it is; a simulated accessory understands what a host makes.
      _ = try? room.send([0x0B] + data, to: room.plan.nodes[call.peer].name)
    case .suspensionEnded, .removed(_, .timeout):
      if resumes { run(call) }
    case .started, .updated, .removed(_, .peerEnded), .suspended, .convergence:
      break
    }
  }
}
