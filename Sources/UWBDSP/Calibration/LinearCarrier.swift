import UWBPlatform

/// A phase difference as two ideal antennas have it: φ = offset + x·u + y·v with the direction cosines
/// u = sin(azimuth)·cos(elevation), v = sin(elevation), and x, y = 2π·Δp/λ along the two axes.
///
/// The parametric part of an angle calibration: offset, sign and effective spacing of a pair.
public struct LinearCarrier: Sendable, Hashable, Codable {
  /// rad
  public var offset: Double
  /// rad for a whole direction cosine to the right
  public var right: Double
  /// rad for a whole direction cosine upwards
  public var up: Double

  /// Creates one with the given values.
  public init(offset: Double, right: Double, up: Double) {
    self.offset = offset
    self.right = right
    self.up = up
  }

  /// rad, not wrapped
  public func phase(azimuth: Double, elevation: Double) -> Double {
    offset + right * sin(azimuth) * cos(elevation) + up * sin(elevation)
  }
}
