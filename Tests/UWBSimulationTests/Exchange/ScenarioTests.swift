import Numerics
import Testing
import UWBDSP
import UWBPlatform
import UWBSimulation

@Suite struct ScenarioTests {
  private static let profile = ExchangeSimulatorTests.profile

  @Test func namesFindScenarios() {
    #expect(Scenario.named("walk")?.name == "walk")
    #expect(Scenario.named("moonwalk") == nil)
    #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
  }

  @Test(arguments: Scenario.all.map(\.name))
  func seedsRepeat(_ name: String) throws {
    let scenario = try #require(Scenario.named(name))
    func start(_ seed: UInt64) -> [RangingExchange] {
      Array(scenario.exchanges(profile: Self.profile, seed: seed).prefix(2))
    }
    for (a, b) in zip(start(4), start(4)) {
      #expect(a.poll.reception?.time == b.poll.reception?.time)
      #expect(a.poll.reception?.impulseResponse?.samples() == b.poll.reception?.impulseResponse?.samples())
    }
    #expect(start(4)[0].poll.reception?.time != start(5)[0].poll.reception?.time)
  }

  @Test func walkIsAsItSays() throws {
    let links = Scenario.walk.links(profile: Self.profile, seed: 1)
    let link = try #require(links.first)
    #expect(links.count == 1)
    #expect((115...125).contains(link.exchangeCount))
    let room = try #require(link.room)
    for index in 0..<link.exchangeCount {
      let time = link.startTime(of: index)
      let position = link.peerTrajectory.position(at: time)
      #expect(all(position .> room.lower) && all(position .< room.upper))
      let direct = link.paths(at: time)[0]
      let distance = 1 / direct.amplitude.length
      #expect((2...6.01).contains(distance))
      let snr = link.snrAtOneMetredB + 10 * log10(direct.power)
      #expect((25...35.2).contains(snr), "\(snr) dB at \(distance) m")
      let direction = try #require(direct.direction)
      #expect(abs(direction.azimuth) < 1)
    }
  }

  @Test func walkHoldsWholeExchanges() throws {
    var exchanges = Scenario.walk.exchanges(profile: Self.profile, seed: 2)
    let next = (exchanges.next(), exchanges.next())
    let first = try #require(next.0)
    let second = try #require(next.1)
    #expect(first.index == 0 && second.index == 1)
    #expect(first.time == 0)
    #expect(abs(second.time - 0.1) < 1e-5)
    let cir = try #require(first.final?.reception?.impulseResponse)
    #expect(cir.antennaCount == 3 && cir.tapCount == 1016 && cir.format == .int16)
    #expect(first.response?.reception?.impulseResponse == nil)
    #expect(first.truth?.distance != nil)
    // The taps before the path hold the noise that was asked for: 41 dB under a direct path of 1 m.
    let noise = cir.samples(antenna: 1, taps: 0..<600).map { Double($0.lengthSquared) }
    let variance = noise.reduce(0, +) / 600
    #expect(abs(variance / pow(10, -4.1) - 1) < 5 / 600.0.squareRoot(), "seed 2")
  }

  @Test func linksMergeInTime() {
    let one = ExchangeConfiguration(
      profile: Self.profile, array: .single(), peerTrajectory: .stationary(SIMD3(0, 0, -1)), exchangeCount: 3)
    var two = one
    two.peer = DeviceAddress(rawValue: 2)
    two.firstTime = 0.05
    var links = [one, two]
    for index in links.indices { links[index].tapCount = 8 }
    let exchanges = Array(ScenarioExchanges(links: links, seed: 1))
    #expect(exchanges.map(\.index) == [0, 1, 2, 3, 4, 5])
    #expect(exchanges.map(\.peer.rawValue) == [1, 2, 1, 2, 1, 2])
    #expect(ScenarioExchanges(links: links, seed: 1).exchangeCount == 6)
  }
}
