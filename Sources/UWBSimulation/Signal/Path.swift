import Numerics

/// One propagation path between two radios.
public struct Path: Sendable, Hashable {
  /// When the path's pulse peaks, seconds after the onset of the channel.
  public var delay: Double
  /// Complex amplitude of the pulse's peak, at the array's reference point.
  public var amplitude: Complex<Double>
  /// Unit vector from the receiver towards where the path comes from, in the receiver's axes; `nil` where direction
  /// plays no part: then all antennas see the path alike.
  public var direction: SIMD3<Double>?

  /// Creates one with the given values.
  public init(delay: Double, amplitude: Complex<Double>, direction: SIMD3<Double>? = nil) {
    self.delay = delay
    self.amplitude = amplitude
    self.direction = direction
  }

  /// Power of the path's peak, |a|².
  public var power: Double {
    let raw = amplitude.rawStorage
    return raw.x * raw.x + raw.y * raw.y
  }
}
