import Foundation
import Numerics
import TestSupport
import Testing

@testable import UWBDSP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `scripts/property` runs the long form; its environment says which seed and which batches.
@Suite struct EnginePropertyTests {
  private static func number(_ name: String, or other: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? other
  }

  @Test func anyImpulseResponseHasAStatusOrAFiniteAnswer() {
    let seed = UInt64(Self.number("UWB_PROPERTY_SEED", or: 1))
    let first = Self.number("UWB_PROPERTY_FIRST", or: 0)
    let count = Self.number("UWB_PROPERTY_BATCHES", or: 36)
    for batch in first..<first + count {
      TrapReport.name = "a trap in seed \(seed), batch \(batch)"
      let found = EngineProperty(seed: seed, batch: batch).violation { TrapReport.name = $0 }
      #expect(found == nil)
    }
    TrapReport.name = ""
  }

  /// Each tap spacing has an analyser of its own; a capture that changes it all the time keeps no more than a few.
  @Test func changingShapesKeepFewAnalysers() {
    var random = StatisticsRandom(seed: 5)
    var analysers = ReceptionAnalysers(.init(profile: .ideal, delay: .peak), tapCount: 8, antennaCount: 1)
    for index in 0..<40 {
      let response = HostileImpulseResponse(
        family: .onePath, antennaCount: 1 + index % 5, tapCount: 20 + index, isInteger: false,
        tapSpacing: UWB.tap * (1 + Double(index % 13) / 100)
      ).make(using: &random)
      _ = analysers.analyse(Reception(time: DeviceTime(ticks: 0)), response, by: .peak)
      #expect(analysers.latest.fits(response))
      #expect(analysers.count <= 2 * EngineLimits.tapSpacingCount)
    }
  }

  @Test func whatIsBeyondTheLimitsIsRefusedByName() {
    var random = StatisticsRandom(seed: 6)
    let whole = ExchangeMaker().make(using: &random)
    let samples = [Complex<Float>](repeating: .one, count: 4097)
    let engine = RangingEngine(.init(profile: .ideal))
    let workspace = engine.makeWorkspace()
    for response in [
      ChannelImpulseResponse(samples), ChannelImpulseResponse([Complex<Float>](samples.prefix(65)), antennaCount: 65),
      ChannelImpulseResponse([Complex<Float>](samples.prefix(64)), tapSpacing: 1),
      ChannelImpulseResponse([Complex<Float>](samples.prefix(64)), tapSpacing: .nan),
    ] {
      var exchange = whole
      exchange.poll.reception?.impulseResponse = response
      #expect(engine.measure(exchange, using: workspace).status == .beyondLimits)
    }
    #expect(engine.measure(whole, using: workspace).status == .ok)
    let wide = AntennaArray(positions: (0..<512).map { SIMD3(0.02 * Double($0), 0, 0) }, carrier: 6.5e9)
    let other = RangingEngine(.init(profile: .ideal, array: wide))
    #expect(other.measure(whole, using: other.makeWorkspace()).status == .beyondLimits)
  }
}
