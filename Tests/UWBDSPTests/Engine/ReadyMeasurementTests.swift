import Numerics
import TestSupport
import Testing
import UWBDSP
import UWBTypes

/// Rounds that a radio has ranged by itself, with impulse responses.
@Suite struct ReadyMeasurementTests {
  private static let engine = RangingEngine(.init(profile: .dw3000))

  /// One pulse, eight taps from the start of a window of 32, in noise.
  private static func window() -> ChannelImpulseResponse {
    var noise = SystemRandomNumberGenerator()
    let samples = (0..<32).map { tap -> Complex<Float> in
      let pulse = Float(DeviceProfile.dw3000.pulse(Double(tap - 8) * UWB.tap))
      return Complex(pulse + .random(in: -0.001...0.001, using: &noise), .random(in: -0.001...0.001, using: &noise))
    }
    return ChannelImpulseResponse(samples)
  }

  private static func exchange(
    _ response: ChannelImpulseResponse?, probability: Double? = nil, initiator: RangingExchange.Initiator = .local
  ) -> RangingExchange {
    let message = RangingMessage(
      reception: response.map { Reception(time: DeviceTime(ticks: 0), chipFirstPathTaps: 7, impulseResponse: $0) })
    var exchange = RangingExchange(
      index: 3, time: 1.5, peer: DeviceAddress(rawValue: 9), initiator: initiator,
      poll: initiator == .peer ? message : RangingMessage(), response: initiator == .local ? message : nil)
    exchange.ready = RadioMeasurement(distance: 2.5, distanceDeviation: 0.1, lineOfSightProbability: probability)
    return exchange
  }

  @Test(
    "the radio's distance stands; first path, strength and line of sight come from its window",
    arguments: [true, false])
  func completed(isResponder: Bool) throws {
    let exchange = Self.exchange(Self.window(), initiator: isResponder ? .peer : .local)
    let result = Self.engine.measure(exchange, using: Self.engine.makeWorkspace())
    #expect(result.status == .ok && result.distance == 2.5 && result.distanceDeviation == 0.1 && result.time == 1.5)
    let path = try #require(isResponder ? result.firstPathTaps.poll : result.firstPathTaps.response)
    #expect(abs(path - 8) < 0.05)
    #expect(try #require(result.snrdB) > 40)
    #expect(try #require(result.lineOfSightProbability) > 0.5)
  }

  @Test("what the radio says of line of sight itself stands")
  func told() {
    let workspace = Self.engine.makeWorkspace()
    #expect(
      Self.engine.measure(Self.exchange(Self.window(), probability: 0.1), using: workspace).lineOfSightProbability
        == 0.1)
    #expect(Self.engine.measure(Self.exchange(nil), using: workspace).lineOfSightProbability == nil)
  }

  @Test("a window that holds no signal takes nothing away")
  func empty() {
    let samples = [Complex<Float>](repeating: .zero, count: 16)
    let exchange = Self.exchange(ChannelImpulseResponse(samples))
    let result = Self.engine.measure(exchange, using: Self.engine.makeWorkspace())
    #expect(result.status == .ok && result.distance == 2.5)
    #expect(result.lineOfSightProbability == nil && result.firstPathTaps == FirstPaths())
  }

  @Test("a round that the radio says has failed is that, whatever it holds")
  func failed() {
    var exchange = Self.exchange(Self.window())
    (exchange.ready, exchange.hasFailed) = (nil, true)
    let result = Self.engine.measure(exchange, using: Self.engine.makeWorkspace())
    #expect(result.status == .failedRound && result.distance == nil)
  }

  @Test("a measurement of nothing is no update")
  func nothing() {
    var exchange = Self.exchange(nil)
    exchange.ready = RadioMeasurement(distance: nil)
    #expect(Self.engine.measure(exchange, using: Self.engine.makeWorkspace()).status == .noDirection)
  }

  @Test(
    "once the workspace has seen such windows, measuring allocates nothing",
    .enabled(if: AllocationCount.isExact, "allocations are counted with glibc, optimised and without sanitizers"))
  func allocations() {
    let (exchange, workspace) = (Self.exchange(Self.window()), Self.engine.makeWorkspace())
    _ = Self.engine.measure(exchange, using: workspace)
    #expect(AllocationCount.of { for _ in 0..<10 { _ = Self.engine.measure(exchange, using: workspace) } } == 0)
  }
}
