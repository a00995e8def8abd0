import TestSupport
import Testing
import UWBDSP

@Suite struct TwoWayRangingTests {
  /// Whole ticks, so that the exact answers are fractions of 128-bit integers.
  private struct Exact {
    var roundA: Int128
    var replyB: Int128
    var roundB: Int128
    var replyA: Int128

    var ranging: TwoWayRanging {
      TwoWayRanging(roundA: Double(roundA), replyB: Double(replyB), roundB: Double(roundB), replyA: Double(replyA))
    }

    /// numerator / denominator − `value`, without rounding the quotient first.
    static func error(_ value: Double, numerator: Int128, denominator: Int128) -> Double {
      let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
      return (value - Double(whole)) - Double(rest) / Double(denominator)
    }

    var timeOfFlightError: Double {
      Self.error(
        ranging.timeOfFlightTicks, numerator: roundA * roundB - replyA * replyB,
        denominator: roundA + roundB + replyA + replyB)
    }

    var clockOffsetError: Double {
      Self.error(
        ranging.clockOffset, numerator: roundA + replyA - replyB - roundB, denominator: replyB + roundB)
    }
  }

  /// A made-up exchange over `flight` ticks with clocks that run at 1 + `fastA`·10⁻⁹ and 1 + `fastB`·10⁻⁹ of the true
  /// rate, times rounded to whole ticks.
  private func exchange(
    flight: Double, replyB: Double, replyA: Double, fastA: Double, fastB: Double
  ) -> Exact {
    let rateA = 1 + fastA * 1e-9
    let rateB = 1 + fastB * 1e-9
    return Exact(
      roundA: Int128(((2 * flight + replyB) * rateA).rounded()), replyB: Int128((replyB * rateB).rounded()),
      roundB: Int128(((2 * flight + replyA) * rateB).rounded()), replyA: Int128((replyA * rateA).rounded()))
  }

  /// Rounding stays below the stated 10⁻⁶ ticks, for replies from 100 µs to half a wrap and clocks 40 ppm apart.
  @Test(arguments: [1501, 1502] as [UInt64])
  func agreesWithExactFractions(seed: UInt64) {
    var random = StatisticsRandom(seed: seed)
    for _ in 0..<2000 {
      let exact = exchange(
        flight: random.uniform(0...64_000), replyB: random.uniform(6.4e6...5e11), replyA: random.uniform(6.4e6...5e11),
        fastA: random.uniform(-20_000...20_000), fastB: random.uniform(-20_000...20_000))
      #expect(abs(exact.timeOfFlightError) < 1e-6)
      #expect(abs(exact.clockOffsetError) < 1e-15)
    }
  }

  /// The asymmetric form errs by the mean clock error alone, tof·(e_A + e_B)/2, whatever the replies; rounding four
  /// timestamps to ticks adds less than one tick.
  @Test func clocksAndRepliesHardlyMatter() {
    var random = StatisticsRandom(seed: 1503)
    for _ in 0..<1000 {
      let flight = random.uniform(0...64_000)
      let exact = exchange(
        flight: flight, replyB: random.uniform(6.4e6...1e10), replyA: random.uniform(6.4e6...1e10),
        fastA: random.uniform(-20_000...20_000), fastB: random.uniform(-20_000...20_000))
      #expect(abs(exact.ranging.timeOfFlightTicks - flight) < flight * 21e-6 + 1)
    }
  }

  @Test func handWorkedNumbers() {
    // Perfect clocks, 100 ticks of flight: rounds are replies + 200.
    let ranging = TwoWayRanging(roundA: 1200, replyB: 1000, roundB: 3200, replyA: 3000)
    #expect(ranging.timeOfFlightTicks == 100)
    #expect(ranging.clockOffset == 0)
    // A's clock twice as fast: its intervals double.
    let fast = TwoWayRanging(roundA: 2400, replyB: 1000, roundB: 3200, replyA: 6000)
    #expect(fast.clockOffset == 1)
  }

  @Test func sensitivitiesAreDerivatives() {
    var random = StatisticsRandom(seed: 1504)
    for _ in 0..<200 {
      let ranging = exchange(
        flight: random.uniform(0...10_000), replyB: random.uniform(6.4e6...1e8), replyA: random.uniform(6.4e6...1e8),
        fastA: random.uniform(-20_000...20_000), fastB: random.uniform(-20_000...20_000)
      ).ranging
      func slope(_ poll: Double, _ response: Double, _ final: Double) -> Double {
        (ranging.moving(poll: poll, response: response, final: final).timeOfFlightTicks
          - ranging.moving(poll: -poll, response: -response, final: -final).timeOfFlightTicks) / 2000
      }
      let sensitivity = ranging.sensitivity
      #expect(abs(slope(1000, 0, 0) - sensitivity.poll) < 1e-6)
      #expect(abs(slope(0, 1000, 0) - sensitivity.response) < 1e-6)
      #expect(abs(slope(0, 0, 1000) - sensitivity.final) < 1e-6)
      // The response counts half; poll and final share the other half.
      #expect(abs(sensitivity.response - 0.5) < 1e-2)
      #expect(abs(sensitivity.poll + sensitivity.final - 0.5) < 1e-2)
    }
  }

  /// Later poll or final receptions, and a later response reception, all lengthen the flight.
  @Test func movingReceptionsLaterLengthensTheFlight() {
    let ranging = TwoWayRanging(roundA: 1_000_200, replyB: 1_000_000, roundB: 1_000_200, replyA: 1_000_000)
    #expect(ranging.moving(poll: 4, response: 0, final: 0).timeOfFlightTicks > 100.9)
    #expect(ranging.moving(poll: 0, response: 4, final: 0).timeOfFlightTicks > 101.9)
    #expect(ranging.moving(poll: 0, response: 0, final: 4).timeOfFlightTicks > 100.9)
    #expect(abs(ranging.moving(poll: 4, response: 4, final: 4).timeOfFlightTicks - 104) < 1e-3)
  }

  @Test(arguments: [0, 1 << 39, (1 << 40) - 1, (1 << 40) - 5_000_000, 0xAB_CDEF_0123] as [UInt64])
  func exchangesWrapOnBothClocks(start: UInt64) throws {
    let poll = DeviceTime(ticks: start)
    let atB = DeviceTime(ticks: start &* 7 &+ 99)
    let exchange = RangingExchange(
      index: 0, time: 0, peer: DeviceAddress(rawValue: 1),
      poll: RangingMessage(
        transmitted: poll, reception: Reception(time: atB)),
      response: RangingMessage(
        transmitted: atB.advanced(byTicks: 6_000_000),
        reception: Reception(time: poll.advanced(byTicks: 6_000_400))),
      final: RangingMessage(
        transmitted: poll.advanced(byTicks: 15_000_400),
        reception: Reception(time: atB.advanced(byTicks: 15_000_400))))
    let ranging = try #require(TwoWayRanging(exchange))
    #expect(ranging == TwoWayRanging(roundA: 6_000_400, replyB: 6_000_000, roundB: 9_000_400, replyA: 9_000_000))
    #expect(abs(ranging.timeOfFlightTicks - 200) < 1e-9)
  }

  @Test func degenerateIntervalsDoNotTrap() {
    let nothing = TwoWayRanging(roundA: 0, replyB: 0, roundB: 0, replyA: 0)
    #expect(nothing.timeOfFlightTicks.isNaN)
    #expect(nothing.clockOffset.isNaN)
  }
}
