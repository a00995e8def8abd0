// An app in the newer style: a task for each session reads its stream, which ends with the error that ended the session.

import NearbySession
import NearbySimulation

@main
struct AsyncStyle {
  static func main() async throws {
    var scenario = RoomScenario(name: "async", duration: 2)
    scenario.devices = [
      RoomScenario.Device(
        name: "phone", motion: RoomScenario.Motion(.still(.zero)), facing: RoomScenario.Facing(.peer("other"))),
      RoomScenario.Device(
        name: "other", motion: RoomScenario.Motion(.waypoints([SIMD4(0, 0, 0, -4), SIMD4(2, 0, 0, -2)])),
        facing: RoomScenario.Facing(.peer("phone"))),
    ]
    let room = try SimulatedRoom(scenario)
    guard let host = room.host(of: "phone"), let otherHost = room.host(of: "other") else { return }
    let session = NearbySession(host: host)
    let other = NearbySession(host: otherHost)
    guard let token = session.discoveryToken, let otherToken = other.discoveryToken else { return }

    // Subscribe before running, so that nothing is missed.
    let events = session.events
    let reader = Task {
      var updates = 0
      do throws(NearbyError) {
        for try await event in events {
          switch event {
          case .started: print("started")
          case .updated(let objects):
            updates += 1
            if updates.isMultiple(of: 5), let distance = objects.first?.distance { print("\(distance) m") }
          case .removed(_, let reason): print("removed: \(reason)")
          case .suspended, .suspensionEnded, .generatedShareableConfiguration, .convergence: break
          }
        }
      } catch {
        print("over: \(error.code)")
      }
      return updates
    }
    try session.run(NearbyPeerConfiguration(peerToken: otherToken))
    try other.run(NearbyPeerConfiguration(peerToken: token))
    await room.run(until: 1.5, speed: 4)
    other.invalidate()
    await room.run(until: 2, speed: 4)
    session.invalidate()
    let updates = await reader.value
    precondition(updates > 5)
  }
}
