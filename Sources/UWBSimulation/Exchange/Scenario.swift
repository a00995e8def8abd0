import UWBDSP

/// A simulation that has a name: links between a local device and its peers, the same for the same seed.
public struct Scenario: Sendable {
  /// The name by which the command line knows it.
  public let name: String
  /// What happens, in one line.
  public let summary: String
  /// Antennas of the local device.
  public let array: AntennaArray
  private let makeLinks: @Sendable (DeviceProfile, inout SeededGenerator) -> [ExchangeConfiguration]

  init(
    name: String, summary: String, array: AntennaArray,
    makeLinks: @escaping @Sendable (DeviceProfile, inout SeededGenerator) -> [ExchangeConfiguration]
  ) {
    self.name = name
    self.summary = summary
    self.array = array
    self.makeLinks = makeLinks
  }

  /// All scenarios, in the order in which they are listed.
  public static let all: [Scenario] = [.walk, .still]

  /// The scenario called `name`, if there is one.
  public static func named(_ name: String) -> Scenario? {
    all.first { $0.name == name }
  }

  /// The links of a seed: clocks and addresses are drawn from it.
  public func links(profile: DeviceProfile, seed: UInt64) -> [ExchangeConfiguration] {
    // Streams count from 0 for the exchanges of a link, so the last one is free.
    var generator = SeededGenerator(seed: seed, stream: .max)
    return makeLinks(profile, &generator)
  }

  /// The exchanges of all links in the order of time.
  public func exchanges(profile: DeviceProfile, seed: UInt64) -> ScenarioExchanges {
    ScenarioExchanges(links: links(profile: profile, seed: seed), seed: seed)
  }
}

/// The exchanges of several links, merged by the time at which they start and counted from 0.
public struct ScenarioExchanges: Sendable, Sequence, IteratorProtocol {
  private let simulators: [ExchangeSimulator]
  private var nextIndices: [Int]
  private var count = 0
  /// Exchanges that the scenario holds.
  public let exchangeCount: Int

  /// The exchanges of all links, in the order of their times.
  public init(links: [ExchangeConfiguration], seed: UInt64) {
    let parent = SeededGenerator(seed: seed)
    simulators = links.enumerated().map { index, link in
      var generator = parent.substream(UInt64(index))
      return ExchangeSimulator(link, seed: generator.next())
    }
    nextIndices = links.map { _ in 0 }
    exchangeCount = links.reduce(0) { $0 + $1.exchangeCount }
  }

  public mutating func next() -> RangingExchange? {
    var best: (link: Int, time: Double)?
    for (link, simulator) in simulators.enumerated()
    where nextIndices[link] < simulator.configuration.exchangeCount {
      let time = simulator.configuration.startTime(of: nextIndices[link])
      if best.map({ time < $0.time }) ?? true { best = (link, time) }
    }
    guard let link = best?.link else { return nil }
    var exchange = simulators[link].exchange(at: nextIndices[link])
    nextIndices[link] += 1
    exchange.index = count
    count += 1
    return exchange
  }
}
