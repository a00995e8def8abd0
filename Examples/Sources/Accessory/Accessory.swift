// An app and an accessory: the messages of the handshake, then ranging at the accessory's pace.

import NearbySession
import NearbySimulation

@main
struct Accessory {
  static func main() throws {
    var scenario = RoomScenario(name: "accessory", duration: 3)
    scenario.devices = [
      RoomScenario.Device(
        name: "phone", motion: RoomScenario.Motion(.still(SIMD3(0, 1, 0))), facing: RoomScenario.Facing(.peer("keys")))
    ]
    scenario.accessories = [
      RoomScenario.Accessory(
        name: "keys", motion: RoomScenario.Motion(.still(SIMD3(0.5, 0.8, -2))), updateRate: .userInteractive)
    ]
    let room = try SimulatedRoom(scenario)
    guard let host = room.host(of: "phone") else { return }

    // `room.send` stands for a Bluetooth characteristic: a message there, the answers back.
    guard let told = try room.send(AccessoryMessage.initialize.bytes, to: "keys").first,
      case .configurationData(let data) = try AccessoryMessage(bytes: told)
    else { return }
    let session = NearbySession(host: host)
    let events = session.events
    try session.run(NearbyAccessoryConfiguration(data: data.data))

    var updates = 0
    for tenth in 1...30 {
      while let event = try events.takeReady() {
        switch event {
        case .generatedShareableConfiguration(let data, _):
          // To the accessory as it is, behind the id of its message.
          let answers = try room.send([0x0B] + data, to: "keys")
          print("the accessory answers \(try answers.map { try AccessoryMessage(bytes: $0) })")
        case .updated(let objects):
          updates += 1
          if let distance = objects.first?.distance { print("\(distance) m") }
        case .started, .removed, .suspended, .suspensionEnded, .convergence:
          break
        }
      }
      room.advance(to: Double(tenth) / 10)
    }
    _ = try room.send(AccessoryMessage.stop.bytes, to: "keys")
    precondition(updates >= 12)
  }
}
