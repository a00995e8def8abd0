import NearbySession
import UWBSimulation

/// Who ranges with whom.
extension SimulatedRoom {
  /// Links that rest and are remembered, so that they go on where they were.
  private static let idleLinkLimit = 1000

  /// Tells peers of ended sessions, where the notice arrives, and notes that links have changed.
  func drainNotices() {
    for index in ends.indices {
      while let change = ends[index].linkChanges?.takeReady() {
        linksAreStale = true
        guard case .ended(let token) = change, !ends[index].isOff else { continue }
        for other in ends.indices where other != index && !ends[other].isOff {
          guard let host = ends[other].host,
            !lost.contains(where: { $0.areNotices && $0.holds(index, other, at: time) })
          else { continue }
          host.peerEnded(token)
        }
      }
    }
  }

  func refreshLinks() {
    linksAreStale = false
    order.removeAll()
    let running = ends.indices.filter { !ends[$0].isOff }.flatMap { index in ends[index].links.map { (index, $0) } }
    let byToken = Dictionary(grouping: running) { $0.1.localToken }
    for (index, link) in running {
      if let others = byToken[link.peerToken] {
        guard let (other, theirs) = others.first(where: { $0.1.isMutual(with: link) }) else { continue }
        let key = RoomLink.Key(local: index, peer: other, link: link)
        activate(key, period: 1 / scenario.rate)
        links[key]?.hasCommonKeys =
          ends[index].parameters(of: link)?.mirrored == ends[other].parameters(of: theirs)
      } else if let accessory = accessory(for: link), let period = ends[accessory].accessory?.period {
        activate(RoomLink.Key(local: index, peer: accessory, link: link), period: period)
      }
    }
    let active = Set(order.map(\.key))
    if links.count > 4 * order.count + Self.idleLinkLimit { links = links.filter { active.contains($0.key) } }
  }

  /// The accessory that ranges with this end.
  private func accessory(for link: RangingLink) -> Int? {
    guard link.peerToken.kind == .accessory else { return nil }
    return ends.firstIndex { end in
      guard !end.isOff, let accessory = end.accessory, let ranging = accessory.ranging else { return false }
      return accessory.configuration.address == link.peerAddress
        && UInt64(ranging.destinationAddress) == link.localAddress.rawValue
    }
  }

  private func activate(_ key: RoomLink.Key, period: Double) {
    let link: RoomLink
    if let known = links[key], known.period == period {
      link = known
    } else {
      // Successive multiples of the golden ratio spread any number of links over a period.
      let phase = (Double(linkCount + 1) * 0.618_033_988_749_894_9).truncatingRemainder(dividingBy: 1)
      link = RoomLink(
        key, simulator: simulator(key, period: period, firstTime: phase * period, number: linkCount), period: period,
        firstTime: phase * period)
      linkCount += 1
      links[key] = link
    }
    link.skip(to: time)
    order.append(link)
  }

  private func simulator(
    _ key: RoomLink.Key, period: Double, firstTime: Double, number: Int
  ) -> ExchangeSimulator {
    let local = plan.nodes[key.local]
    let peer = plan.nodes[key.peer]
    var configuration = ExchangeConfiguration(
      profile: .ideal, array: local.array, peerTrajectory: peer.motion.trajectory, exchangeCount: .max)
    configuration.localMotion = local.motion
    configuration.surroundings = plan.surroundings
    configuration.rate = 1 / period
    configuration.firstTime = firstTime
    configuration.localClock = local.clock
    configuration.peerClock = peer.clock
    configuration.snrAtOneMetredB = scenario.radio.snrAtOneMetredB
    configuration.bodyLossdB = local.array.positions.count >= 2 ? scenario.radio.bodyLossdB : 0
    // Full scale at 5 cm: what a gain control does for radios that come that near.
    configuration.quantisation = scenario.radio.isQuantised ? .fullScale(20) : nil
    configuration.peer = key.link.peerAddress
    configuration.local = key.link.localAddress
    var generator = SeededGenerator(seed: scenario.seed, stream: 4 << 32 | UInt64(number))
    return ExchangeSimulator(configuration, seed: generator.next())
  }
}
