import Foundation
import NearbyPorts
import Testing

/// `uwb serve`, by its address.
@Suite(.timeLimit(.minutes(3))) struct ServeCommandTests {
  private func port(_ server: RunningUwb) throws -> UInt16 {
    let line = try #require(server.line())
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    #expect(object["event"] == "listening")
    let address = try #require(object["address"].flatMap { URL(string: $0) })
    #expect(address.host() == "127.0.0.1")
    return UInt16(try #require(address.port))
  }

  /// One answer to its end.
  private func get(_ path: String, _ port: UInt16, headers: String = "") throws -> String {
    let connection = try BytePort.open(.tcp(host: "127.0.0.1", port: port))
    defer { connection.close() }
    try connection.send(Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(headers)\r\n".utf8))
    return try rest(of: connection)
  }

  /// All that comes until the other end closes.
  private func rest(of connection: BytePort) throws -> String {
    var bytes: [UInt8] = []
    do {
      while true {
        let more = try connection.receive(timeout: 60)
        try #require(!more.isEmpty, "nothing for a minute")
        bytes += more
      }
    } catch PortError.disconnected {}
    return String(decoding: bytes, as: UTF8.self)
  }

  private func lines(_ answer: String) -> [String] {
    answer.utf8.split(separator: UInt8(ascii: "\n")).filter { $0.first == UInt8(ascii: "{") }.map { String($0) ?? "" }
  }

  private func capture(in folder: TemporaryFolder) throws -> String {
    let made = try UwbProcess.run("simulate", "still", "--out", folder.path("still"))
    #expect(made.status == 0, "\(made.errors)")
    let converted = try UwbProcess.run("convert", folder.path("still.sigmf-meta"), folder.path("still.ndjson"))
    #expect(converted.status == 0, "\(converted.errors)")
    return folder.path("still.ndjson")
  }

  @Test("a pipe's events are those of replay, byte for byte; the page stays after the end; Ctrl-C ends it")
  func pipe() throws {
    let folder = try TemporaryFolder()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: try capture(in: folder)))
    let server = try RunningUwb(["serve", "-", "--port", "0"])
    let port = try port(server)
    let connection = try BytePort.open(.tcp(host: "127.0.0.1", port: port))
    try connection.send(Array("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    try eventually("nobody reads") { try get("/metrics", port).contains("uwb_clients{stream=\"events\"} 1") }
    try server.input.write(contentsOf: bytes)
    try server.input.close()
    let received = try rest(of: connection)
    let replayed = try UwbProcess.run("replay", "-", input: bytes)
    #expect(lines(received) == replayed.lines.map(String.init))
    let metrics = try get("/metrics", port)
    #expect(metrics.contains("uwb_ended 1"))
    let summary = try #require(try replayed.events().last)
    #expect(metrics.contains("\nuwb_exchanges_total \(try #require(summary["exchanges"] as? Int))\n"))
    #expect(metrics.contains("\nuwb_updates_total \(try #require(summary["updates"] as? Int))\n"))
    #expect(try get("/", port).contains("<title>UWB live</title>"))
    #expect(try get("/events", port, headers: "Origin: http://evil.example\r\n").contains(" 403 "))
    server.send(SIGINT)
    server.process.waitUntilExit()
    #expect(server.process.terminationReason == .exit && server.process.terminationStatus == 130)
  }

  @Test("a room's pages see its peers, each device's own")
  func room() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("room.yaml")
    try """
    name: pair
    duration_s: 600
    rate_hz: 50
    devices:
      - {name: a, motion: {position_m: [0, 0, 0]}, facing: {peer: b}, sessions: [b]}
      - {name: b, motion: {position_m: [0, 0, -2]}, facing: {peer: a}, sessions: [a]}
    """.write(toFile: path, atomically: true, encoding: .utf8)
    let server = try RunningUwb(["serve", path, "--port", "0", "--device", "b"])
    let port = try port(server)
    for (query, peer) in [("", "a"), ("?device=a", "b")] {
      let connection = try BytePort.open(.tcp(host: "127.0.0.1", port: port))
      try connection.send(Array("GET /live\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
      var text = ""
      let wanted = "\"peer\":\"\(peer)\""
      while !(text.contains(wanted) && text.contains("\"distance_m\":") && text.contains("\"impulse_response\":")) {
        text += String(decoding: try connection.receive(timeout: 60), as: UTF8.self)
      }
      connection.close()
    }
    server.send(SIGTERM)
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 130)
  }

  @Test("--exit-at-end ends with the stream; a capture that breaks off says why")
  func ends() throws {
    let folder = try TemporaryFolder()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: try capture(in: folder)))
    let whole = try UwbProcess.run(["serve", "-", "--port", "0", "--exit-at-end"], input: bytes)
    #expect(whole.status == 0, "\(whole.errors)")
    let nothing = try UwbProcess.run(["serve", "-", "--port", "0", "--exit-at-end"], input: Data("nonsense\n".utf8))
    #expect(nothing.status == 1 && !nothing.errors.isEmpty)
  }

  @Test("mistakes are told with their remedy, before anything listens")
  func mistakes() throws {
    let folder = try TemporaryFolder()
    for (arguments, status, text) in [
      (["serve"], 64, "source"), (["serve", folder.path("none.log")], 1, "none.log"),
      (["serve", folder.path("none.yaml")], 1, "none.yaml"), (["serve", "tcp:nowhere"], 64, "tcp:HOST:PORT"),
      (["serve", "-", "--port", "65536"], 64, "65535"), (["serve", "x.log", "--device", "a"], 64, "--device"),
      (["serve", "--describe", "home-assistant", "--topic", "a#b"], 64, "topic"),
      (["serve", "-", "--describe", "home-assistant"], 64, "--describe"),
    ] as [([String], Int32, String)] {
      let run = try UwbProcess.run(arguments)
      #expect(run.status == status && run.errors.contains(text), "\(arguments): \(run.status) \(run.errors)")
      #expect(run.output.isEmpty)
    }
    let listener = try PortListener(.tcp(host: "127.0.0.1", port: 0))
    guard case .tcp(_, let port) = listener.address else { return }
    let taken = try UwbProcess.run("serve", "-", "--port", "\(port)")
    #expect(taken.status == 1 && taken.errors.contains("--port"), "\(taken.errors)")
    listener.close()
  }

  @Test("the message for Home Assistant is one line of JSON with two sensors a peer")
  func homeAssistant() throws {
    let run = try UwbProcess.run(
      "serve", "--describe", "home-assistant", "--peer", "0001", "--peer", "a2", "--topic", "home/uwb")
    #expect(run.status == 0 && run.lines.count == 1, "\(run.errors)")
    let message = try #require(try run.events().first)
    #expect(message["state_topic"] as? String == "home/uwb")
    let components = try #require(message["components"] as? [String: [String: Any]])
    #expect(
      components.keys.sorted() == ["uwb_0001_azimuth", "uwb_0001_distance", "uwb_00a2_azimuth", "uwb_00a2_distance"])
    let distance = try #require(components["uwb_00a2_distance"])
    #expect(distance["unit_of_measurement"] as? String == "m" && distance["platform"] as? String == "sensor")
    #expect((distance["value_template"] as? String)?.contains("value_json.peer == '00a2'") == true)
    #expect(try UwbProcess.run("serve", "--describe", "home-assistant").output.contains("\"uwb_distance\""))
  }
}
