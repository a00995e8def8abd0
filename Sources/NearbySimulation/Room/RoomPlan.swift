import NearbySession
import UWBDSP
import UWBPlatform
import UWBSimulation

/// A scenario made ready to play: checked, names resolved, what is absent drawn from the seed.
struct RoomPlan: Sendable {
  struct Node: Sendable {
    var name: String
    var motion: Motion
    var clock: SimulatedClock
    var array: AntennaArray
    var device: RoomScenario.Device?
    var accessory: RoomScenario.Accessory?
    var settings = NearbySettings()
  }

  let scenario: RoomScenario
  var nodes: [Node] = []
  private(set) var indices: [String: Int] = [:]
  let surroundings: Surroundings?

  init(_ scenario: RoomScenario) throws(ScenarioError) {
    var scenario = scenario
    try Self.check(scenario)
    if let crowd = scenario.crowd { scenario.devices += Self.devices(of: crowd, scenario) }
    self.scenario = scenario
    var walls: [Surroundings.Wall] = []
    if let box = scenario.box {
      walls += Surroundings.box(
        lower: box.lower, upper: box.upper, sides: box.sides, floor: box.floor, ceiling: box.ceiling)
    }
    for wall in scenario.walls {
      walls.append(
        .upright(
          from: wall.from, to: wall.to, height: wall.height, reflection: wall.reflection, lossdB: wall.lossdB,
          excess: wall.excess))
    }
    surroundings = walls.isEmpty ? nil : Surroundings(walls: walls)
    try placeNodes()
    try resolve()
  }

  func index(of name: String, at place: String) throws(ScenarioError) -> Int {
    guard let index = indices[name] else {
      throw ScenarioError(
        place: place, problem: "there is no “\(name)”",
        remedy: "Name one of: \(nodes.map(\.name).prefix(20).joined(separator: ", ")).")
    }
    return index
  }

  // MARK: Inside

  private mutating func placeNodes() throws(ScenarioError) {
    var trajectories: [Trajectory] = []
    for device in scenario.devices {
      trajectories.append(try Self.trajectory(device.motion, at: "devices.\(device.name).motion"))
      try add(
        Node(
          name: device.name, motion: Motion(trajectories[trajectories.count - 1]), clock: clock(device.clock),
          array: device.antennas == .single ? .single() : .lShaped(), device: device))
    }
    for accessory in scenario.accessories {
      let trajectory = try Self.trajectory(accessory.motion, at: "accessories.\(accessory.name).motion")
      try add(
        Node(
          name: accessory.name, motion: Motion(trajectory), clock: clock(accessory.clock), array: .single(),
          accessory: accessory))
    }
  }

  private mutating func add(_ node: Node) throws(ScenarioError) {
    guard indices.updateValue(nodes.count, forKey: node.name) == nil else {
      throw ScenarioError(
        place: "devices", problem: "there are two called “\(node.name)”", remedy: "Give each a name of its own.")
    }
    nodes.append(node)
  }

  private mutating func resolve() throws(ScenarioError) {
    for index in nodes.indices {
      guard let device = nodes[index].device else { continue }
      nodes[index].motion.attitude = try attitude(device)
      nodes[index].settings = settings(device.limits)
      for peer in device.sessions {
        _ = try self.index(of: peer, at: "devices.\(device.name).sessions")
      }
    }
    for (number, event) in scenario.events.enumerated() {
      _ = try index(of: event.device, at: "events[\(number)].device")
      if let peer = event.peer { _ = try index(of: peer, at: "events[\(number)].peer") }
    }
    for (number, expected) in scenario.expectations.enumerated() {
      let device = try index(of: expected.device, at: "expect[\(number)].device")
      _ = try index(of: expected.peer, at: "expect[\(number)].peer")
      guard nodes[device].device?.sessions.contains(expected.peer) == true else {
        throw ScenarioError(
          place: "expect[\(number)]", problem: "“\(expected.device)” has no session with “\(expected.peer)”",
          remedy: "Name it in the device's sessions, or expect it elsewhere.")
      }
    }
  }

  private func attitude(_ device: RoomScenario.Device) throws(ScenarioError) -> Motion.Attitude {
    let radians = Double.pi / 180
    let place = "devices.\(device.name).facing"
    switch device.facing.kind {
    case .angles(let yaw, let pitch, let turn):
      if turn == 0 { return .fixed(yaw: yaw * radians, pitch: pitch * radians) }
      return .turning(yaw: yaw * radians, rate: turn * radians, pitch: pitch * radians)
    case .point(let point):
      return .towards(.stationary(point))
    case .peer(let name):
      return .towards(nodes[try index(of: name, at: place)].motion.trajectory)
    case .timed(let angles):
      guard !angles.isEmpty, zip(angles, angles.dropFirst()).allSatisfy({ $0.x < $1.x }) else {
        throw ScenarioError(place: place, problem: "the times do not grow", remedy: "List angles by ascending time.")
      }
      return .following(
        .timed(angles.map { (time: $0.x, position: SIMD3($0.y * radians, $0.z * radians, 0)) }))
    }
  }

  private func settings(_ limits: RoomScenario.Limits) -> NearbySettings {
    var settings = NearbySettings()
    settings.limits.snrAtOneMetredB = scenario.radio.snrAtOneMetredB
    settings.timeout = limits.timeout ?? settings.timeout
    settings.suspensionLimit = limits.suspensionLimit ?? settings.suspensionLimit
    settings.inactivityLimit = limits.inactivityLimit ?? settings.inactivityLimit
    settings.limits.maximumDistance = limits.maximumDistance ?? settings.limits.maximumDistance
    if let halfAngle = limits.fieldOfViewHalfAngledeg {
      settings.limits.fieldOfViewHalfAngle = halfAngle * .pi / 180
    }
    return settings
  }

  /// Any reading, up to ±5 ppm off, drifting by up to ±0.02 ppm a second, unless the scenario says.
  private func clock(_ clock: RoomScenario.Clock) -> SimulatedClock {
    var generator = SeededGenerator(seed: scenario.seed, stream: 1 << 32 | UInt64(nodes.count))
    return SimulatedClock(
      offsetTicks: generator.next() & (DeviceTime.ticksPerWrap - 1),
      rateppm: clock.rateppm ?? generator.uniform(in: -5...5),
      driftppm: clock.driftppm ?? generator.uniform(in: -0.02...0.02))
  }

  private static func trajectory(
    _ motion: RoomScenario.Motion, at place: String
  ) throws(ScenarioError) -> Trajectory {
    switch motion.kind {
    case .still(let position):
      return .stationary(position)
    case .waypoints(let points):
      guard !points.isEmpty, zip(points, points.dropFirst()).allSatisfy({ $0.x < $1.x }) else {
        throw ScenarioError(place: place, problem: "the times do not grow", remedy: "List places by ascending time.")
      }
      return .timed(points.map { (time: $0.x, position: SIMD3($0.y, $0.z, $0.w)) })
    case .circle(let centre, let radius, let speed, let start):
      return .circle(centre: centre, radius: radius, speed: speed, startAngle: start * .pi / 180)
    }
  }

  private static func check(_ scenario: RoomScenario) throws(ScenarioError) {
    func require(_ condition: Bool, _ place: String, _ problem: String, _ remedy: String) throws(ScenarioError) {
      if !condition { throw ScenarioError(place: place, problem: problem, remedy: remedy) }
    }
    try scenario.checkLimits()
    if let box = scenario.box {
      try require(
        all(box.upper .> box.lower), "room", "upper_m is not beyond lower_m", "Give two corners, the smaller first.")
    }
    try require(
      !scenario.devices.isEmpty || scenario.crowd != nil, "devices", "there are none", "Describe one at least.")
  }

  /// Everybody walks from place to place, each drawn at random.
  private static func devices(of crowd: RoomScenario.Crowd, _ scenario: RoomScenario) -> [RoomScenario.Device] {
    func name(_ index: Int) -> String { "d\((index % crowd.count + crowd.count) % crowd.count)" }
    return (0..<crowd.count).map { index in
      var generator = SeededGenerator(seed: scenario.seed, stream: 2 << 32 | UInt64(index))
      func draw(_ axis: Int) -> Double {
        crowd.lower[axis] < crowd.upper[axis]
          ? generator.uniform(in: crowd.lower[axis]...crowd.upper[axis]) : crowd.lower[axis]
      }
      var time = 0.0
      var place = SIMD3(draw(0), draw(1), draw(2))
      var points = [SIMD4(time, place.x, place.y, place.z)]
      while time < scenario.duration {
        let next = SIMD3(draw(0), draw(1), draw(2))
        let offset = next - place
        time += max(0.1, offset.length / crowd.speed)
        place = next
        points.append(SIMD4(time, place.x, place.y, place.z))
      }
      var device = RoomScenario.Device(
        name: name(index), antennas: crowd.antennas, motion: RoomScenario.Motion(.waypoints(points)),
        facing: RoomScenario.Facing(.peer(name(index + 1))))
      for step in 1...crowd.neighbours {
        for other in [name(index + step), name(index - step)] where !device.sessions.contains(other) {
          device.sessions.append(other)
        }
      }
      return device
    }
  }
}
