import NearbySession
import Testing

@testable import NearbySimulation

/// Numbers that no room has are refused by their place.
@Suite struct ScenarioLimitsTests {
  private static func room() -> RoomScenario {
    var room = RoomScenario(name: "limits", duration: 1)
    for name in ["a", "b"] {
      room.devices.append(
        RoomScenario.Device(
          name: name, motion: RoomScenario.Motion(.still(SIMD3(name == "a" ? 0 : 1, 0, 0))),
          sessions: [name == "a" ? "b" : "a"]))
    }
    room.box = RoomScenario.Box(lower: SIMD3(repeating: -5), upper: SIMD3(repeating: 5))
    room.walls = [RoomScenario.Wall(from: SIMD2(0, 2), to: SIMD2(3, 2), lossdB: 3)]
    room.events = [RoomScenario.Event(at: 0.5, device: "a", .pause)]
    room.expectations = [RoomScenario.Expectation(device: "a", peer: "b", .started, at: 0)]
    return room
  }

  private static let changes: [(place: String, change: @Sendable (inout RoomScenario, Double) -> Void)] = [
    ("duration_s", { $0.duration = $1 }), ("rate_hz", { $0.rate = $1 }), ("radio.loss", { $0.radio.loss = $1 }),
    ("radio.snr_at_1m_db", { $0.radio.snrAtOneMetredB = $1 }),
    ("radio.sensitivity_db", { $0.radio.sensitivitydB = $1 }),
    ("radio.body_loss_db", { $0.radio.bodyLossdB = $1 }), ("room.lower_m", { $0.box?.lower.x = $1 }),
    ("room.upper_m", { $0.box?.upper.y = $1 }), ("room.sides", { $0.box?.sides = $1 }),
    ("walls[0].from_m", { $0.walls[0].from.y = $1 }), ("walls[0].to_m", { $0.walls[0].to.x = $1 }),
    ("walls[0].height_m", { $0.walls[0].height = $1 }), ("walls[0].reflection", { $0.walls[0].reflection = $1 }),
    ("walls[0].loss_db", { $0.walls[0].lossdB = $1 }), ("walls[0].excess_m", { $0.walls[0].excess = $1 }),
    ("devices.a.motion.position_m", { $0.devices[0].motion.kind = .still(SIMD3(0, $1, 0)) }),
    (
      "devices.a.motion.waypoints_s_m[1]",
      { $0.devices[0].motion.kind = .waypoints([SIMD4(0, 0, 0, 0), SIMD4(1, 0, $1, 0)]) }
    ),
    (
      "devices.a.motion.radius_m",
      { $0.devices[0].motion.kind = .circle(centre: .zero, radius: $1, speed: 1, startdeg: 0) }
    ),
    (
      "devices.a.motion.speed_m_s",
      { $0.devices[0].motion.kind = .circle(centre: .zero, radius: 1, speed: $1, startdeg: 0) }
    ),
    ("devices.a.clock.rate_ppm", { $0.devices[0].clock.rateppm = $1 }),
    ("devices.a.clock.drift_ppm_s", { $0.devices[0].clock.driftppm = $1 }),
    ("devices.a.facing", { $0.devices[0].facing.kind = .angles(yawdeg: 0, pitchdeg: 0, turndeg: $1) }),
    ("devices.a.facing.point_m", { $0.devices[0].facing.kind = .point(SIMD3(0, 0, $1)) }),
    ("devices.a.facing.angles_s_deg", { $0.devices[0].facing.kind = .timed([SIMD3(0, $1, 0)]) }),
    ("devices.a.limits.timeout_s", { $0.devices[0].limits.timeout = $1 }),
    ("devices.a.limits.maximum_distance_m", { $0.devices[0].limits.maximumDistance = $1 }),
    ("devices.a.limits.field_of_view_half_angle_deg", { $0.devices[0].limits.fieldOfViewHalfAngledeg = $1 }),
    ("events[0].at_s", { $0.events[0].time = $1 }), ("events[0].for_s", { $0.events[0].period = $1 }),
    ("expect[0].at_s", { $0.expectations[0].time = $1 }),
    ("expect[0].within_s", { $0.expectations[0].tolerance = $1 }),
  ]

  @Test("the room itself can be played")
  func sound() throws {
    _ = try ScriptedApps(Self.room())
  }

  @Test("a number that no room has is refused by its place")
  func numbers() {
    for (place, change) in Self.changes {
      for number in [Double.nan, .infinity, -.infinity, 1e308, -1e308] {
        var room = Self.room()
        change(&room, number)
        let error = #expect(throws: ScenarioError.self, "\(place) \(number)") { try ScriptedApps(room) }
        #expect(error?.place.hasPrefix(place) == true && error?.remedy.isEmpty == false, "\(place): \(error as Any)")
      }
    }
  }

  @Test(
    "counts that can't be are refused",
    arguments: [(2, Int.max), (2, Int.min), (Int.max, 1), (Int.min, 1), (0, 0), (1, 1), (1000, 501), (1001, 1)])
  func crowds(count: Int, neighbours: Int) {
    var room = Self.room()
    room.crowd = RoomScenario.Crowd(
      count: count, lower: .zero, upper: SIMD3(1, 1, 1), speed: 1, neighbours: neighbours, antennas: .single)
    let error = #expect(throws: ScenarioError.self) { try ScriptedApps(room) }
    #expect(error?.place == "crowd")
  }

  @Test("a crowd that walks for a day is refused before it is drawn")
  func longWalks() {
    var room = Self.room()
    room.duration = 86_400
    room.crowd = RoomScenario.Crowd(
      count: 1000, lower: .zero, upper: .zero, speed: 1000, neighbours: 1, antennas: .single)
    #expect(throws: ScenarioError.self) { try RoomPlan(room) }
  }

  @Test("more walls, events or sessions than can be played are refused")
  func counts() {
    for place in ["walls", "events", "expect", "devices.sessions"] {
      var room = Self.room()
      switch place {
      case "walls": room.walls = Array(repeating: room.walls[0], count: ScenarioLimits.walls + 1)
      case "events": room.events = Array(repeating: room.events[0], count: ScenarioLimits.events + 1)
      case "expect": room.expectations = Array(repeating: room.expectations[0], count: ScenarioLimits.events + 1)
      default: room.devices[0].sessions = Array(repeating: "b", count: ScenarioLimits.sessions + 1)
      }
      let error = #expect(throws: ScenarioError.self) { try RoomPlan(room) }
      #expect(error?.place == place)
    }
  }
}
