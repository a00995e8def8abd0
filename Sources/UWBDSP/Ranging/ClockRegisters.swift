/// Offset between a sender's and a receiver's clock, as chips' registers tell it.
///
/// **One sign everywhere here**: rate of the sender's clock over the receiver's, less 1. Positive: the remote transmitter
/// runs faster than the local receiver. An initiator that receives the response therefore has e = 1/(1 + offset) − 1 ≈
/// −offset in `SingleSidedRanging`.
///
/// | register | sign there | source |
/// |---|---|---|
/// | DW1000 carrier integrator (DRX_CAR_INT, 0x27:28) | positive: the **local receiver** is faster; opposite of ours | DW1000 API guide, `dwt_readcarrierintegrator`; user manual 2.12, 7.2.40.11 (the minus in its formula) |
/// | DW1000 time tracking (RX_TTCKO 0x14 over RX_TTCKI 0x13) | positive: the **remote transmitter** is faster; ours | user manual 2.12, 7.2.22, examples (a), (b) |
/// | DW3000 carrier integrator | positive: the local receiver is faster; opposite of ours | DW3000 API, sign change in its Hz-to-ppm factors |
/// | DW3000 clock offset (`dwt_readclockoffset`, 2⁻²⁶) | positive: the remote transmitter is faster; ours | as single-sided ranging uses it, (1 − offset)·reply; comments of API releases contradict each other |
///
/// So the two DW1000 registers have opposite signs for the same clocks.
public enum ClockRegisters {
  /// Frequency of one unit of the carrier integrator, Hz: 998.4 MHz / 2 / 1024 / 2¹⁷, and an eighth of it at 110 kb/s.
  public static func carrierIntegratorStep(is110kbps: Bool) -> Double {
    998.4e6 / 2 / (is110kbps ? 8192 : 1024) / 131_072
  }

  /// From the carrier integrator of a DW1000 (21 bits, sign-extended) or a DW3000.
  ///
  /// - Parameter carrier: Hz, 3993.6 MHz on channel 2, 6489.6 MHz on channel 5, 7987.2 MHz on channel 9.
  public static func carrierIntegrator(_ register: Int32, carrier: Double, is110kbps: Bool = false) -> Double {
    -Double(register) * carrierIntegratorStep(is110kbps: is110kbps) / carrier
  }

  /// From a DW1000's time tracking: a 19-bit signed offset over the interval it was measured in.
  ///
  /// - Parameters:
  ///   - offset: RXTOFS, its lowest 19 bits; higher ones are ignored.
  ///   - interval: RXTTCKI, 0x01F00000 at 16 MHz pulse repetition, 0x01FC0000 at 64 MHz.
  /// - Returns: `nil` for an interval of 0.
  public static func timeTracking(offset: UInt32, interval: UInt32) -> Double? {
    guard interval > 0 else { return nil }
    // Shifted to the top and back, so that bit 18 is the sign.
    let signed = Int32(bitPattern: offset << 13) >> 13
    return Double(signed) / Double(interval)
  }

  /// From a DW3000's clock-offset register, a signed count of 2⁻²⁶.
  public static func dw3000(_ register: Int16) -> Double {
    Double(register) / 67_108_864
  }
}
