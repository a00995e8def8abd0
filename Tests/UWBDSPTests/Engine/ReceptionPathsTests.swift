import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct ReceptionPathsTests {
  private static let pair = AntennaArray.linear(count: 2, spacing: 0.0188, carrier: 7.9872e9)

  private static func exchange(
    _ initiator: RangingExchange.Initiator = .peer, array: AntennaArray? = nil, seed: UInt64 = 2201
  ) -> RangingExchange {
    var random = StatisticsRandom(seed: seed)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    maker.array = array
    return maker.make(using: &random)
  }

  @Test("what measure reports of a reception, to the bit, by every estimator", arguments: DelayMethod.all)
  func asMeasured(delay: DelayMethod) throws {
    for array in [nil, Self.pair] {
      let engine = RangingEngine(.init(profile: .ideal, delay: delay, array: array))
      let (workspace, other) = (engine.makeWorkspace(tapCount: 320), engine.makeWorkspace(tapCount: 320))
      var paths = ReceptionPaths()
      for initiator in [RangingExchange.Initiator.peer, .local] {
        let exchange = Self.exchange(initiator, array: array)
        let measured = engine.measure(exchange, using: workspace)
        try #require(measured.fallback == nil)
        let found = measured.firstPathTaps
        let received = initiator == .peer ? [found.poll, found.final] : [found.response]
        let receptions = exchange.receptionsWithImpulseResponse
        try #require(receptions.count == received.count)
        for (reception, taps) in zip(receptions, received) {
          #expect(engine.findPaths(in: reception, into: &paths, using: other))
          #expect(paths.delayTaps == taps && taps != nil)
          #expect(paths.antennas.count == array?.positions.count ?? 1)
          #expect(paths.lineOfSightProbability != nil)
          // Antennas that are fitted together have the same delays, of one antenna those of all.
          if array == nil, delay != .chip { #expect(paths.antennas[0].firstPath?.delayTaps == taps) }
        }
      }
    }
  }

  @Test("each antenna keeps its own amplitude, and its samples' phase less what its receiver added")
  func antennas() throws {
    let engine = RangingEngine(.init(profile: .ideal, delay: .adaptive, array: Self.pair))
    let alone = RangingEngine(.init(profile: .ideal, delay: .adaptive))
    let workspace = engine.makeWorkspace(tapCount: 320)
    var (joint, single) = (ReceptionPaths(), ReceptionPaths())
    var reception = try #require(Self.exchange(array: Self.pair).poll.reception)
    #expect(engine.findPaths(in: reception, into: &joint, using: workspace))
    #expect(alone.findPaths(in: reception, into: &single, using: alone.makeWorkspace()))
    #expect(joint.antennas[0].firstPath?.delayTaps == joint.antennas[1].firstPath?.delayTaps)
    for (one, other) in zip(joint.antennas, single.antennas) {
      let (one, other) = (try #require(one.firstPath), try #require(other.firstPath))
      // Two estimators of 30 dB: a few per cent of each other.
      #expect((one.amplitude - other.amplitude).length < 0.15 * other.amplitude.length)
      #expect(joint.antennas[0].noiseVariance > 0 && single.antennas[0].noiseVariance > 0)
    }
    let before = try #require(single.antennas[1].firstPath).amplitude.phase
    reception.antennaPhases = [0.25, 1.5]
    #expect(alone.findPaths(in: reception, into: &single, using: alone.makeWorkspace()))
    let turned = try #require(single.antennas[1].firstPath).amplitude.phase
    #expect(abs((before - turned - 1.5).remainder(dividingBy: 2 * .pi)) < 1e-9)
  }

  @Test("receptions without a CIR, of zeroes and beyond what the engine takes, in a dirty workspace")
  func hostile() throws {
    let engine = RangingEngine(.init(profile: .ideal))
    let workspace = engine.makeWorkspace(tapCount: 320)
    var paths = ReceptionPaths()
    let good = try #require(Self.exchange(array: Self.pair).poll.reception)
    var bare = good
    bare.impulseResponse = nil
    var zeroes = good
    zeroes.impulseResponse = ChannelImpulseResponse([Complex<Float>](repeating: .zero, count: 100))
    var long = good
    long.impulseResponse = ChannelImpulseResponse([Complex<Float>](repeating: .one, count: 5000))
    #expect(engine.findPaths(in: good, into: &paths, using: workspace))
    let whole = paths
    #expect(whole.status == .ok && whole.antennas.count == 2)
    #expect(!engine.findPaths(in: bare, into: &paths, using: workspace))
    #expect(paths == whole)
    for (reception, status) in [(zeroes, DelayStatus.emptyImpulseResponse), (long, .beyondLimits)] {
      #expect(engine.findPaths(in: reception, into: &paths, using: workspace))
      #expect(paths.status == status && paths.delayTaps == nil && paths.lineOfSightProbability == nil)
      #expect(paths.antennas.count == 1 && paths.antennas[0].status == status && paths.antennas[0].paths.isEmpty)
    }
    #expect(engine.findPaths(in: good, into: &paths, using: workspace))
    #expect(paths == whole)
  }

  @Test(
    .enabled(
      if: AllocationCount.isExact, "this machine: allocations are counted with glibc, optimised and without sanitizers"),
    arguments: DelayMethod.all)
  func allocatesNothingInRelease(delay: DelayMethod) throws {
    for array in [nil, Self.pair] {
      let engine = RangingEngine(.init(profile: .ideal, delay: delay, array: array))
      let workspace = engine.makeWorkspace(tapCount: 320)
      let reception = try #require(Self.exchange(array: array).poll.reception)
      var paths = ReceptionPaths()
      #expect(AllocationCount.of { engine.findPaths(in: reception, into: &paths, using: workspace) } == 0)
    }
  }
}
