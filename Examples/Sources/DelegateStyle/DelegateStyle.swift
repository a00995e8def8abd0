// An app in the older style: one delegate on the main actor for all of its sessions, and what it does about a suspension.

import NearbySession
import NearbySimulation

@MainActor
final class Screen: NearbySessionDelegate {
  private(set) var updates = 0
  private(set) var wasSuspended = false
  private(set) var isOver = false

  func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {
    for object in nearbyObjects {
      updates += 1
      guard updates.isMultiple(of: 5), let distance = object.distance else { continue }
      print("\(distance) m, \(object.horizontalAngle.map { "\($0) rad" } ?? "no direction")")
    }
  }

  func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) {
    print("removed: \(reason)")
    guard reason == .timeout, let configuration = session.configuration else { return }
    try? session.run(configuration)
  }

  func sessionWasSuspended(_ session: NearbySession) {
    print("suspended")
    wasSuspended = true
  }

  func sessionSuspensionEnded(_ session: NearbySession) {
    // Nothing resumes by itself; the tokens are still good.
    guard let configuration = session.configuration else { return }
    try? session.run(configuration)
    print("running again")
  }

  func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {
    print("over: \(error)")
    isOver = true
  }
}

@main
@MainActor
struct DelegateStyle {
  static func main() async throws {
    var scenario = RoomScenario(name: "delegate", duration: 3)
    scenario.devices = [
      RoomScenario.Device(
        name: "phone", motion: RoomScenario.Motion(.still(.zero)), facing: RoomScenario.Facing(.peer("other"))),
      RoomScenario.Device(
        name: "other", motion: RoomScenario.Motion(.waypoints([SIMD4(0, -1, 0, -2), SIMD4(3, 1, 0, -2)])),
        facing: RoomScenario.Facing(.peer("phone"))),
    ]
    let room = try SimulatedRoom(scenario)
    guard let host = room.host(of: "phone"), let otherHost = room.host(of: "other") else { return }
    let session = NearbySession(host: host)
    let other = NearbySession(host: otherHost)
    guard let token = session.discoveryToken, let otherToken = other.discoveryToken else { return }

    let screen = Screen()
    session.delegateQueue = .main
    session.delegate = screen
    try session.run(NearbyPeerConfiguration(peerToken: otherToken))
    try other.run(NearbyPeerConfiguration(peerToken: token))

    await room.run(until: 1, speed: 4)
    host.setApplicationState(.background)
    await room.run(until: 2, speed: 4)
    host.setApplicationState(.foreground)
    await room.run(until: 3, speed: 4)
    session.invalidate()
    while !screen.isOver { await Task.yield() }
    precondition(screen.updates > 5 && screen.wasSuspended)
  }
}
