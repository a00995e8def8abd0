import NearbySession
import NearbySimulation

/// What delegates are told, one JSON object a line (`Documentation/reference/CommandLine.md`).
struct LiveOutput {
  private let output: ByteOutput
  private let flushesEachLine: Bool
  private var text = JSONText()

  init(_ output: ByteOutput, flushesEachLine: Bool) {
    self.output = output
    self.flushesEachLine = flushesEachLine
  }

  mutating func write(_ event: RoomEvent) throws {
    switch event.kind {
    case .invalidated(let error):
      begin("invalidated", event)
      text.add("code", error.code.rawValue)
      text.add("reason", "\(error.code)")
      try end()
    case .told(let told):
      try write(told, event)
    }
  }

  private mutating func write(_ told: NearbySessionEvent, _ event: RoomEvent) throws {
    switch told {
    case .started: begin("started", event)
    case .suspended: begin("suspended", event)
    case .suspensionEnded: begin("suspension_ended", event)
    case .removed(_, let reason):
      begin("removed", event)
      text.add("reason", reason.rawValue)
    case .generatedShareableConfiguration(let data, _):
      begin("generated_shareable_configuration", event)
      text.add("data", HexText.string(data))
    case .convergence(let convergence, _):
      begin("convergence", event)
      switch convergence {
      case .unknown: text.add("state", "unknown")
      case .converged: text.add("state", "converged")
      case .notConverged(let reasons):
        text.add("state", "notConverged")
        text.add("reasons", reasons.map(\.rawValue).sorted().joined(separator: ","))
      }
    case .updated(let objects):
      for object in objects { try write(object, event) }
      return
    }
    try end()
  }

  private mutating func write(_ object: NearbyObject, _ event: RoomEvent) throws {
    begin("updated", event)
    text.add("distance_m", object.distance, places: 4)
    text.add("distance_std_m", object.distanceDeviation, places: 4)
    text.add("direction", object.direction, places: 4)
    text.add("horizontal_angle_deg", object.horizontalAngle?.degrees, places: 3)
    text.add("vertical", object.verticalDirectionEstimate.rawValue)
    text.add("line_of_sight_probability", object.lineOfSightProbability, places: 4)
    text.add("true_distance_m", event.truth?.distance, places: 4)
    text.add("true_direction", event.truth?.direction, places: 4)
    text.add("true_line_of_sight", event.truth.map { $0.isClear ? 1 : 0 } ?? 0)
    try end()
  }

  func finish() throws {
    try output.flush()
  }

  private mutating func begin(_ name: String, _ event: RoomEvent) {
    text.begin()
    text.add("event", name)
    text.add("time_s", event.time, places: 4)
    text.add("device", event.device)
    text.add("peer", event.peer)
  }

  private mutating func end() throws {
    text.end()
    let bytes = text.bytes
    try output.write { $0.append(contentsOf: bytes) }
    if flushesEachLine { try output.flush() }
  }
}
