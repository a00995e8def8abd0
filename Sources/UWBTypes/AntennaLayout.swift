/// Where a device's antennas are and at which carrier they listen: what a capture says of them.
///
/// Axes as in `NOTATION.md`: +x right, +y up, −z out of the back of the device, towards the peer.
public struct AntennaLayout: Sendable, Hashable {
  /// Antenna positions, m; their mean is the point from which direction is measured.
  public var positions: [SIMD3<Double>]
  /// Carrier frequency, Hz.
  public var carrier: Double

  /// Creates one with the given values.
  public init(positions: [SIMD3<Double>], carrier: Double) {
    self.positions = positions
    self.carrier = carrier
  }
}
