import TestSupport
import Testing
import UWBDSP

/// Clocks with offset and drift, exchanges of poll and response alone.
@Suite struct ClockTrackerTests {
  /// A peer whose clock runs `offset` + `drift`·t fast; the local clock is true. Times in seconds, counters in ticks.
  private struct Clocks {
    var offset: Double
    var drift: Double
    var localStart: UInt64
    var peerStart: UInt64
    var noise: Double
    var bits = 40

    /// The peer's phase over the local clock, seconds.
    func phase(_ time: Double) -> Double { offset * time + drift * time * time / 2 }

    private func stamp(_ start: UInt64, _ time: Double, _ extra: Double) -> DeviceTime {
      let whole = (time / UWB.tick).rounded(.down)
      let rest = (time / UWB.tick - whole + extra / UWB.tick).rounded()
      let ticks = start &+ UInt64(whole) &+ UInt64(bitPattern: Int64(rest))
      return DeviceTime(ticks: bits == 40 ? ticks : ticks & ((1 << UInt64(bits)) - 1))
    }

    func exchange(
      at time: Double, reply: Double, flight: Double, initiator: RangingExchange.Initiator,
      _ random: inout StatisticsRandom
    ) -> RangingExchange {
      let (arrival, answer) = (time + flight, time + flight + reply)
      func local(_ t: Double, _ jitter: Double = 0) -> DeviceTime { stamp(localStart, t, jitter) }
      func peer(_ t: Double, _ jitter: Double = 0) -> DeviceTime { stamp(peerStart, t, phase(t) + jitter) }
      let (j, k) = (noise * random.gaussian(), noise * random.gaussian())
      let isPeer = initiator == .peer
      return RangingExchange(
        index: 0, time: time, peer: DeviceAddress(rawValue: 1), initiator: initiator,
        poll: RangingMessage(
          transmitted: isPeer ? peer(time) : local(time),
          reception: Reception(time: isPeer ? local(arrival, j) : peer(arrival, j))),
        response: RangingMessage(
          transmitted: isPeer ? local(answer) : peer(answer),
          reception: Reception(time: isPeer ? peer(answer + flight, k) : local(answer + flight, k))),
        counterBits: bits)
    }
  }

  /// Crystals as the tracker's defaults take them; the peer walks away at 1.5 m/s, which must not look like an offset.
  @Test(arguments: [RangingExchange.Initiator.peer, .local], [40, 32])
  func offsetAndDriftAreFound(initiator: RangingExchange.Initiator, bits: Int) throws {
    var random = StatisticsRandom(seed: 2201)
    let clocks = Clocks(
      offset: -7.3e-6, drift: 4e-9, localStart: (1 << 40) - 1_000_000_000, peerStart: 77_777_777_777, noise: 0.14e-9,
      bits: bits)
    var tracker = ClockTracker()
    var errors = StatisticsErrors()
    var squares = StatisticsErrors()
    for index in 0..<300 {
      let time = 0.1 + 0.1 * Double(index) + 0.004 * random.uniform()
      let flight = (5 + 1.5 * time) / UWB.speedOfLightInAir
      let exchange = clocks.exchange(at: time, reply: 0.02, flight: flight, initiator: initiator, &random)
      let estimate = tracker.update(exchange)
      guard index >= 30 else { continue }
      let known = try #require(estimate)
      let error = known.offset - (clocks.offset + clocks.drift * time)
      errors.add(error)
      squares.add(error / known.offsetVariance.squareRoot())
    }
    // These clocks wander less than the tracker allows for, so it is better than it says.
    #expect(errors.rootMeanSquare < 1e-9, "\(errors.rootMeanSquare)")
    #expect(squares.meanSquare < 1.2, "\(squares.meanSquare)")
    #expect(abs(try #require(tracker.estimate).drift - clocks.drift) < 2e-9)
  }

  /// Silences of up to a minute, several wraps of 17.2 s: phases need no unwrapping.
  @Test func silences() throws {
    var random = StatisticsRandom(seed: 2202)
    let clocks = Clocks(offset: 3e-6, drift: 0, localStart: 5, peerStart: 1 << 39, noise: 0.14e-9)
    var tracker = ClockTracker()
    var time = 0.2
    for index in 0..<60 {
      let exchange = clocks.exchange(at: time, reply: 0.15, flight: 2e-8, initiator: .peer, &random)
      let estimate = tracker.update(exchange)
      if index > 10 { #expect(abs(try #require(estimate).offset - 3e-6) < 2e-8, "\(index)") }
      time += index % 15 == 14 ? 60 : 1
    }
  }

  /// A host that stamps lines when it prints them: exchange times disagree with 32-bit counters, and no phase is used.
  @Test func timesThatAreNotTheClocksOwn() throws {
    var random = StatisticsRandom(seed: 2203)
    let clocks = Clocks(offset: 1e-6, drift: 0, localStart: 9, peerStart: 10, noise: 0.14e-9, bits: 32)
    var tracker = ClockTracker()
    for index in 0..<50 {
      var exchange = clocks.exchange(
        at: 0.0988 * Double(index), reply: 0.001, flight: 2e-8, initiator: .local, &random)
      exchange.time = 0.1428 * Double(index)
      #expect(tracker.update(exchange) == nil)
      // With the carrier there is an offset, the carrier's.
    }
    for index in 50..<400 {
      var exchange = clocks.exchange(
        at: 0.0988 * Double(index), reply: 0.001, flight: 2e-8, initiator: .local, &random)
      exchange.time = 0.1428 * Double(index)
      exchange.response?.reception?.carrierOffsetppm = 2.5 + 0.08 * random.gaussian()
      let update = tracker.update(exchange)
      let estimate = try #require(update)
      if index > 100 { #expect(abs(estimate.offset - 2.5e-6) < 5 * 8e-8 / 4) }
    }
  }

  /// A wild timestamp moves nothing; a clock that was reset is followed after a few exchanges.
  @Test func outliersAndResets() throws {
    var random = StatisticsRandom(seed: 2204)
    var clocks = Clocks(offset: 3e-6, drift: 0, localStart: 1_000, peerStart: 2_000, noise: 0.14e-9)
    var tracker = ClockTracker()
    for index in 0..<100 {
      if index == 60 { clocks.peerStart = 999_999_999 }
      var exchange = clocks.exchange(
        at: 0.1 * Double(index + 1), reply: 0.001, flight: 2e-8, initiator: .peer, &random)
      if index == 30 {
        exchange.response?.reception?.time = DeviceTime(ticks: 123_456)
      }
      let estimate = tracker.update(exchange)
      if (10..<62).contains(index) || index > 75 {
        #expect(abs((estimate?.offset ?? 0) - 3e-6) < 2e-8, "\(index): \(String(describing: estimate))")
      }
    }
  }

  /// Errors of what the engine would take, carrier readings off by `wrong(index)` ppm where it is not `nil`.
  private func carrierErrors(
    _ seed: UInt64, count: Int = 300, wrong: (Int, inout StatisticsRandom) -> Double?
  ) throws -> [Double] {
    var (random, chance) = (StatisticsRandom(seed: seed), StatisticsRandom(seed: seed + 1))
    var tracker = ClockTracker()
    return try (0..<count).map { index in
      let ppm = 2.5 + 0.055 * random.gaussian() + (wrong(index, &chance) ?? 0)
      let exchange = RangingExchange(
        index: index, time: 0.1 * Double(index), peer: DeviceAddress(rawValue: 1), initiator: .local,
        poll: RangingMessage(),
        response: RangingMessage(reception: Reception(time: DeviceTime(ticks: 0), carrierOffsetppm: ppm)))
      let update = tracker.update(exchange)
      let estimate = try #require(update)
      return 1e6 * estimate.offset - 2.5
    }
  }

  /// Three in ten carriers wrong by 0.6 to 20 ppm either way, one by one, in runs of five that agree, or all by the same: from where
  /// more readings are good than are bad, distances over replies of 1.1 ms are no more than 1.2 × as far off as without them.
  @Test(arguments: 0..<3) func badCarriersCostLittle(kind: Int) throws {
    var (clean, bad) = (StatisticsErrors(), StatisticsErrors())
    for seed in (0..<20).map({ UInt64(2300 + 10 * $0) }) {
      var run = (left: 0, ppm: 0.0)
      var surplus = 0
      var start = 0
      let wrong = try carrierErrors(seed) { index, chance in
        if run.left == 0, chance.uniform() < (kind == 1 ? 0.079 : 0.3) {
          let ppm = kind == 2 ? 11.8 : chance.uniform(0.6...20) * (chance.uniform() < 0.5 ? -1 : 1)
          run = (kind == 1 ? 5 : 1, ppm)
        }
        surplus += run.left > 0 ? -1 : 1
        if surplus <= 1 { start = index + 1 }
        guard run.left > 0 else { return nil }
        run.left -= 1
        return run.ppm
      }
      let right = try carrierErrors(seed) { _, _ in nil }
      // Of a reply of 72.1 million ticks; timestamps add 3 cm.
      let metresPerPPM = 0.5 * 72.1 * UWB.tick * UWB.speedOfLightInAir
      var random = StatisticsRandom(seed: seed + 2)
      for index in start..<wrong.count {
        let noise = 0.03 * random.gaussian()
        bad.add(wrong[index] * metresPerPPM + noise)
        clean.add(right[index] * metresPerPPM + noise)
      }
    }
    #expect(clean.count > 4000)
    #expect(bad.rootMeanSquare < 1.2 * clean.rootMeanSquare, "\(bad.rootMeanSquare), \(clean.rootMeanSquare)")
  }

  /// However a wrong offset was taken, by wrong readings at the start or by clocks that changed after minutes: ten exchanges later
  /// it has been left, and until then each says that it is contradicted.
  @Test(arguments: [1, 2, 5, 9, 600]) func aLatchIsLeft(count: Int) {
    var random = StatisticsRandom(seed: 2240)
    var tracker = ClockTracker()
    for index in 0..<count + 20 {
      let ppm = (index < count ? 14.3 : 2.5) + 0.055 * random.gaussian()
      let exchange = RangingExchange(
        index: index, time: 0.1 * Double(index), peer: DeviceAddress(rawValue: 1), initiator: .local,
        poll: RangingMessage(),
        response: RangingMessage(reception: Reception(time: DeviceTime(ticks: 0), carrierOffsetppm: ppm)))
      let estimate = tracker.update(exchange)
      guard let estimate else {
        Issue.record("no estimate at \(index)")
        return
      }
      let isRight = abs(1e6 * estimate.offset - 2.5) < 0.2
      if index >= count + 10 { #expect(isRight && estimate.rejections == 0 && estimate.isSettled, "\(index)") }
      if index >= count, !isRight { #expect(estimate.rejections == index - count + 1, "\(index)") }
    }
  }

  /// Timestamps that are wrong, the first three in ten and one in three later: the offset that the others show is found.
  @Test(arguments: [0...0, 0...2, 1...2, 5...8]) func badPhases(bad: ClosedRange<Int>) throws {
    var random = StatisticsRandom(seed: 2250)
    let clocks = Clocks(offset: 3e-6, drift: 0, localStart: 1_000, peerStart: 2_000, noise: 0.14e-9)
    var tracker = ClockTracker()
    for index in 0..<100 {
      var exchange = clocks.exchange(
        at: 0.1 * Double(index + 1), reply: 0.001, flight: 2e-8, initiator: .peer, &random)
      if bad.contains(index) || index > 20 && index % 3 == 0 {
        // Up to half a microsecond: two such phases differ by no more than clocks may.
        let time = try #require(exchange.response?.reception?.time)
        exchange.response?.reception?.time = time.advanced(byTicks: Int64(random.uniform(-32_000...32_000)))
      }
      let estimate = tracker.update(exchange)
      if index > 18 {
        #expect(abs((estimate?.offset ?? 0) - 3e-6) < 2e-8, "\(index): \(String(describing: estimate))")
      }
    }
  }

  /// Both carriers' receivers: the local one of the peer's frame, and the peer's of ours.
  @Test func carrierSigns() throws {
    func estimate(_ initiator: RangingExchange.Initiator, ppm: Double) throws -> ClockTracker.Estimate {
      let exchange = RangingExchange(
        index: 0, time: 0, peer: DeviceAddress(rawValue: 1), initiator: initiator,
        poll: RangingMessage(reception: Reception(time: DeviceTime(ticks: 0), carrierOffsetppm: ppm)))
      return try #require(ClockTracker.Estimate(exchange, ClockTracker.Configuration()))
    }
    // The peer's poll, heard here: the sender is the peer.
    #expect(abs(try estimate(.peer, ppm: 10).offset - 10e-6) < 1e-15)
    // Our poll, heard there: the sender is local, so the peer is slower.
    #expect(abs(try estimate(.local, ppm: 10).offset + 10e-6) < 2e-10)
    // An initiator that is 10 ppm slower than the responder gets (1 − 10⁻⁵) of the reply.
    let slow = ClockTracker.Estimate(offset: 10e-6, offsetVariance: 0)
    #expect(abs(slow.offset(ofInitiator: .local) + 10e-6) < 2e-10)
    #expect(slow.offset(ofInitiator: .peer) == 10e-6)
  }
}
