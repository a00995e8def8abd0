import UWBTypes

/// The carrier offset that a ranging table's `Distance` was made with, though no column holds it.
///
/// The program that wrote the table worked in single precision:
///
///     Distance = ((float) rtd_init − (float)(rtd_resp · (1 − r))) / 2 · tick · c,   c = 299 702 547 m/s
///
/// with r the rate of the responder's clock over the initiator's less 1, from the carrier integrator. Found from the data: every
/// distance of the outdoor set is a multiple of 4 ticks of flight to 10⁻⁴ ticks, and with 299 792 458 m/s none is; 8 ticks is
/// the step of a `float` at 72 million; and r so recovered agrees in sign with how the two counters run against each other.
/// Solved for r, what is left of single precision is a step of 8 ticks in rtd_resp·(1 − r): ±0.055 ppm at a reply of 1.1 ms.
enum RangingTableOffset {
  /// r, parts per million; `nil` where the distance and the intervals don't fit each other.
  ///
  /// - Parameters:
  ///   - distance: m, as in the table.
  ///   - round, reply: ticks.
  static func ppm(distance: Double, round: UInt64, reply: UInt64) -> Double? {
    guard reply > 0 else { return nil }
    let flight = distance / (UWB.tick * UWB.speedOfLightInAir)
    let product = Double(Float(round)) - 2 * flight
    let offset = 1 - product / Double(reply)
    // Two radios within the standard's 20 ppm each.
    guard offset.isFinite, abs(offset) <= 40e-6 else { return nil }
    return 1e6 * offset
  }
}
