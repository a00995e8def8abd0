import UWBPlatform

/// Angles and unit vectors, in the axes of `NOTATION.md`: +x right, +y up, −z out of the back of the device.
public enum Direction {
  /// The unit vector at `azimuth` (rad, positive to the right) and `elevation` (rad, positive upwards).
  public static func unitVector(azimuth: Double, elevation: Double) -> SIMD3<Double> {
    SIMD3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
  }

  /// Azimuth atan2(x, −z) and elevation asin(y) of a vector of any length, rad.
  public static func angles(of vector: SIMD3<Double>) -> (azimuth: Double, elevation: Double) {
    let length = (vector * vector).sum().squareRoot()
    guard length > 0 else { return (0, 0) }
    return (atan2(vector.x, -vector.z), asin(min(max(vector.y / length, -1), 1)))
  }
}
