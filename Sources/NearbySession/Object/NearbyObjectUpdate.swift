import UWBPlatform
import UWBTypes

extension NearbyObject {
  /// Makes of one measurement what an update may say of it.
  ///
  /// Not finite values count as absent. A distance that is out of range, or a line of sight that is too unlikely, leaves
  /// neither distance nor direction; a direction outside the field of view, or too uncertain, leaves the distance.
  init(
    _ measurement: RangingMeasurement, token: DiscoveryToken, capabilities: DeviceCapabilities, limits: UpdateLimits,
    orientation: DeviceOrientation = .portrait
  ) {
    self.init(discoveryToken: token, time: measurement.time)
    let isOK = measurement.status == .ok
    if isOK {
      takeDistance(of: measurement)
      lineOfSightProbability = measurement.lineOfSightProbability.finite
      if capabilities.supportsDirectionMeasurement {
        takeDirection(of: measurement, levelElevation: limits.levelElevation)
      }
      if limits.isTooWeakForDirection(measurement) { removeDirection(.weakSignal) }
      apply(limits, orientation)
    }
    if distance == nil, distanceUnavailability == nil { distanceUnavailability = isOK ? .notMeasured : .exchangeFailed }
    if direction == nil, directionUnavailability == nil {
      directionUnavailability = isOK ? .notMeasured : .exchangeFailed
    }
    if !capabilities.supportsDirectionMeasurement {
      lineOfSightProbability = nil
      directionUnavailability = nil
    }
  }

  /// A distance a little below zero is that of a peer that touches the device; farther below it means nothing.
  private mutating func takeDistance(of measurement: RangingMeasurement) {
    guard let measured = measurement.distance.finite else { return }
    let deviation = measurement.distanceDeviation.finite
    guard measured >= -3 * (deviation ?? 0) else { return removeDistance(.uncertain) }
    distance = max(0, measured)
    distanceDeviation = deviation
  }

  private mutating func takeDirection(of measurement: RangingMeasurement, levelElevation: Double) {
    let elevation = measurement.elevation.finite
    direction = measurement.direction.flatMap(Self.unit)
    if direction == nil, let azimuth = measurement.azimuth.finite, let elevation, abs(elevation) <= .pi / 2 {
      direction = Direction.unitVector(azimuth: azimuth, elevation: elevation)
    }
    horizontalAngle = measurement.azimuth.finite ?? direction.map(\.azimuth)
    guard horizontalAngle != nil else { return }
    azimuthDeviation = measurement.azimuthDeviation.finite
    guard let elevation else { return }
    elevationDeviation = measurement.elevationDeviation.finite
    verticalDirectionEstimate = Self.vertical(
      elevation: elevation, deviation: elevationDeviation ?? 0, level: levelElevation)
  }

  private mutating func apply(_ limits: UpdateLimits, _ orientation: DeviceOrientation) {
    if let least = limits.minimumLineOfSightProbability, let probability = lineOfSightProbability,
      probability < least
    {
      removeDistance(.obstructed)
      removeDirection(.obstructed)
      return
    }
    if let farthest = limits.maximumDistance, let distance, distance > farthest {
      removeDistance(.outOfRange)
      removeDirection(.outOfRange)
      return
    }
    if let widest = limits.maximumDistanceDeviation, let distanceDeviation, distanceDeviation > widest {
      removeDistance(.uncertain)
    }
    if let widest = limits.maximumAngleDeviation,
      max(azimuthDeviation ?? 0, elevationDeviation ?? 0) > widest
    {
      removeDirection(.uncertain)
    }
    guard let angle = angleFromBack else { return }
    if let halfAngle = limits.fieldOfViewHalfAngle, angle > halfAngle {
      removeDirection(.outsideFieldOfView)
    } else if orientation.isLandscape, let halfAngle = limits.landscapeFieldOfViewHalfAngle, angle > halfAngle {
      removeDirection(.orientation)
    }
  }

  /// rad between the direction (or the horizontal angle alone) and −z.
  private var angleFromBack: Double? {
    if let direction { return acos(max(-1, min(1, -direction.z))) }
    return horizontalAngle.map(abs)
  }

  static func unit(_ vector: SIMD3<Double>) -> SIMD3<Double>? {
    let length = vector.length
    guard length.isFinite, length > 0 else { return nil }
    return vector / length
  }

  /// Where two standard deviations reach to the other side of level, the side is open.
  static func vertical(elevation: Double, deviation: Double, level: Double) -> VerticalDirectionEstimate {
    if abs(elevation) <= level { return .same }
    if abs(elevation) <= 2 * deviation { return .aboveOrBelow }
    return elevation > 0 ? .above : .below
  }
}

extension UpdateLimits {
  /// Whether the signal is so weak for its distance that the antennas' side can't be the peer's.
  package func isTooWeakForDirection(_ measurement: RangingMeasurement) -> Bool {
    guard let snrAtOneMetredB, let snr = measurement.snrdB.finite, let distance = measurement.distance.finite else {
      return false
    }
    // Nearer than that the antennas are not in each other's far field.
    let expected = snrAtOneMetredB - 20 * log10(max(distance, 0.1))
    return snr < expected - maximumShortfalldB
  }
}

extension Optional where Wrapped == Double {
  /// The value where it is finite.
  var finite: Double? {
    guard let value = self, value.isFinite else { return nil }
    return value
  }
}
