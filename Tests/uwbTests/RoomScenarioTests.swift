import Foundation
import NearbySimulation
import Testing
import uwb

@Suite struct RoomScenarioTests {
  private static let pair = """
    name: pair
    duration_s: 1
    rate_hz: 5
    devices:
      - {name: a, motion: {position_m: [0, 0, 0]}, facing: {peer: b}, sessions: [b]}
      - {name: b, motion: {position_m: [0, 0, -2]}, facing: {peer: a}, sessions: [a], antennas: single}
    events:
      - {at_s: 0.9, device: b, do: leave}
    expect:
      - {device: a, peer: b, event: peer-ended, at_s: 0.9}
    """

  private static func file(_ text: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("scenario.yaml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("every scenario that ships can be read")
  func shipped() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Scenarios")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    #expect(files.count == 5)
    for file in files {
      let scenario = try ScenarioFile.read(folder.appending(path: file).path)
      #expect(!scenario.expectations.isEmpty, "\(file)")
      _ = try SimulatedRoom(scenario)
    }
  }

  @Test("simulate --live prints what each delegate is told, and the table holds it against the truth")
  func live() throws {
    let folder = try TemporaryFolder()
    let path = try Self.file(Self.pair, in: folder)
    let live = try UwbProcess.run("simulate", path, "--live")
    #expect(live.status == 0, "\(live.errors)")
    let events = try live.events()
    let updates = events.filter { $0["event"] as? String == "updated" }
    #expect(updates.count >= 8)
    for update in updates {
      let distance = try #require(update["distance_m"] as? Double)
      #expect(abs(distance - 2) < 0.15)
      let hasDirection = update["direction"] is [Any]
      #expect(hasDirection == (update["device"] as? String == "a"))
    }
    #expect(events.contains { $0["event"] as? String == "removed" && $0["reason"] as? String == "peerEnded" })
    #expect(try UwbProcess.run("simulate", path, "--live").output == live.output)

    let table = try UwbProcess.run("evaluate", "scenarios", path, "--output", "ndjson")
    #expect(table.status == 0, "\(table.errors)")
    let row = try #require(try table.events().first)
    #expect(row["events_in_time"] as? Int == 1)
    #expect(row["updates"] as? Int == updates.count)
    #expect(row["given_against_rule"] as? Int == 0)
  }

  @Test("one device's exchanges as a capture: replay gives the distances with their truth")
  func capture() throws {
    let folder = try TemporaryFolder()
    let path = try Self.file(Self.pair, in: folder)
    let made = try UwbProcess.run("simulate", path, "--out", folder.path("a"), "--device", "a")
    #expect(made.status == 0, "\(made.errors)")
    let replayed = try UwbProcess.run("replay", folder.path("a.sigmf-meta"))
    let updates = try replayed.events().filter { $0["event"] as? String == "update" }
    #expect(updates.count >= 4)
    #expect(updates.allSatisfy { abs(($0["true_distance_m"] as? Double ?? 0) - 2) < 1e-6 })
  }

  @Test(
    "what is wrong with a file is named with its place",
    arguments: [
      ("name: pair", "nme: pair", "nme"), ("duration_s: 1\n", "", "duration_s"),
      ("duration_s: 1\n", "duration_s: soon\n", "duration_s"), ("sessions: [b]", "sessions: [c]", "devices.a.sessions"),
      ("do: leave", "do: explode", "events[0].do"),
      ("position_m: [0, 0, 0]", "position_m: [0, 0]", "devices[0].motion"),
      ("name: pair", "name: [", "line 3, column 8"),
    ])
  func wrong(_ old: String, _ new: String, _ place: String) throws {
    let folder = try TemporaryFolder()
    let path = try Self.file(Self.pair.replacingOccurrences(of: old, with: new), in: folder)
    let live = try UwbProcess.run("simulate", path, "--live")
    #expect(live.status == 1)
    #expect(live.errors.contains(path), "\(live.errors)")
    #expect(live.errors.contains(place), "\(live.errors)")
  }

  @Test("an expected event that does not come fails the evaluation and is named")
  func late() throws {
    let folder = try TemporaryFolder()
    let path = try Self.file(Self.pair.replacingOccurrences(of: "at_s: 0.9}", with: "at_s: 0.3}"), in: folder)
    let table = try UwbProcess.run("evaluate", "scenarios", path)
    #expect(table.status == 1)
    #expect(table.errors.contains("peer-ended at 0.3"))
  }
}
