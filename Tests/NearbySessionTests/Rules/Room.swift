import NearbySession
import UWBDSP

/// Hosts in one room with a radio between them that does what a radio must: it ranges a pair while both ends run with
/// each other's tokens, and tells a peer that a session has ended.
final class Room {
  let clock = NearbyManualClock()
  private(set) var hosts: [NearbyHost] = []

  func makeHost(
    _ settings: NearbySettings = NearbySettings(), capabilities: DeviceCapabilities = .all,
    permission: NearbyPermission = .granted, request: NearbyPermissionRequest? = nil
  ) -> NearbyHost {
    let host = NearbyHost(
      settings: settings, deviceCapabilities: capabilities, clock: clock, permission: permission, request: request,
      tokens: .seeded(UInt64(hosts.count) + 1))
    hosts.append(host)
    return host
  }

  /// Ranges every pair that can; returns how many measurements were made.
  @discardableResult
  func range(distance: Double = 1) -> Int {
    let links = hosts.flatMap { host in host.links.map { (host, $0) } }
    var count = 0
    for (host, link) in links where links.contains(where: { $0.1.isMutual(with: link) }) {
      host.deliver(
        RangingMeasurement(
          exchange: count, time: clock.now, peer: link.peerAddress, status: .ok, distance: distance,
          direction: SIMD3(0, 0, -1)))
      count += 1
    }
    return count
  }
}

/// Everything that a stream still gives, and the error that ends it.
func drain(_ events: NearbySessionEvents) async -> (events: [NearbySessionEvent], error: NearbyError?) {
  var seen: [NearbySessionEvent] = []
  do throws(NearbyError) {
    for try await event in events { seen.append(event) }
    return (seen, nil)
  } catch {
    return (seen, error)
  }
}

extension NearbySession {
  /// The token of a session that is valid.
  var liveToken: DiscoveryToken {
    get throws {
      struct Invalid: Error {}
      guard let discoveryToken else { throw Invalid() }
      return discoveryToken
    }
  }

  func run(with peer: NearbySession) throws {
    try run(NearbyPeerConfiguration(peerToken: peer.liveToken))
  }
}
