import UWBPlatform
import UWBTypes

/// What one session's assistance remembers: how the device has moved, and where in the world the peer was met.
struct AssistanceState: Sendable {
  /// In the world, m; `nil` until the peer was met inside the field of view.
  private(set) var place: SIMD3<Double>?
  private(set) var convergence = AlgorithmConvergence.unknown
  private var start: SIMD3<Double>?
  private var movement = 0.0
  private var lastYaw = 0.0
  /// rad, unwrapped: swept so far to the left and to the right
  private var yaw = 0.0
  private var yawRange = 0.0...0.0
  private var pitchRange = 0.0...0.0
  private var isSignalSufficient = false

  mutating func take(_ pose: NearbyPose) {
    let back = pose.toWorld(SIMD3(0, 0, -1))
    let heading = back.azimuth
    let pitch = back.elevation
    guard let start else {
      self.start = pose.position
      lastYaw = heading
      pitchRange = pitch...pitch
      return
    }
    let step = pose.position - start
    movement = max(movement, step.length)
    yaw += remainder(heading - lastYaw, 2 * .pi)
    lastYaw = heading
    yawRange = min(yawRange.lowerBound, yaw)...max(yawRange.upperBound, yaw)
    pitchRange = min(pitchRange.lowerBound, pitch)...max(pitchRange.upperBound, pitch)
  }

  /// Learns the peer's place from a direction inside the field of view, or gives a direction from the place where
  /// there is none.
  mutating func take(
    _ measurement: RangingMeasurement, object: inout NearbyObject, pose: NearbyPose?, settings: AssistanceSettings,
    limits: UpdateLimits
  ) {
    isSignalSufficient = Self.isSufficient(measurement, settings: settings)
    guard let pose, measurement.status == .ok else { return }
    if let distance = object.distance, let direction = object.direction {
      place = pose.position + pose.toWorld(direction * distance)
      return
    }
    guard let place, object.direction == nil else { return }
    let offset = place - pose.position
    if let distance = object.distance,
      abs(offset.length - distance) > settings.placeTolerance
    {
      self.place = nil
      return
    }
    guard let direction = NearbyObject.unit(pose.toDevice(offset)) else { return }
    object.direction = direction
    object.directionUnavailability = nil
    object.horizontalAngle = direction.azimuth
    object.verticalDirectionEstimate = NearbyObject.vertical(
      elevation: direction.elevation, deviation: 0, level: limits.levelElevation)
  }

  private static func isSufficient(_ measurement: RangingMeasurement, settings: AssistanceSettings) -> Bool {
    measurement.status == .ok && measurement.distance ?? .infinity <= settings.bestDistance
      && measurement.snrdB ?? .infinity >= settings.minimumSNRdB
      && measurement.lineOfSightProbability ?? 1 >= settings.minimumLineOfSightProbability
  }

  /// Judges anew; `true` where the verdict changed.
  mutating func judge(pose: NearbyPose?, settings: AssistanceSettings) -> Bool {
    let before = convergence
    var reasons: Set<AlgorithmConvergence.Reason> = []
    if movement < settings.movement { reasons.insert(.insufficientMovement) }
    if yawRange.upperBound - yawRange.lowerBound < settings.horizontalSweep || place == nil {
      reasons.insert(.insufficientHorizontalSweep)
    }
    if pitchRange.upperBound - pitchRange.lowerBound < settings.verticalSweep {
      reasons.insert(.insufficientVerticalSweep)
    }
    if pose?.isLightingSufficient == false { reasons.insert(.insufficientLighting) }
    if !isSignalSufficient { reasons.insert(.insufficientSignalStrength) }
    convergence = reasons.isEmpty ? .converged : .notConverged(reasons)
    return convergence != before
  }
}
