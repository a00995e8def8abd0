/// Where a device's antennas are, and at which carrier they listen.
///
/// Axes as in `NOTATION.md`: +x right, +y up, −z out of the back of the device, towards the peer. Antenna `m` answers
/// to a plane wave from unit vector u with exp(+j·2π·f/c · p_m·u).
public struct AntennaArray: Sendable, Hashable {
  /// Antenna positions, m; their mean is the point from which direction is measured.
  public var positions: [SIMD3<Double>]
  /// Carrier frequency, Hz.
  public var carrier: Double

  /// - Precondition: at least one antenna; a positive carrier.
  public init(positions: [SIMD3<Double>], carrier: Double) {
    precondition(!positions.isEmpty && carrier > 0, "\(positions.count) antennas at \(carrier) Hz are no array")
    self.positions = positions
    self.carrier = carrier
  }

  /// Wavelength in air, m.
  public var wavelength: Double { UWB.speedOfLightInAir / carrier }
}
