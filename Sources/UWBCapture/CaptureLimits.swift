import UWBTypes

/// The ranges of a capture's numbers. A number outside its range is damage: a reader refuses the record, or the header, that holds it.
///
/// They are wide: every radio's numbers fit. What is inside them can be added up, multiplied and printed without an overflow. The
/// ranges of a CIR's shape and of antennas are `EngineLimits`.
public enum CaptureLimits {
  /// Index of an exchange: the whole numbers that a double holds exactly.
  public static let exchangeIndex = 0...(1 << 53 - 1)
  /// Counts: preamble symbols, noise thresholds, records.
  public static let count = 0...(1 << 53 - 1)
  /// Number of a segment of the STS.
  public static let stsSegment = 1...4
  /// Times, s.
  public static let time = -EngineLimits.time...EngineLimits.time
  /// Distances, m.
  public static let distance = -EngineLimits.distance...EngineLimits.distance
  /// Angles and phases, rad.
  public static let angle = -EngineLimits.phase...EngineLimits.phase
  /// Places in a CIR, taps.
  public static let taps = -1e6...1e6
  /// Powers, dB or dBm.
  public static let power = -1e3...1e3
  /// Amplitudes and deviations of the chip's own, in its own counts.
  public static let amplitude = -1e15...1e15
  /// Offsets of clocks and carriers, parts per million.
  public static let partsPerMillion = -1e6...1e6
  /// Scale of stored samples, without its sign.
  public static let scale: ClosedRange<Float> = 1e-15...1e15
  /// Samples of a CIR over all antennas.
  public static let sampleCount = 1...1 << 20
}
