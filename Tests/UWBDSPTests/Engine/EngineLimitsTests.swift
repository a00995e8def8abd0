import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct EngineLimitsTests {
  @Test func arraysBeyondTheLimitsAreRefused() {
    let row = (0..<64).map { SIMD3(0.0299 * Double($0), 0, 0) }
    #expect(AntennaArray.isSupported(positions: row, carrier: 5e9))
    #expect(!AntennaArray.isSupported(positions: row + [.zero], carrier: 5e9))
    #expect(!AntennaArray.isSupported(positions: [], carrier: 5e9))
    #expect(!AntennaArray.isSupported(positions: [.zero, [23, 0, 0]], carrier: 6.5e9))
    for bad in [1e300, .nan, .infinity, -.infinity] {
      #expect(!AntennaArray.isSupported(positions: [.zero, [0, bad, 0]], carrier: 6.5e9))
      #expect(!AntennaArray.isSupported(positions: [.zero], carrier: bad))
    }
    #expect(!AntennaArray.isSupported(positions: [.zero], carrier: 0))
  }

  @Test func impulseResponsesBeyondTheLimitsAreRefused() {
    func isSupported(_ antennas: Int, _ taps: Int, _ spacing: Double) -> Bool {
      ChannelImpulseResponse.isSupported(antennaCount: antennas, tapCount: taps, tapSpacing: spacing)
    }
    #expect(isSupported(1, 1, UWB.tap) && isSupported(64, 4096, UWB.tap))
    #expect(!isSupported(65, 1016, UWB.tap) && !isSupported(0, 1016, UWB.tap))
    #expect(!isSupported(1, 4097, UWB.tap) && !isSupported(1, 0, UWB.tap))
    for spacing in [0, -UWB.tap, .nan, .infinity, 1, 1e-300] { #expect(!isSupported(1, 1016, spacing)) }
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
