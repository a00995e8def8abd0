import TestSupport
import Testing
import UWBDSP

/// The engine on exchanges without a final: the method follows from what is there.
@Suite struct SingleSidedEngineTests {
  private func engine() -> RangingEngine { RangingEngine(RangingEngine.Configuration(profile: .ideal)) }

  @Test(arguments: [RangingExchange.Initiator.peer, .local])
  func theCarrierOrTheTrackedClockReplacesTheFinal(initiator: RangingExchange.Initiator) {
    var random = StatisticsRandom(seed: 2301)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    let engine = engine()
    let workspace = engine.makeWorkspace(tapCount: 320)
    let peerOverLocal = (1 + maker.peerFast) / (1 + maker.localFast) - 1
    var errors = StatisticsErrors()
    for index in 0..<40 {
      var exchange = maker.make(index: index, using: &random)
      exchange.final = nil
      #expect(engine.measure(exchange, using: workspace).status == .missingTimestamps)
      // The response's carrier: sender over receiver.
      exchange.response?.reception?.carrierOffsetppm =
        1e6 * (initiator == .local ? peerOverLocal : 1 / (1 + peerOverLocal) - 1)
      let own = engine.measure(exchange, using: workspace)
      #expect(own.status == .ok)
      #expect(own.rawDistance == own.distance)
      #expect(abs((own.clockOffsetppm ?? 0) - 1e6 * peerOverLocal) < 1e-3)
      // With the reply of 3 ms, 0.08 ppm of the carrier is 3.6 cm, stated.
      #expect((own.distanceDeviation ?? 0) > 0.036)
      let clock = ClockTracker.Estimate(offset: peerOverLocal, offsetVariance: 1e-20)
      let tracked = engine.measure(exchange, clock: clock, using: workspace)
      #expect(tracked.rawDistance == own.rawDistance)
      // Without it, what is left is that of the timestamps.
      #expect((tracked.distanceDeviation ?? 1) < (own.distanceDeviation ?? 0))
      errors.add(((tracked.distance ?? .nan) - maker.distance) / (tracked.distanceDeviation ?? 0))
    }
    #expect(errors.meanSquare < 2.5, "\(errors.meanSquare)")
    #expect(errors.meanSquare > 0.3, "\(errors.meanSquare)")
  }
}
