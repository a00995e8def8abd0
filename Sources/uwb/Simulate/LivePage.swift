import Foundation
import NearbySession
import NearbySimulation
import UWBReport

/// `--report` of `simulate --live`: what the delegates of a room were told, and how good it was.
struct LivePage {
  private let file: ReportFile
  private let title: String
  private var report = ReplayReport(source: "device")
  /// Of each device and peer: updates are numbered as exchanges are.
  private var counts: [[String]: Int] = [:]

  init(_ file: ReportFile, scenario: String) {
    self.file = file
    title = "Room \(scenario)"
  }

  mutating func add(_ event: RoomEvent) {
    switch event.kind {
    case .invalidated(let error): mark("session ended: \(error.code)", event)
    case .told(.started): mark("session started", event)
    case .told(.suspended): mark("session suspended", event)
    case .told(.suspensionEnded): mark("suspension ended", event)
    case .told(.removed(_, let reason)): mark("peer removed: \(reason.rawValue)", event)
    case .told(.generatedShareableConfiguration): mark("configuration for the accessory", event)
    case .told(.convergence(let convergence, _)):
      switch convergence {
      case .unknown: mark("convergence unknown", event)
      case .converged: mark("converged", event)
      case .notConverged: mark("not converged", event)
      }
    case .told(.updated(let objects)): for object in objects { add(object, event) }
    }
  }

  private mutating func mark(_ name: String, _ event: RoomEvent) {
    report.addEvent(capture: event.device, peer: event.peer, time: event.time, name: name)
  }

  private mutating func add(_ object: NearbyObject, _ event: RoomEvent) {
    let index = counts[[event.device, event.peer], default: 0]
    counts[[event.device, event.peer]] = index + 1
    guard object.distance != nil || object.direction != nil else {
      report.addRejection(
        capture: event.device, peer: event.peer, exchange: index, time: event.time,
        reason: "neither distance nor direction")
      return
    }
    var update = ReplayReport.Update(capture: event.device, peer: event.peer, exchange: index, time: event.time)
    (update.distance, update.distanceDeviation) = (object.distance, object.distanceDeviation)
    (update.azimuth, update.elevation) = Self.angles(object.direction)
    if update.azimuth == nil { update.azimuth = object.horizontalAngle }
    update.lineOfSightProbability = object.lineOfSightProbability
    if let truth = event.truth {
      (update.trueDistance, update.isLineOfSight) = (truth.distance, truth.isClear)
      (update.trueAzimuth, update.trueElevation) = Self.angles(truth.direction)
    }
    report.add(update)
  }

  /// rad; positive to the right and upwards.
  private static func angles(_ direction: SIMD3<Double>?) -> (Double?, Double?) {
    guard let direction else { return (nil, nil) }
    return (direction.azimuth, direction.elevation)
  }

  func write() throws {
    try file.write(facts: [.init("Estimators at work", "those of the simulated devices")]) {
      report.page(of: title, provenance: $0)
    }
  }
}
