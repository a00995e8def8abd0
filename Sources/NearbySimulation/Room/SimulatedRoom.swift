import NearbySession
import UWBDSP
import UWBPlatform
import UWBSimulation

/// Devices in a room, each with a host of its own, in one process: application code on those hosts is told what it would
/// be told in a room like that.
///
/// A pair ranges while both ends run with each other's tokens and the radio reaches: channel impulse responses are drawn
/// along the paths between the two (`Surroundings`), with noise and free-running clocks, and `RangingEngine` makes of
/// them what it makes of a real radio's. Each end in turn keeps the CIRs of an exchange that the other starts.
/// An accessory ranges from when it was told to start, at the pace that it was told.
///
/// Time is the room's own and goes on by `advance`, as fast as the machine can, or by `run`, at a pace. The same scenario
/// and seed give the same exchanges as long as the apps do the same at the same times. One task at a time.
public final class SimulatedRoom {
  /// s; how often hosts let time pass and poses are fed in
  static let heartbeat = 0.05

  /// The scenario of this room.
  public let scenario: RoomScenario
  /// s since the room was opened
  public private(set) var time = 0.0
  /// Called for each exchange that a device has made, before its host hears of it.
  public var onExchange: ((_ device: String, _ exchange: RangingExchange) -> Void)?
  /// Called after each moment in which something may have happened, with the room's time.
  var onStep: ((Double) -> Void)?

  let plan: RoomPlan
  var ends: [RoomEnd] = []
  var links: [RoomLink.Key: RoomLink] = [:]
  var order: [RoomLink] = []
  var linkCount = 0
  var linksAreStale = true
  private var nextBeat = 0.0
  var lost: [LostMessages] = []
  private var engines: [AntennaArray: (RangingEngine, RangingEngine.Workspace)] = [:]
  private(set) var exchangeCount = 0

  /// Messages that don't arrive, for a time.
  struct LostMessages {
    let node: Int
    let peer: Int?
    let end: Double
    let areNotices: Bool

    func holds(_ a: Int, _ b: Int, at time: Double) -> Bool {
      time < end && (node == a && (peer ?? b) == b || node == b && (peer ?? a) == a)
    }
  }

  /// Opens the room; nobody runs a session yet.
  public init(_ scenario: RoomScenario) throws(ScenarioError) {
    plan = try RoomPlan(scenario)
    self.scenario = plan.scenario
    var seeds = SeededGenerator(seed: scenario.seed, stream: 3 << 32)
    ends = plan.nodes.enumerated().map { RoomEnd($1, index: $0, seed: seeds.next()) }
  }

  // MARK: For apps

  /// Names of all devices, those of the crowd included.
  public var deviceNames: [String] { plan.scenario.devices.map(\.name) }

  /// A device's host, for its app.
  public func host(of device: String) -> NearbyHost? {
    plan.indices[device].flatMap { ends[$0].host }
  }

  /// Brings a message to an accessory, as its Bluetooth link would; returns its answers.
  public func send(_ message: [UInt8], to accessory: String) throws(AccessoryMessageError) -> [[UInt8]] {
    guard let index = plan.indices[accessory], !ends[index].isOff else { return [] }
    linksAreStale = true
    return try ends[index].accessory?.receive(message) ?? []
  }

  /// Where `peer` really is, as `device` sees it now: unit vector in the device's axes, m, and whether nothing stands
  /// between.
  public func truth(of peer: String, from device: String) -> (
    distance: Double, direction: SIMD3<Double>, isClear: Bool
  )? {
    guard let a = plan.indices[device], let b = plan.indices[peer] else { return nil }
    let pose = plan.nodes[a].motion.pose(at: time)
    let there = plan.nodes[b].motion.trajectory.position(at: time)
    let offset = there - pose.position
    let distance = offset.length
    guard distance > 0 else { return nil }
    return (
      distance, pose.toDevice(offset / distance), plan.surroundings?.isClear(from: pose.position, to: there) ?? true
    )
  }

  /// A device's radio and app are off for good, or messages are lost.
  func powerOff(_ index: Int) {
    ends[index].isOff = true
    linksAreStale = true
  }

  func stopAccessory(_ index: Int) {
    _ = ends[index].accessory?.stop()
    linksAreStale = true
  }

  func lose(_ messages: LostMessages) {
    lost.append(messages)
  }

  func isOff(_ index: Int) -> Bool { ends[index].isOff }

  // MARK: Time

  /// Lets the room's time go on to `end`.
  public func advance(to end: Double) {
    while let step = nextStep(), step.time <= end {
      take(step)
    }
    time = max(time, end)
    settle()
  }

  /// The same at a pace: `speed` of the room's seconds a second of the clock. Other tasks, the apps', run meanwhile.
  public func run(
    until end: Double, speed: Double = 1, isolation: isolated (any Actor)? = #isolation
  ) async {
    let clock = ContinuousClock()
    let start = clock.now
    let from = time
    while !Task.isCancelled, let step = nextStep(), step.time <= end {
      if speed.isFinite, speed > 0 {
        try? await clock.sleep(until: start.advanced(by: .seconds((step.time - from) / speed)), tolerance: nil)
      } else {
        await Task.yield()
      }
      // What apps did meanwhile may have changed who ranges.
      guard let now = nextStep(), now.time <= end else { break }
      take(now)
    }
    time = max(time, end)
    settle()
  }

  private enum Step {
    case beat(Double)
    case exchange(RoomLink)

    var time: Double {
      switch self {
      case .beat(let time): time
      case .exchange(let link): link.nextTime
      }
    }
  }

  private func nextStep() -> Step? {
    drainNotices()
    if linksAreStale { refreshLinks() }
    var best: RoomLink?
    for link in order where link.nextTime < best?.nextTime ?? nextBeat {
      best = link
    }
    return best.map { .exchange($0) } ?? .beat(nextBeat)
  }

  private func take(_ step: Step) {
    time = max(time, step.time)
    switch step {
    case .beat(let beat):
      nextBeat = beat + Self.heartbeat
      settle()
    case .exchange(let link):
      exchange(link)
      link.advance()
      onStep?(time)
    }
  }

  /// Sets every clock to now; hosts let what is due happen.
  private func settle() {
    for index in ends.indices {
      ends[index].settle(at: time, plan.nodes[index])
    }
    drainNotices()
    onStep?(time)
  }

  // MARK: One exchange

  private func exchange(_ link: RoomLink) {
    let local = link.key.local
    guard !lost.contains(where: { !$0.areNotices && $0.holds(local, link.key.peer, at: time) }), isHeard(link) else {
      ends[local].visitor?.miss(link.key.link)
      return
    }
    var exchange = link.simulator.exchange(at: link.index)
    exchange.time = plan.nodes[local].clock.elapsed(at: time)
    exchange.index = exchangeCount
    exchangeCount += 1
    onExchange?(plan.nodes[local].name, exchange)
    if let visitor = ends[local].visitor { return visitor.take(exchange, of: link.key.link) }
    ends[local].settle(at: time, plan.nodes[local])
    ends[local].pipeline(engine(for: plan.nodes[local].array))?.process(exchange)
  }

  private func isHeard(_ link: RoomLink) -> Bool {
    guard link.hasCommonKeys else { return false }
    let strongest = link.simulator.configuration.paths(at: time).map(\.power).max() ?? 0
    guard scenario.radio.snrAtOneMetredB + 10 * log10(strongest) >= scenario.radio.sensitivitydB else { return false }
    guard scenario.radio.loss > 0 else { return true }
    var generator = SeededGenerator(seed: link.simulator.seed, stream: 1 << 63 | UInt64(link.index))
    return generator.uniform(in: 0...1) >= scenario.radio.loss
  }

  func engine(for array: AntennaArray) -> (RangingEngine, RangingEngine.Workspace) {
    if let known = engines[array] { return known }
    let engine = RangingEngine(
      RangingEngine.Configuration(profile: .ideal, array: array.positions.count >= 2 ? array : nil))
    let made = (engine, engine.makeWorkspace(antennaCount: array.positions.count))
    engines[array] = made
    return made
  }
}
