import UWBPlatform

/// Where something is over time, in the axes of the room (+y up), m and seconds.
public struct Trajectory: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case waypoints(points: [SIMD3<Double>], times: [Double])
    case circle(centre: SIMD3<Double>, radius: Double, angularSpeed: Double, startAngle: Double)
  }

  private let kind: Kind

  /// Stays where it is.
  public static func stationary(_ position: SIMD3<Double>) -> Trajectory {
    Trajectory(kind: .waypoints(points: [position], times: [0]))
  }

  /// Straight from point to point at `speed` m/s; waits at the last.
  ///
  /// - Precondition: at least one point, a positive speed.
  public static func waypoints(_ points: [SIMD3<Double>], speed: Double) -> Trajectory {
    precondition(!points.isEmpty && speed > 0, "\(points.count) points at \(speed) m/s are no trajectory")
    var times = [0.0]
    for (from, to) in zip(points, points.dropFirst()) {
      times.append(times[times.count - 1] + (to - from).length / speed)
    }
    return Trajectory(kind: .waypoints(points: points, times: times))
  }

  /// From place to place by the clock, straight and steady in between; waits at the last.
  ///
  /// - Precondition: at least one place; times that grow.
  public static func timed(_ places: [(time: Double, position: SIMD3<Double>)]) -> Trajectory {
    precondition(
      !places.isEmpty && zip(places, places.dropFirst()).allSatisfy { $0.time < $1.time },
      "\(places.count) places at times \(places.map(\.time)) are no trajectory")
    return Trajectory(kind: .waypoints(points: places.map(\.position), times: places.map(\.time)))
  }

  /// Round `centre` in a level plane at `speed` m/s, starting at `startAngle` rad from +x towards −z; a negative speed
  /// goes the other way.
  ///
  /// - Precondition: a positive radius.
  public static func circle(
    centre: SIMD3<Double>, radius: Double, speed: Double, startAngle: Double = 0
  ) -> Trajectory {
    precondition(radius > 0, "a circle of radius \(radius) m is not a trajectory")
    return Trajectory(
      kind: .circle(centre: centre, radius: radius, angularSpeed: speed / radius, startAngle: startAngle))
  }

  /// Seconds until the last waypoint; `nil` for what has no end.
  public var duration: Double? {
    switch kind {
    case .waypoints(_, let times): times.last
    case .circle: nil
    }
  }

  /// Before its start it is where it starts.
  public func position(at time: Double) -> SIMD3<Double> {
    switch kind {
    case .waypoints(let points, let times):
      guard let next = times.firstIndex(where: { $0 > time }) else { return points[points.count - 1] }
      guard next > 0 else { return points[0] }
      let part = (time - times[next - 1]) / (times[next] - times[next - 1])
      return points[next - 1] + part * (points[next] - points[next - 1])
    case .circle(let centre, let radius, let angularSpeed, let startAngle):
      let angle = startAngle + angularSpeed * max(0, time)
      return centre + radius * SIMD3(cos(angle), 0, -sin(angle))
    }
  }
}
