import TestSupport
import Testing
import UWBDSP

/// Single-sided, symmetric, three and four messages, against exact integers and against chance.
@Suite struct RangingArithmeticTests {
  /// True times and two clocks, in exact integers: a tick of true time is 2²⁰ units, clock rates are 1 + n/10⁹.
  private struct Scene {
    var flight: Int128
    var replyB: Int128
    var pause: Int128
    var replyA: Int128
    var fastA: Int128
    var fastB: Int128

    private static let unit: Int128 = 1 << 20

    /// A clock's ticks at a true time (units), rounded to the nearest.
    private static func reading(_ time: Int128, _ fast: Int128) -> Int128 {
      (time * (1_000_000_000 + fast) / 1_000_000_000 + unit / 2) >> 20
    }

    func a(_ time: Int128) -> Int128 { Self.reading(time, fastA) }
    func b(_ time: Int128) -> Int128 { Self.reading(time, fastB) }

    var pollSent: Int128 { 1 << 30 }
    var pollReceived: Int128 { pollSent + flight }
    var responseSent: Int128 { pollReceived + replyB }
    var responseReceived: Int128 { responseSent + flight }
    /// Four messages alone.
    var secondSent: Int128 { responseSent + pause }
    var secondReceived: Int128 { secondSent + flight }
    func finalSent(_ messages: TwoWayRanging.Messages) -> Int128 {
      (messages == .three ? responseReceived : secondReceived) + replyA
    }
    func finalReceived(_ messages: TwoWayRanging.Messages) -> Int128 { finalSent(messages) + flight }

    func intervals(
      _ messages: TwoWayRanging.Messages
    ) -> (roundA: Int128, replyB: Int128, roundB: Int128, replyA: Int128) {
      let sent = messages == .three ? responseSent : secondSent
      let received = messages == .three ? responseReceived : secondReceived
      return (
        a(responseReceived) - a(pollSent), b(responseSent) - b(pollReceived), b(finalReceived(messages)) - b(sent),
        a(finalSent(messages)) - a(received)
      )
    }

    func ranging(_ messages: TwoWayRanging.Messages) -> TwoWayRanging {
      let i = intervals(messages)
      return TwoWayRanging(
        roundA: Double(i.roundA), replyB: Double(i.replyB), roundB: Double(i.roundB), replyA: Double(i.replyA),
        messages: messages)
    }

    static func random(_ random: inout StatisticsRandom) -> Scene {
      func ticks(_ range: ClosedRange<Double>) -> Int128 { Int128(random.uniform(range) * Double(unit)) }
      func fast() -> Int128 { Int128(random.uniform(-20_000...20_000)) }
      return Scene(
        flight: ticks(0...64_000), replyB: ticks(6.4e6...1e10), pause: ticks(6.4e6...1e10),
        replyA: ticks(6.4e6...1e10), fastA: fast(), fastB: fast())
    }
  }

  /// The quotient without rounding it first.
  private func error(_ value: Double, _ numerator: Int128, _ denominator: Int128) -> Double {
    let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    return (value - Double(whole)) - Double(rest) / Double(denominator)
  }

  @Test(arguments: [TwoWayRanging.Messages.three, .four], [2101, 2102] as [UInt64])
  func doubleSidedAgreesWithExactFractions(messages: TwoWayRanging.Messages, seed: UInt64) {
    var random = StatisticsRandom(seed: seed)
    for _ in 0..<1000 {
      let scene = Scene.random(&random)
      let i = scene.intervals(messages)
      let ranging = scene.ranging(messages)
      let sum = i.roundA + i.replyB + i.roundB + i.replyA
      #expect(abs(error(ranging.timeOfFlightTicks, i.roundA * i.roundB - i.replyA * i.replyB, sum)) < 1e-6)
      let symmetric = SymmetricTwoWayRanging(ranging)
      #expect(abs(error(symmetric.timeOfFlightTicks, i.roundA - i.replyB + i.roundB - i.replyA, 4)) < 1e-6)
      // Against the truth: timestamps in whole ticks leave at most 2 ticks; 20 ppm of the flight 1.3.
      let truth = Double(scene.flight) / 1_048_576
      #expect(abs(ranging.timeOfFlightTicks - truth) < 3.4)
      // The symmetric form is off by what it says, with the offset that the exact intervals show.
      #expect(
        abs(symmetric.timeOfFlightTicks - symmetric.bias(clockOffset: ranging.clockOffset) - truth) < 4)
    }
  }

  @Test(arguments: [2111, 2112] as [UInt64])
  func singleSidedAgreesWithExactFractions(seed: UInt64) {
    var random = StatisticsRandom(seed: seed)
    for _ in 0..<1000 {
      let scene = Scene.random(&random)
      let i = scene.intervals(.three)
      // e = (1 + a)/(1 + b) − 1 with a, b in 10⁻⁹.
      let rateA = 1_000_000_000 + scene.fastA
      let rateB = 1_000_000_000 + scene.fastB
      let offset = Double(rateA - rateB) / Double(rateB)
      let ranging = SingleSidedRanging(round: Double(i.roundA), reply: Double(i.replyB), clockOffset: offset)
      #expect(abs(error(ranging.timeOfFlightTicks, i.roundA * rateB - i.replyB * rateA, 2 * rateB)) < 1e-5)
      #expect(abs(ranging.timeOfFlightTicks - Double(scene.flight) / 1_048_576) < 3.4)
    }
  }

  /// 150 ms and 1 ppm: 9 600 000 000 ticks, 9600 too many, half of it 4800 ticks = 22.5 m.
  @Test func uncorrectedSingleSidedRangingIsOffByHalfTheReplysDrift() {
    let ranging = SingleSidedRanging(round: 9_600_010_000, reply: 9_600_000_000, clockOffset: 0)
    #expect(ranging.timeOfFlightTicks == 5000)
    let fast = SingleSidedRanging(round: 9_600_010_000, reply: 9_600_000_000, clockOffset: 1e-6)
    #expect(abs(fast.timeOfFlightTicks - 200) < 1e-9)
    #expect(fast.offsetSensitivity == -4_800_000_000)
  }

  /// Variances against draws: 20,000 exchanges with Gaussian timestamps; bounds from the χ² distribution.
  @Test(arguments: [TwoWayRanging.Messages.three, .four])
  func variancesAreThoseOfDraws(messages: TwoWayRanging.Messages) {
    var random = StatisticsRandom(seed: messages == .three ? 2121 : 2122)
    let trials = 20_000
    let ranging = TwoWayRanging(
      roundA: 30_000_400, replyB: 30_000_000, roundB: 9_000_400, replyA: 9_000_000, messages: messages)
    let variances = TimestampVariances(poll: 4, response: 25, secondPoll: 9, final: 49)
    let stated = ranging.timeOfFlight(variances)
    let single = SingleSidedRanging(round: 30_000_400, reply: 30_000_000, clockOffset: 2e-6)
    let statedSingle = single.timeOfFlight(variances, offsetVariance: 1e-14)
    let statedSymmetric = SymmetricTwoWayRanging(ranging).timeOfFlight(variances, offsetVariance: 0)
    var errors = StatisticsErrors()
    var singleErrors = StatisticsErrors()
    var symmetricErrors = StatisticsErrors()
    for _ in 0..<trials {
      let (poll, response) = (2 * random.gaussian(), 5 * random.gaussian())
      let (second, final) = (3 * random.gaussian(), 7 * random.gaussian())
      let moved = ranging.moving(poll: poll, response: response, secondPoll: second, final: final)
      errors.add(moved.timeOfFlightTicks - stated.ticks)
      symmetricErrors.add(SymmetricTwoWayRanging(moved).timeOfFlightTicks - statedSymmetric.ticks)
      var one = single.moving(poll: poll, response: response)
      one.clockOffset += 1e-7 * random.gaussian()
      singleErrors.add(one.timeOfFlightTicks - statedSingle.ticks)
    }
    let range = StatisticsLimits.normalisedVariance(trials: trials)
    #expect(range.contains(errors.meanSquare / stated.variance))
    #expect(range.contains(symmetricErrors.meanSquare / statedSymmetric.variance))
    #expect(range.contains(singleErrors.meanSquare / statedSingle.variance))
  }

  @Test func statuses() {
    let allowed = -100.0...1000
    #expect(TimeOfFlight(ticks: 5, variance: 1).status(allowed: allowed) == .ok)
    #expect(TimeOfFlight(ticks: -101, variance: 1).status(allowed: allowed) == .negative)
    #expect(TimeOfFlight(ticks: 1001, variance: 1).status(allowed: allowed) == .tooLong)
    for flight in [(Double.nan, 1.0), (.infinity, 1), (1, .nan), (1, -1)] {
      #expect(TimeOfFlight(ticks: flight.0, variance: flight.1).status(allowed: allowed) == .undetermined)
    }
  }

  /// Signed 32-bit counters that wrap inside the exchange: 72 110 257 and 72 105 904 ticks as in a real table.
  @Test func thirtyTwoBitsWrap() throws {
    let exchange = RangingExchange(
      index: 0, time: 0, peer: DeviceAddress(rawValue: 12), initiator: .local,
      poll: RangingMessage(
        transmitted: DeviceTime(signed32: 2_147_000_000),
        reception: Reception(time: DeviceTime(signed32: .max - 5))),
      response: RangingMessage(
        transmitted: DeviceTime(signed32: .min + 72_105_898),
        reception: Reception(time: DeviceTime(signed32: -2_075_857_039))), counterBits: 32)
    let ranging = try #require(SingleSidedRanging(exchange, clockOffset: 0))
    #expect(ranging.round == 72_110_257)
    #expect(ranging.reply == 72_105_904)
    #expect(ranging.timeOfFlightTicks == 2176.5)
    #expect(DeviceTime(signed32: -1).ticks == 0xFFFF_FFFF)
  }

  /// DW1000 user manual 2.12, 7.2.22: 0xE4 over 0x01F00000 is +7.014 ppm, 0x7FF5C is −5.045 ppm, remote faster where
  /// positive; the carrier integrator has the other sign.
  @Test func registersOfTheChips() throws {
    let faster = try #require(ClockRegisters.timeTracking(offset: 0x000E4, interval: 0x01F0_0000))
    #expect(abs(faster - 7.014e-6) < 1e-9)
    let slower = try #require(ClockRegisters.timeTracking(offset: 0x7FF5C, interval: 0x01F0_0000))
    #expect(abs(slower + 5.045e-6) < 1e-9)
    #expect(ClockRegisters.timeTracking(offset: 0x000E4, interval: 0) == nil)
    // 3.7193 Hz a unit; 1000 of them on channel 5 are 3719.3/6489.6e6 = 0.573 ppm, the local receiver faster.
    let carrier = ClockRegisters.carrierIntegrator(1000, carrier: 6489.6e6)
    #expect(abs(carrier + 0.57312e-6) < 1e-10)
    #expect(abs(ClockRegisters.carrierIntegrator(1000, carrier: 6489.6e6, is110kbps: true) - carrier / 8) < 1e-15)
    #expect(abs(ClockRegisters.dw3000(671) - 9.9987e-6) < 1e-9)
    #expect(ClockRegisters.dw3000(-671) == -ClockRegisters.dw3000(671))
  }
}
