// Two devices in one process, with a simulated radio between them: tokens are exchanged, both run, both are told.

import NearbySession
import NearbySimulation

@main
struct TwoSessions {
  static func main() throws {
    // A room 3 m apart, each facing the other.
    var scenario = RoomScenario(name: "two sessions", duration: 2, rate: 5)
    scenario.devices = [
      RoomScenario.Device(
        name: "anna", motion: RoomScenario.Motion(.still(SIMD3(0, 1.2, 0))),
        facing: RoomScenario.Facing(.peer("bert"))),
      RoomScenario.Device(
        name: "bert", motion: RoomScenario.Motion(.still(SIMD3(1, 1.2, -3))),
        facing: RoomScenario.Facing(.peer("anna"))),
    ]
    let room = try SimulatedRoom(scenario)
    guard let annasHost = room.host(of: "anna"), let bertsHost = room.host(of: "bert") else { return }

    let anna = NearbySession(host: annasHost)
    let bert = NearbySession(host: bertsHost)
    let annasEvents = anna.events
    let bertsEvents = bert.events

    // Each app sends its token to the other over a transport of its own, as bytes.
    guard let annasToken = anna.discoveryToken?.encoded, let bertsToken = bert.discoveryToken?.encoded else { return }
    try anna.run(NearbyPeerConfiguration(peerToken: DiscoveryToken(encoded: bertsToken)))
    try bert.run(NearbyPeerConfiguration(peerToken: DiscoveryToken(encoded: annasToken)))

    var updates = 0
    for second in 1...2 {
      room.advance(to: Double(second))
      for (name, events) in [("anna", annasEvents), ("bert", bertsEvents)] {
        while let event = try events.takeReady() {
          guard case .updated(let objects) = event, let distance = objects.first?.distance else { continue }
          print("\(name) after \(second) s: \(distance) m, direction \(objects.first?.direction ?? .zero)")
          updates += 1
        }
      }
    }
    precondition(updates == 4, "each end is told the newest update once a second")
  }
}
