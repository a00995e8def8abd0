import NearbySession
import NearbySimulation
import Testing

@Suite struct SimulatedRoomTests {
  private static func device(
    _ name: String, at position: SIMD3<Double>, yaw: Double = 0, sessions: [String] = []
  ) -> RoomScenario.Device {
    RoomScenario.Device(
      name: name, motion: RoomScenario.Motion(.still(position)),
      facing: RoomScenario.Facing(.angles(yawdeg: yaw, pitchdeg: 0, turndeg: 0)), sessions: sessions)
  }

  /// Two that face each other, 2 m apart.
  private static func pair(_ duration: Double) -> RoomScenario {
    var scenario = RoomScenario(name: "pair", duration: duration, rate: 5)
    scenario.devices = [
      device("a", at: .zero, sessions: ["b"]), device("b", at: SIMD3(0, 0, -2), yaw: 180, sessions: ["a"]),
    ]
    return scenario
  }

  private static func play(_ scenario: RoomScenario) throws -> [RoomEvent] {
    var events: [RoomEvent] = []
    try ScriptedApps(scenario).play { events.append($0) }
    return events
  }

  private static func updates(_ events: [RoomEvent], of device: String) -> [NearbyObject] {
    events.flatMap { event -> [NearbyObject] in
      guard event.device == device, case .told(.updated(let objects)) = event.kind else { return [] }
      return objects
    }
  }

  @Test("R41 two devices in one process: the app's own code makes, exchanges, runs and hears")
  func applicationCode() throws {
    let room = try SimulatedRoom(Self.pair(10))
    let hosts = [try #require(room.host(of: "a")), try #require(room.host(of: "b"))]
    let sessions = hosts.map { NearbySession(host: $0) }
    let events = sessions.map(\.events)
    let tokens = try sessions.map { try #require($0.discoveryToken) }
    try sessions[0].run(NearbyPeerConfiguration(peerToken: tokens[1]))
    room.advance(to: 1)
    // One end alone gets nothing.
    #expect(try events[0].takeReady() == .started)
    #expect(try events[0].takeReady() == nil)
    try sessions[1].run(NearbyPeerConfiguration(peerToken: tokens[0]))
    room.advance(to: 2)
    for (stream, other) in zip(events, tokens.reversed()) {
      var last: NearbyObject?
      while let event = try stream.takeReady() {
        if case .updated(let objects) = event { last = objects.last }
      }
      let object = try #require(last)
      #expect(object.discoveryToken == other)
      #expect(abs((object.distance ?? 0) - 2) < 0.1)
      #expect((object.direction?.z ?? 0) < -0.99)
    }
    sessions[1].invalidate()
    room.advance(to: 2.2)
    #expect(try events[0].takeReady().map { if case .removed(_, .peerEnded) = $0 { true } else { false } } == true)
    // A session that nobody holds ends.
    withExtendedLifetime(sessions) {}
  }

  @Test("the same scenario and seed give the same events; another seed gives others")
  func repeats() throws {
    func distances(_ seed: UInt64) throws -> [Double] {
      var scenario = Self.pair(1)
      scenario.seed = seed
      return Self.updates(try Self.play(scenario), of: "a").compactMap(\.distance)
    }
    let first = try distances(1)
    #expect(first.count == 5)
    #expect(try distances(1) == first)
    #expect(try distances(2) != first)
  }

  @Test("a direction whose peer is really behind counts against the rule, and the first such update is kept")
  func valuesAgainstARule() throws {
    let scenario = Self.pair(2)
    var score = try RoomScore(scenario)
    var times: [Double] = []
    for var event in try Self.play(scenario) {
      if event.device == "a", case .told(.updated(let objects)) = event.kind, objects.first?.direction != nil {
        if times.count < 2, event.time > 0.5 {
          event.truth?.direction = SIMD3(0, 0, 1)
          times.append(event.time)
        }
      }
      score.take(event)
    }
    #expect(times.count == 2 && score.wronglyGiven == 2)
    #expect(score.firstWronglyGiven?.time == times[0])
    #expect(score.firstWronglyGiven?.peer == "b")
  }

  @Test("R19 behind its screen a device has distances and no directions")
  func behind() throws {
    var scenario = Self.pair(2)
    scenario.devices[0].facing = RoomScenario.Facing(.angles(yawdeg: 170, pitchdeg: 0, turndeg: 0))
    let updates = Self.updates(try Self.play(scenario), of: "a")
    #expect(updates.count == 10)
    #expect(updates.allSatisfy { $0.direction == nil && abs(($0.distance ?? 0) - 2) < 0.15 })
  }

  @Test("R24 one antenna gives distances alone; R19 beyond the limit both are nil")
  func limits() throws {
    var scenario = Self.pair(1)
    scenario.devices[0].antennas = .single
    scenario.devices[1].limits.maximumDistance = 1.5
    let events = try Self.play(scenario)
    #expect(Self.updates(events, of: "a").allSatisfy { $0.distance != nil && $0.direction == nil })
    #expect(Self.updates(events, of: "b").allSatisfy { $0.distance == nil && $0.direction == nil })
    #expect(!Self.updates(events, of: "b").isEmpty)
  }

  @Test("R26 R27 scripted events bring removals at their times, with and without a notice that is lost")
  func removals() throws {
    for isLost in [false, true] {
      var scenario = Self.pair(8)
      scenario.devices[0].limits.timeout = 3
      scenario.devices[0].resumes = false
      if isLost { scenario.events.append(RoomScenario.Event(at: 0, device: "b", .loseNotices)) }
      scenario.events.append(RoomScenario.Event(at: 2, device: "b", .leave))
      scenario.expectations = [
        RoomScenario.Expectation(device: "a", peer: "b", isLost ? .timeout : .peerEnded, at: isLost ? 5 : 2),
        RoomScenario.Expectation(device: "b", peer: "a", .invalidated, at: 2),
      ]
      var score = try RoomScore(scenario)
      try ScriptedApps(scenario).play { score.take($0) }
      let isMet = score.outcomes.allSatisfy(\.isMet)
      #expect(isMet, "\(score.outcomes)")
    }
  }

  @Test("an accessory ranges at the pace that it was told, until it stops")
  func accessory() throws {
    var scenario = RoomScenario(name: "keys", duration: 6)
    scenario.devices = [Self.device("phone", at: .zero, sessions: ["keys"])]
    scenario.devices[0].limits.timeout = 2
    scenario.devices[0].resumes = false
    scenario.accessories = [
      RoomScenario.Accessory(
        name: "keys", motion: RoomScenario.Motion(.still(SIMD3(0.3, 0, -1.5))), updateRate: .userInteractive)
    ]
    scenario.events = [RoomScenario.Event(at: 3, device: "keys", .stop)]
    scenario.expectations = [RoomScenario.Expectation(device: "phone", peer: "keys", .timeout, at: 5, within: 0.25)]
    var score = try RoomScore(scenario)
    var events: [RoomEvent] = []
    try ScriptedApps(scenario).play {
      score.take($0)
      events.append($0)
    }
    // 180 ms apart for 3 s.
    #expect((16...17).contains(Self.updates(events, of: "phone").count))
    let isMet = score.outcomes.allSatisfy(\.isMet)
    #expect(isMet, "\(score.outcomes)")
  }

  @Test("what can't be played is refused with its place")
  func refusals() {
    func refused(_ place: String, _ change: (inout RoomScenario) -> Void) {
      var scenario = Self.pair(1)
      change(&scenario)
      do {
        _ = try SimulatedRoom(scenario)
        Issue.record("\(place) was taken")
      } catch {
        #expect(error.place == place)
      }
    }
    refused("duration_s") { $0.duration = .nan }
    refused("rate_hz") { $0.rate = 0 }
    refused("devices") { $0.devices[1].name = "a" }
    refused("devices.a.sessions") { $0.devices[0].sessions = ["nobody"] }
    refused("devices.a.motion") { $0.devices[0].motion.kind = .waypoints([]) }
    refused("devices.a.facing") { $0.devices[0].facing.kind = .peer("nobody") }
    refused("events[0].device") { $0.events = [RoomScenario.Event(at: 0, device: "nobody", .leave)] }
    refused("expect[0]") { $0.expectations = [RoomScenario.Expectation(device: "a", peer: "a", .started, at: 0)] }
  }
}
