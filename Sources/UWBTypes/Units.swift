/// Physical constants and the fixed rates of IEEE 802.15.4 HRP UWB radios.
///
/// All interfaces use SI units; a name that ends in `Taps`, `Ticks`, `dB`, `dBm` or `ppm` says what else it holds.
public enum UWB {
  /// Chipping rate of HRP UWB, Hz (IEEE 802.15.4-2020, 15.4.1).
  public static let chipRate = 499.2e6

  /// One tick of a DW1000, DW3000 or SR150 clock, seconds: 1 / (128 · 499.2 MHz) ≈ 15.65 ps.
  public static let tick = 1 / (128 * chipRate)

  /// Ticks in one accumulator tap.
  public static let ticksPerTap = 64.0

  /// One accumulator tap of a DW1000 or DW3000, seconds: 1 / (2 · 499.2 MHz) ≈ 1.0016 ns.
  public static let tap = ticksPerTap * tick

  /// Speed of light in air at radio frequencies, m/s: 299 792 458 / 1.0003.
  public static let speedOfLightInAir = 299_702_547.0
}
