import Foundation
import NearbyPorts
import NearbyRoom
import NearbySession
import Testing

@Suite(.timeLimit(.minutes(2))) struct RoomCommandTests {
  private static let room = """
    name: pair
    duration_s: 1
    rate_hz: 50
    devices:
      - {name: a, motion: {position_m: [0, 0, 0]}, facing: {peer: b}}
      - {name: b, motion: {position_m: [0, 0, -2]}, facing: {peer: a}}
    """

  private func event(_ line: String?) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(try #require(line).utf8))
    return try #require(object as? [String: Any])
  }

  private func file(in folder: TemporaryFolder) throws -> String {
    let path = folder.path("room.yaml")
    try Self.room.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(
    "R41 apps join a served room by its address and range; who comes and goes is printed", arguments: ["unix", "tcp"])
  func serve(kind: String) async throws {
    let folder = try TemporaryFolder()
    let listen = kind == "unix" ? "unix:\(folder.path("room"))" : "tcp:127.0.0.1:0"
    let server = try RunningUwb(["room", "serve", try file(in: folder), "--listen", listen])
    let listening = try event(server.line())
    #expect(listening["event"] as? String == "listening")
    let address = try PortAddress(try #require(listening["address"] as? String))
    var hosts: [NearbyHost] = []
    for device in ["a", "b"] {
      let radio = try await RemoteRoom.join(address, as: device)
      hosts.append(NearbyHost(radio: radio, permission: .granted))
      let joined = try event(server.line())
      #expect(joined["event"] as? String == "joined" && joined["device"] as? String == device)
    }
    let sessions = hosts.map { NearbySession(host: $0) }
    let events = sessions.map(\.events)
    let tokens = try sessions.map { try #require($0.discoveryToken) }
    for (session, token) in zip(sessions, tokens.reversed()) {
      try session.run(NearbyPeerConfiguration(peerToken: token))
    }
    for stream in events {
      var distance: Double?
      for try await event in stream {
        if case .updated(let objects) = event { distance = objects.first?.distance }
        if distance != nil { break }
      }
      let heard = try #require(distance)
      #expect(abs(heard - 2) < 0.1)
    }
    server.kill()
    for stream in events {
      for try await event in stream where event == .suspended { break }
    }
    withExtendedLifetime((sessions, hosts)) {}
  }

  @Test("an address that can't be listened on, or is none, is refused with its remedy")
  func mistakes() throws {
    let folder = try TemporaryFolder()
    let path = try file(in: folder)
    let bad = try UwbProcess.run("room", "serve", path, "--listen", "tcp:nowhere")
    #expect(bad.status != 0 && bad.errors.contains("tcp:HOST:PORT"), "\(bad.errors)")
    let serial = try UwbProcess.run("room", "serve", path, "--listen", "/dev/null")
    #expect(serial.status != 0 && serial.errors.contains("unix:PATH"), "\(serial.errors)")
    let missing = try UwbProcess.run("room", "serve", folder.path("none.yaml"), "--listen", "tcp:127.0.0.1:0")
    #expect(missing.status == 1 && missing.errors.contains("none.yaml"), "\(missing.errors)")
  }
}
