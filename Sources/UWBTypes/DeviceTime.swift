/// A reading of a device's free-running 40-bit clock, in ticks of `UWB.tick`.
///
/// The clock wraps every 17.2 s, so two readings have no order: only differences modulo 2⁴⁰ mean anything.
public struct DeviceTime: Hashable, Sendable {
  /// Ticks until the clock is back where it was, 2⁴⁰.
  public static let ticksPerWrap: UInt64 = 1 << 40

  /// Seconds until the clock is back where it was, ≈ 17.207 s.
  public static let secondsPerWrap = Double(ticksPerWrap) * UWB.tick

  /// The reading, 0 ..< 2⁴⁰.
  public let ticks: UInt64

  /// Takes the lowest 40 bits of `ticks`, as the clock itself does.
  public init(ticks: UInt64) {
    self.ticks = ticks & (Self.ticksPerWrap - 1)
  }

  /// Ticks that passed since `earlier`, 0 ..< 2⁴⁰: right for any wait shorter than one wrap.
  public func ticks(since earlier: DeviceTime) -> UInt64 {
    (ticks &- earlier.ticks) & (Self.ticksPerWrap - 1)
  }

  /// Ticks that passed since `earlier` on a counter of which only the lowest `counterBits` were kept, 0 ..< 2^bits: right
  /// for any wait shorter than one wrap of that counter (67 ms for 32 bits).
  public func ticks(since earlier: DeviceTime, counterBits: Int) -> UInt64 {
    (ticks &- earlier.ticks) & ((1 << UInt64(min(max(counterBits, 1), 40))) - 1)
  }

  /// A reading of which only the lowest 32 bits were kept, as the signed number that C programs print.
  public init(signed32 ticks: Int32) {
    self.init(ticks: UInt64(UInt32(bitPattern: ticks)))
  }

  /// The nearest signed difference in ticks, −2³⁹ ..< 2³⁹: right where either reading may be the earlier one.
  public func offset(from other: DeviceTime) -> Int64 {
    let forward = Int64(ticks(since: other))
    return forward < Int64(Self.ticksPerWrap / 2) ? forward : forward - Int64(Self.ticksPerWrap)
  }

  /// The reading `count` ticks later (earlier where negative).
  public func advanced(byTicks count: Int64) -> DeviceTime {
    DeviceTime(ticks: ticks &+ UInt64(bitPattern: count))
  }
}

extension DeviceTime: CustomStringConvertible {
  /// Ten hexadecimal digits, as chip logs print the register.
  public var description: String {
    let digits = String(ticks, radix: 16, uppercase: true)
    return String(repeating: "0", count: 10 - digits.count) + digits
  }
}
