/// What a scenario's numbers may be: wide enough for any room, and nothing that can't be played.
enum ScenarioLimits {
  static let duration = 1e-3...86_400
  static let rate = 1e-3...1000
  /// Moments of the scenario and waits, s.
  static let time = -1e9...1e9
  static let wait = 0...1e9
  /// Coordinates and lengths, m.
  static let coordinate = -1e5...1e5
  static let length = 0...1e5
  static let speed = -1e4...1e4
  /// Degrees, and degrees a second.
  static let degrees = -1e6...1e6
  static let decibel = -300.0...300
  static let reflection = -1.0...1
  static let partsPerMillion = -1000.0...1000
  static let drift = -10.0...10
  static let devices = 1000
  static let walls = 100
  static let sessions = 20_000
  static let events = 10_000
  static let places = 100_000
  /// Devices of a crowd times seconds: each place that somebody walks to is drawn ahead.
  static let crowd = 500_000.0
}

extension RoomScenario {
  /// - Throws: `ScenarioError` for the first number or count that is out of its range, or is none.
  func checkLimits() throws(ScenarioError) {
    try ScenarioLimits.duration.check("duration_s", duration)
    try ScenarioLimits.rate.check("rate_hz", rate)
    try (0...1.0).check("radio.loss", radio.loss)
    try ScenarioLimits.decibel.check("radio.snr_at_1m_db", radio.snrAtOneMetredB)
    try ScenarioLimits.decibel.check("radio.sensitivity_db", radio.sensitivitydB)
    try ScenarioLimits.decibel.check("radio.body_loss_db", radio.bodyLossdB)
    try checkCounts()
    if let box { try box.checkLimits() }
    for (index, wall) in walls.enumerated() { try wall.checkLimits("walls[\(index)]") }
    for device in devices { try device.checkLimits("devices.\(device.name)") }
    for accessory in accessories {
      try accessory.motion.checkLimits("accessories.\(accessory.name).motion")
      try accessory.clock.checkLimits("accessories.\(accessory.name).clock")
    }
    if let crowd { try crowd.checkLimits(duration: duration) }
    for (index, event) in events.enumerated() {
      try ScenarioLimits.time.check("events[\(index)].at_s", event.time)
      try ScenarioLimits.wait.check("events[\(index)].for_s", event.period ?? 0)
    }
    for (index, expected) in expectations.enumerated() {
      try ScenarioLimits.time.check("expect[\(index)].at_s", expected.time)
      try ScenarioLimits.wait.check("expect[\(index)].within_s", expected.tolerance)
    }
  }

  private func checkCounts() throws(ScenarioError) {
    let sessions = devices.reduce(0) { $0 + $1.sessions.count }
    for (place, count, most) in [
      ("devices", devices.count, ScenarioLimits.devices), ("accessories", accessories.count, ScenarioLimits.devices),
      ("walls", walls.count, ScenarioLimits.walls), ("events", events.count, ScenarioLimits.events),
      ("expect", expectations.count, ScenarioLimits.events), ("devices.sessions", sessions, ScenarioLimits.sessions),
    ] where count > most {
      throw ScenarioError(place: place, problem: "there are \(count)", remedy: "Describe \(most) at most.")
    }
  }
}

extension ClosedRange<Double> {
  /// - Throws: `ScenarioError` where one of `values` is out of the range or not a number.
  fileprivate func check(_ place: String, _ values: Double...) throws(ScenarioError) {
    guard let wrong = values.first(where: { !contains($0) }) else { return }
    throw ScenarioError(
      place: place, problem: "is \(wrong)", remedy: "Give a number from \(lowerBound) to \(upperBound).")
  }

  fileprivate func check(_ place: String, _ value: SIMD3<Double>) throws(ScenarioError) {
    try check(place, value.x, value.y, value.z)
  }
}

extension RoomScenario.Box {
  fileprivate func checkLimits() throws(ScenarioError) {
    try ScenarioLimits.coordinate.check("room.lower_m", lower)
    try ScenarioLimits.coordinate.check("room.upper_m", upper)
    try ScenarioLimits.reflection.check("room.sides, floor, ceiling", sides, floor, ceiling)
  }
}

extension RoomScenario.Wall {
  fileprivate func checkLimits(_ place: String) throws(ScenarioError) {
    try ScenarioLimits.coordinate.check("\(place).from_m", from.x, from.y)
    try ScenarioLimits.coordinate.check("\(place).to_m", to.x, to.y)
    try ScenarioLimits.length.check("\(place).height_m", height)
    try ScenarioLimits.reflection.check("\(place).reflection", reflection)
    try ScenarioLimits.decibel.check("\(place).loss_db", lossdB)
    try ScenarioLimits.length.check("\(place).excess_m", excess)
  }
}

extension RoomScenario.Device {
  fileprivate func checkLimits(_ place: String) throws(ScenarioError) {
    try motion.checkLimits("\(place).motion")
    try clock.checkLimits("\(place).clock")
    switch facing.kind {
    case .peer: break
    case .point(let point): try ScenarioLimits.coordinate.check("\(place).facing.point_m", point)
    case .angles(let yaw, let pitch, let turn):
      try ScenarioLimits.degrees.check("\(place).facing", yaw, pitch, turn)
    case .timed(let angles):
      for angle in angles {
        try ScenarioLimits.time.check("\(place).facing.angles_s_deg", angle.x)
        try ScenarioLimits.degrees.check("\(place).facing.angles_s_deg", angle.y, angle.z)
      }
    }
    for (name, wait) in [
      ("timeout_s", limits.timeout), ("suspension_limit_s", limits.suspensionLimit),
      ("inactivity_limit_s", limits.inactivityLimit),
    ] {
      try ScenarioLimits.wait.check("\(place).limits.\(name)", wait ?? 0)
    }
    try ScenarioLimits.length.check("\(place).limits.maximum_distance_m", limits.maximumDistance ?? 0)
    try (0...180.0).check("\(place).limits.field_of_view_half_angle_deg", limits.fieldOfViewHalfAngledeg ?? 0)
  }
}

extension RoomScenario.Motion {
  fileprivate func checkLimits(_ place: String) throws(ScenarioError) {
    switch kind {
    case .still(let position): try ScenarioLimits.coordinate.check("\(place).position_m", position)
    case .waypoints(let points):
      guard points.count <= ScenarioLimits.places else {
        throw ScenarioError(
          place: place, problem: "there are \(points.count) places", remedy: "List \(ScenarioLimits.places) at most.")
      }
      for (index, point) in points.enumerated() {
        try ScenarioLimits.time.check("\(place).waypoints_s_m[\(index)]", point.x)
        try ScenarioLimits.coordinate.check("\(place).waypoints_s_m[\(index)]", point.y, point.z, point.w)
      }
    case .circle(let centre, let radius, let speed, let start):
      try ScenarioLimits.coordinate.check("\(place).centre_m", centre)
      try (1e-3...ScenarioLimits.length.upperBound).check("\(place).radius_m", radius)
      try ScenarioLimits.speed.check("\(place).speed_m_s", speed)
      try ScenarioLimits.degrees.check("\(place).start_deg", start)
    }
  }
}

extension RoomScenario.Clock {
  fileprivate func checkLimits(_ place: String) throws(ScenarioError) {
    try ScenarioLimits.partsPerMillion.check("\(place).rate_ppm", rateppm ?? 0)
    try ScenarioLimits.drift.check("\(place).drift_ppm_s", driftppm ?? 0)
  }
}

extension RoomScenario.Crowd {
  fileprivate func checkLimits(duration: Double) throws(ScenarioError) {
    try ScenarioLimits.coordinate.check("crowd.lower_m", lower)
    try ScenarioLimits.coordinate.check("crowd.upper_m", upper)
    try (1e-3...ScenarioLimits.speed.upperBound).check("crowd.speed_m_s", speed)
    guard (2...ScenarioLimits.devices).contains(count), (1...count / 2).contains(neighbours),
      !any(upper .< lower)
    else {
      throw ScenarioError(
        place: "crowd", problem: "\(count) devices with \(neighbours) neighbours on either side",
        remedy:
          "Give 2 to \(ScenarioLimits.devices) devices, at most half as many neighbours, and two corners in order.")
    }
    guard Double(count) * duration <= ScenarioLimits.crowd else {
      throw ScenarioError(
        place: "crowd", problem: "\(count) devices walk for \(duration) s",
        remedy: "Give fewer of them or a shorter time: \(ScenarioLimits.crowd) s over all of them.")
    }
  }
}
