// Code written for Apple's framework (`Finder`), in a simulated room: two users find each other, and one finds an accessory.

import Finder
import Foundation
import NearbyInteractionNames
import NearbySession
import NearbySimulation

@main
@MainActor
struct FrameworkNames {
  static func main() async throws {
    let room = try SimulatedRoom(scenario)
    guard let host = room.host(of: "phone"), let otherHost = room.host(of: "other") else { return }
    // Once, where the app starts: the device that `NISession()` belongs to.
    NISession.host = host
    print(PeerFinder.advice)

    // Both apps' transport: what one sends the other receives.
    var (sent, received): ([Data], [Data]) = ([], [])
    let finder = PeerFinder { sent.append($0) }
    let other = PeerFinder {
      received.append($0)
    } makeSession: {
      NISession(host: otherHost)
    }
    for data in sent { other.receive(data) }
    for data in received { finder.receive(data) }

    let keys = AccessoryFinder()
    for answer in try room.send(AccessoryMessage.initialize.bytes, to: "keys") {
      keys.setUp(Data(answer.dropFirst()), name: "keys") { data in
        _ = try? room.send([0x0B] + data, to: "keys")
      }
    }

    await room.run(until: 1.5, speed: 2)
    host.setApplicationState(.background)
    await room.run(until: 2, speed: 2)
    host.setApplicationState(.foreground)
    let updates = finder.updates
    await room.run(until: 3.5, speed: 2)
    print("friend: \(finder.distanceToPeer ?? .nan) m, to the \(finder.directionAngle > 0 ? "right" : "left")")
    print("keys: \(keys.distances["keys"] ?? .nan) m")
    precondition(updates > 0 && finder.updates > updates && finder.isDirectionAvailable)
    precondition(finder.directionAngle > 0)
    precondition(keys.distances["keys"] != nil)
    finder.stop()
    await room.run(until: 4, speed: 2)
    precondition(finder.starts == 1, "the user stopped it")
    precondition(other.isConnectionLost)
  }

  private static var scenario: RoomScenario {
    var scenario = RoomScenario(name: "framework names", duration: 4)
    scenario.devices = [
      RoomScenario.Device(
        name: "phone", motion: RoomScenario.Motion(.still(.zero)),
        facing: RoomScenario.Facing(.angles(yawdeg: 0, pitchdeg: 0, turndeg: 0))),
      RoomScenario.Device(
        name: "other", motion: RoomScenario.Motion(.still(SIMD3(0.5, 0, -2))),
        facing: RoomScenario.Facing(.peer("phone"))),
    ]
    scenario.accessories = [
      RoomScenario.Accessory(
        name: "keys", motion: RoomScenario.Motion(.still(SIMD3(-0.5, 0, -1.5))), updateRate: .userInteractive)
    ]
    return scenario
  }
}
