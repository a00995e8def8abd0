import NearbySession
import UWBDSP
import UWBPlatform

/// Holds what delegates were told against what was true, and against what the scenario expects.
///
/// Distances are scored in the clear: no wall between the two, nor the body of a device with several antennas (its peer is
/// not on the screen's side). Directions there as well, whether they come from inside the cone or from assistance. Distances
/// through the device's own body are kept apart. "nil" counts the updates in which a rule leaves no choice: no distance beyond the limit by
/// more than half a metre; no direction from a device with one antenna, nor without assistance from more than 5° beyond
/// the cone.
public struct RoomScore: Sendable {
  /// What an expectation came to.
  public struct Outcome: Sendable, Hashable {
    /// What was expected.
    public var expectation: RoomScenario.Expectation
    /// The nearest such event, s; `nil` where there was none.
    public var time: Double?

    /// Whether the event came within the tolerance.
    public var isMet: Bool {
      time.map { abs($0 - expectation.time) <= expectation.tolerance } ?? false
    }
  }

  /// Name of the scenario.
  public let name: String
  /// Updates of all sessions.
  public private(set) var updates = 0
  /// Updates with a distance.
  public private(set) var distanceCount = 0
  /// Updates with a direction.
  public private(set) var directionCount = 0
  /// Updates in a clear line of sight and in range without a distance.
  public private(set) var missingDistances = 0
  /// Updates in a clear line of sight well inside the cone without a direction.
  public private(set) var missingDirections = 0
  /// Updates in which a rule leaves no choice but nil, and those of them that had a value all the same.
  public private(set) var mustBeNil = 0
  /// Updates that had a value though a rule left no choice but nil.
  public private(set) var wronglyGiven = 0
  /// The first of them.
  public private(set) var firstWronglyGiven: RoomEvent?
  /// Removals by timeout, and how far the one furthest off was from the last update and the device's limit, s.
  public private(set) var timeouts = 0
  /// Largest deviation of a timeout from its limit, s.
  public private(set) var largestTimeoutError = 0.0
  /// What each expectation came to.
  public private(set) var outcomes: [Outcome]
  private var lastUpdates: [String: Double] = [:]
  /// Distances through the device's own body, no wall.
  public private(set) var shadowedCount = 0
  private var squaredShadowed = 0.0
  private var squaredDistance = 0.0
  private var squaredDirection = 0.0
  private var worstDistance = 0.0
  private let rules: [String: Rule]

  private struct Rule: Sendable {
    var maximumDistance: Double
    var halfAngle: Double
    var hasDirection: Bool
    var isAssisted: Bool
    var timeout: Double
  }

  /// A score without events.
  public init(_ scenario: RoomScenario) throws(ScenarioError) {
    name = scenario.name
    outcomes = scenario.expectations.map { Outcome(expectation: $0) }
    var rules: [String: Rule] = [:]
    for node in try RoomPlan(scenario).nodes {
      guard let device = node.device else { continue }
      rules[node.name] = Rule(
        maximumDistance: node.settings.limits.maximumDistance ?? .infinity,
        halfAngle: node.settings.limits.fieldOfViewHalfAngle ?? .pi, hasDirection: node.array.positions.count >= 2,
        isAssisted: device.isAssisted, timeout: node.settings.timeout)
    }
    self.rules = rules
  }

  /// m
  public var distanceRMS: Double? {
    distanceCount > 0 ? (squaredDistance / Double(distanceCount)).squareRoot() : nil
  }

  /// m
  public var shadowedDistanceRMS: Double? {
    shadowedCount > 0 ? (squaredShadowed / Double(shadowedCount)).squareRoot() : nil
  }

  /// The largest error of a distance in the clear, m.
  public var largestDistanceError: Double? { distanceCount > 0 ? worstDistance : nil }

  /// rad between the direction and the true one
  public var directionRMS: Double? {
    directionCount > 0 ? (squaredDirection / Double(directionCount)).squareRoot() : nil
  }

  /// Takes an event into account.
  public mutating func take(_ event: RoomEvent) {
    for index in outcomes.indices where outcomes[index].expectation.matches(event) {
      let expected = outcomes[index].expectation.time
      let known = outcomes[index].time.map { abs($0 - expected) } ?? .infinity
      if abs(event.time - expected) < known { outcomes[index].time = event.time }
    }
    guard let rule = rules[event.device] else { return }
    let session = event.device + "\n" + event.peer
    if case .told(.removed(_, .timeout)) = event.kind, let last = lastUpdates[session] {
      timeouts += 1
      largestTimeoutError = max(largestTimeoutError, abs(event.time - last - rule.timeout))
    }
    guard case .told(.updated(let objects)) = event.kind, let truth = event.truth else { return }
    lastUpdates[session] = event.time
    for object in objects {
      updates += 1
      score(object, truth, rule)
    }
    if firstWronglyGiven == nil, wronglyGiven > 0 { firstWronglyGiven = event }
  }

  private mutating func score(
    _ object: NearbyObject, _ truth: (distance: Double, direction: SIMD3<Double>, isClear: Bool), _ rule: Rule
  ) {
    let angle = acos(max(-1, min(1, -truth.direction.z)))
    let margin = 5 * Double.pi / 180
    let isOutOfRange = truth.distance > rule.maximumDistance + 0.5
    let isOutOfView = angle > rule.halfAngle + margin && !rule.isAssisted
    if isOutOfRange || isOutOfView || !rule.hasDirection {
      mustBeNil += 1
      if object.direction != nil || isOutOfRange && object.distance != nil { wronglyGiven += 1 }
    }
    guard truth.isClear, truth.distance < rule.maximumDistance - 0.5 else { return }
    if rule.hasDirection, angle > .pi / 2 {
      guard let distance = object.distance else { return }
      shadowedCount += 1
      squaredShadowed += (distance - truth.distance) * (distance - truth.distance)
      if rule.isAssisted { scoreDirection(object, truth.direction) }
      return
    }
    if let distance = object.distance {
      let error = abs(distance - truth.distance)
      distanceCount += 1
      squaredDistance += error * error
      worstDistance = max(worstDistance, error)
    } else {
      missingDistances += 1
    }
    if !scoreDirection(object, truth.direction), rule.hasDirection, angle < rule.halfAngle - margin {
      missingDirections += 1
    }
  }

  /// Whether there was one.
  @discardableResult
  private mutating func scoreDirection(_ object: NearbyObject, _ truth: SIMD3<Double>) -> Bool {
    guard let direction = object.direction else { return false }
    let error = acos(max(-1, min(1, (direction * truth).sum())))
    directionCount += 1
    squaredDirection += error * error
    return true
  }
}

extension RoomScenario.Expectation {
  func matches(_ event: RoomEvent) -> Bool {
    guard event.device == device, event.peer == peer else { return false }
    switch (kind, event.kind) {
    case (.started, .told(.started)), (.suspended, .told(.suspended)), (.suspensionEnded, .told(.suspensionEnded)),
      (.timeout, .told(.removed(_, .timeout))), (.peerEnded, .told(.removed(_, .peerEnded))),
      (.invalidated, .invalidated), (.converged, .told(.convergence(.converged, _))):
      return true
    case (.updated, .told(.updated(let objects))):
      return objects.contains { $0.distance != nil }
    case (.withoutDistance, .told(.updated(let objects))):
      return objects.contains { $0.distance == nil }
    default:
      return false
    }
  }
}
