import UWBPlatform

/// Angles and unit vectors, in the axes of `NOTATION.md`: +x right, +y up, −z out of the back of the device.
public enum Direction {
  /// The unit vector at `azimuth` (rad, positive to the right) and `elevation` (rad, positive upwards).
  public static func unitVector(azimuth: Double, elevation: Double) -> SIMD3<Double> {
    SIMD3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
  }

  /// Azimuth atan2(x, −z) and elevation asin(y) of a vector of any length, rad.
  public static func angles(of vector: SIMD3<Double>) -> (azimuth: Double, elevation: Double) {
    let length = vector.length
    guard length > 0 else { return (0, 0) }
    return (vector.azimuth, (vector / length).elevation)
  }
}

extension SIMD3<Double> {
  /// atan2(x, −z), rad: positive to the right.
  @inlinable package var azimuth: Double { atan2(x, -z) }

  /// asin(y) of a unit vector, rad: positive upwards.
  @inlinable package var elevation: Double { asin(Swift.max(-1, Swift.min(1, y))) }

  /// √(x² + y² + z²)
  @inlinable package var length: Double { (self * self).sum().squareRoot() }
}
