import NearbySession
import UWBDSP

/// Holds one stream against the order of events that the rules allow, whatever happens to the host.
struct StreamChecker {
  private(set) var broken: [String] = []
  private(set) var events = 0
  private var isOn = false
  private var isSuspended = false
  private var isOver = false

  mutating func take(_ event: NearbySessionEvent) {
    events += 1
    if isOver { broken.append("\(event) after the end") }
    switch event {
    case .started:
      if isSuspended { broken.append("started while suspended") }
      isOn = true
    case .updated(let objects):
      if !isOn { broken.append("an update from a session that does not run") }
      for object in objects where !object.isSane { broken.append("an update with \(object)") }
    case .convergence, .generatedShareableConfiguration:
      if !isOn { broken.append("\(event) from a session that does not run") }
    case .removed:
      isOn = false
    case .suspended:
      if isSuspended { broken.append("suspended twice") }
      isSuspended = true
      isOn = false
    case .suspensionEnded:
      if !isSuspended { broken.append("a suspension ended that never began") }
      isSuspended = false
    }
  }

  mutating func end() {
    if isOver { broken.append("ended twice") }
    isOver = true
  }
}

extension NearbyObject {
  /// Numbers are finite and directions of unit length, whatever the measurement was.
  var isSane: Bool {
    let numbers = [distance, horizontalAngle, distanceDeviation, azimuthDeviation, elevationDeviation]
    guard numbers.allSatisfy({ $0?.isFinite ?? true }) else { return false }
    guard let direction else { return true }
    return abs((direction * direction).sum() - 1) < 1e-9
  }
}

/// What all checkers of a run found.
final class SoakRecord: Sendable {
  struct Totals: Sendable {
    var events = 0
    var streams = 0
    var broken: [String] = []
  }

  private let totals = StateLock(Totals())

  func add(_ checker: StreamChecker) {
    totals.withLock {
      $0.events += checker.events
      $0.streams += 1
      if $0.broken.count < 20 { $0.broken += checker.broken }
    }
  }

  var now: Totals { totals.withLock { $0 } }

  /// Reads a stream to its end.
  func watch(_ events: NearbySessionEvents) -> Task<Void, Never> {
    Task {
      var checker = StreamChecker()
      do throws(NearbyError) {
        for try await event in events { checker.take(event) }
      } catch {
        checker.end()
      }
      add(checker)
    }
  }
}
