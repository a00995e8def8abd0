/// What the engine takes. Readers refuse a capture beyond these limits, the engine an exchange
/// (`MeasurementStatus.beyondLimits`), so that a short input can't ask for much memory or time.
public enum EngineLimits {
  /// Antennas of an array or of a CIR.
  public static let antennaCount = 1...64
  /// Taps of an antenna.
  public static let tapCount = 1...4096
  /// Seconds from tap to tap. The standard's pulse then lasts from a fifth of a tap to forty taps.
  public static let tapSpacing = 1e-10...1e-8
  /// Different tap spacings in one capture: each has tables of its own.
  public static let tapSpacingCount = 4
  /// Each coordinate of an antenna, m: 64 antennas half a wavelength apart at 5 GHz fit, millimetres taken for metres don't.
  public static let antennaCoordinate = -2.0...2.0
  /// Wavelengths between the antennas farthest apart.
  public static let aperture = 40.0
  /// Whole turns of phase that such an aperture leaves open, and some more.
  package static let wholeTurns = 128
  /// |h|² of the strongest tap, scaled: single precision holds what is made of it.
  public static let peakPower = 1e-24...1e24
  /// Carrier, Hz.
  public static let carrier = 1e8...1e11
  /// Size of a distance or of a coordinate of a device, m.
  public static let distance = 1e6
  /// Size of a time, s: Unix time in milliseconds, taken for seconds, fits.
  public static let time = 1e13
  /// Size of an angle or phase, rad.
  public static let phase = 1e6
}

extension ChannelImpulseResponse {
  /// Whether the engine takes a CIR of this shape.
  public static func isSupported(antennaCount: Int, tapCount: Int, tapSpacing: Double) -> Bool {
    EngineLimits.antennaCount.contains(antennaCount) && EngineLimits.tapCount.contains(tapCount)
      && EngineLimits.tapSpacing.contains(tapSpacing)
  }

  package var isSupported: Bool {
    Self.isSupported(antennaCount: antennaCount, tapCount: tapCount, tapSpacing: tapSpacing)
  }
}
