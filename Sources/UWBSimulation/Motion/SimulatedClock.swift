import UWBDSP

/// A device's free-running clock: 40 bits, off by some ticks, running at a rate of its own that drifts.
///
/// Ticks at true time t: `offset` + (t + rate·t + ½·drift·t²)/tick. Times are handed over as a base and a small addition: two
/// readings over the same base share its rounding, so that their difference is good to 10⁻⁶ ticks however long the
/// simulation has run (a single `Double` of seconds loses a tick after a day).
public struct SimulatedClock: Sendable, Hashable {
  /// Ticks at true time 0.
  public var offsetTicks: UInt64
  /// Rate less 1, parts per million, at true time 0.
  public var rateppm: Double
  /// Change of rate, parts per million a second.
  public var driftppm: Double

  /// Creates one with the given values.
  public init(offsetTicks: UInt64 = 0, rateppm: Double = 0, driftppm: Double = 0) {
    self.offsetTicks = offsetTicks
    self.rateppm = rateppm
    self.driftppm = driftppm
  }

  /// A reading that has not yet been rounded to a tick.
  public struct Reading: Sendable, Hashable {
    /// Whole ticks.
    public var time: DeviceTime
    /// What is left, 0 ..< 1 ticks.
    public var fraction: Double
  }

  /// Rate less 1 at a true time, parts per million.
  public func rateppm(at time: Double) -> Double {
    rateppm + driftppm * time
  }

  /// Seconds that this clock counts while true time goes from 0 to `time`.
  public func elapsed(at time: Double) -> Double {
    time * (1 + 1e-6 * (rateppm + 0.5 * driftppm * time))
  }

  private static func ticks(_ value: Double) -> Int64 { Int64(Int(value, within: -(1 << 60)...1 << 60)) }

  /// The exact reading `offset` seconds after `base`, both in true time.
  public func reading(at base: Double, plus offset: Double = 0) -> Reading {
    let baseTicks = (elapsed(at: base) / UWB.tick).rounded(.down)
    let more = offset * (1 + 1e-6 * (rateppm(at: base) + 0.5 * driftppm * offset)) / UWB.tick
    let whole = more.rounded(.down)
    let ticks = offsetTicks &+ UInt64(bitPattern: Self.ticks(baseTicks) &+ Self.ticks(whole))
    return Reading(time: DeviceTime(ticks: ticks), fraction: more - whole)
  }

  /// The first whole tick at or after `base` + `offset`, and the true time of that tick as an offset from `base`: when a
  /// frame leaves whose transmission was set to a tick.
  public func nextTick(at base: Double, plus offset: Double) -> (time: DeviceTime, offset: Double) {
    let reading = reading(at: base, plus: offset)
    guard reading.fraction > 0 else { return (reading.time, offset) }
    let rate = 1 + 1e-6 * (rateppm(at: base) + driftppm * offset)
    return (reading.time.advanced(byTicks: 1), offset + (1 - reading.fraction) * UWB.tick / rate)
  }
}
