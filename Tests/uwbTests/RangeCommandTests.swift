import Foundation
import NearbyPorts
import NearbyUCI
import NearbyUCIRadio
import TestSupport
import Testing
import UWBPlatform

/// `uwb range` against a simulated radio.
@Suite struct RangeCommandTests {
  /// A chip on a socket, on a thread of its own, until the test ends.
  private final class Radio {
    let server: SimulatedChipServer
    let place: String

    init() throws {
      place = "unix:/tmp/uwb-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
      let server = SimulatedChipServer(at: .listening(try PortAddress(place))) {
        SimulatedChip { round in
          var measured = TwoWayMeasurement()
          measured.rawDistance = UInt16(200 + round.sequence % 5)
          measured.azimuth = UCIAngle(degrees: 20, figureOfMerit: 100)
          measured.elevation = UCIAngle(degrees: 0, figureOfMerit: 100)
          if round.sequence % 4 == 3 { measured.status = .receptionTimeout }
          return measured
        }
      }
      self.server = server
      let started = DispatchSemaphore(value: 0)
      try PortThread.start {
        try? server.run { _ in started.signal() }
        started.signal()
      }
      // Without a place to listen at, too: what the test asks for then fails.
      started.wait()
    }

    /// To be called at a test's end, which keeps the radio until then.
    func close() { server.close() }
  }

  @Test("rounds as events, so many as asked for; the recording replays to the same bytes")
  func recording() throws {
    let radio = try Radio()
    defer { radio.close() }
    let folder = try TemporaryFolder()
    let record = folder.path("walk.pcapng")
    let live = try UwbProcess.run("range", radio.place, "--rate", "200", "--count", "12", "--record", record)
    #expect(live.status == 0, "\(live.errors)")
    #expect(live.lines.count { $0.contains(#""event":"update""#) } == 9)
    #expect(live.lines.count { $0.contains(#""event":"rejected""#) } == 3)
    #expect(live.lines.last?.contains(#""exchanges":12,"updates":9"#) == true)
    let event = try #require(try live.events().first)
    #expect(event["chip_distance_m"] as? Double == 2 && event["chip_azimuth_deg"] as? Double == 20)
    #expect(try UwbProcess.run("replay", record).output == live.output)
  }

  @Test("Ctrl-C stops the radio and ends the output in order")
  func interrupted() throws {
    let radio = try Radio()
    defer { radio.close() }
    let running = try RunningUwb(["range", radio.place, "--rate", "100"])
    for _ in 0..<5 { _ = try #require(running.line()) }
    running.send(SIGINT)
    let rest = running.rest()
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 130)
    #expect(rest.last?.contains(#""event":"summary""#) == true)
  }

  @Test("an unplugged radio is waited for, and ranges on")
  func unplugged() throws {
    let radio = try Radio()
    defer { radio.close() }
    let running = try RunningUwb(["range", radio.place, "--rate", "100"])
    for _ in 0..<3 {
      for _ in 0..<5 { _ = try #require(running.line()) }
      radio.server.unplug()
      try eventually("unplugged") { radio.server.path == nil }
      radio.server.plug()
    }
    running.send(SIGINT)
    #expect(running.rest().last?.contains(#""skipped_input":{}"#) == true)
    running.process.waitUntilExit()
  }

  @Test("an accessory's shareable data gives session, peer and pace")
  func accessory() throws {
    let radio = try Radio()
    defer { radio.close() }
    let shareable = "0B010001001945554F4F00000B090600100EB400031BAF75655238D891C800"
    let run = try UwbProcess.run("range", radio.place, "--count", "1", "--accessory", shareable)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try run.events().first?["peer"] as? String == "91d8")
  }

  @Test(
    "mistakes are told with their place and remedy",
    arguments: [
      (["/dev/null"], Int32(1), "not a serial device"), (["unix:/nonexistent/radio"], 1, "can't connect"),
      (["tcp:host"], 64, "tcp:HOST:PORT"), (["/dev/null", "--param", "nothing=1"], 64, "ranging-interval"),
      (["/dev/null", "--param", "hopping=256"], 64, "from 0 to 255"),
      (["/dev/null", "--peer", "12345"], 64, "short address"),
      (["/dev/null", "--accessory", "01"], 1, "accessory"),
      (["/dev/null", "--accessory", "01", "--session", "1"], 64, "--session"),
    ])
  func mistakes(arguments: [String], status: Int32, text: String) throws {
    let run = try UwbProcess.run(["range"] + arguments)
    #expect(run.status == status && run.errors.contains(text), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test("a parameter that the radio refuses is named, and ends the program with status 1")
  func refused() throws {
    let radio = try Radio()
    defer { radio.close() }
    let run = try UwbProcess.run("range", radio.place, "--channel", "3")
    #expect(run.status == 1 && run.errors.contains("4 with status 5"), "\(run.errors)")
  }

  @Test("a radio simulated by the program itself, in a scenario's room: distances near the truth, on a pseudo-terminal")
  func simulated() throws {
    let folder = try TemporaryFolder()
    let scenario = folder.path("room.yaml")
    try """
    name: still
    duration_s: 10
    devices:
      - {name: a, motion: {position_m: [0, 1, 0]}, facing: {yaw_deg: 0}, sessions: [b]}
      - {name: b, motion: {position_m: [0, 1, -3]}, facing: {yaw_deg: 0}, sessions: [a]}
    """.write(toFile: scenario, atomically: true, encoding: .utf8)
    let radio = try RunningUwb(["radio", "simulate", "--scenario", scenario])
    let path = try #require(radio.line())
    let run = try UwbProcess.run("range", String(path), "--rate", "100", "--count", "20")
    #expect(run.status == 0, "\(run.errors)")
    let distances = try run.events().compactMap { $0["raw_distance_m"] as? Double }
    // Twenty draws with a deviation of 5 cm: none is six of them away.
    #expect(distances.count == 20 && distances.allSatisfy { abs($0 - 3) < 0.3 })
    #expect(try run.events().compactMap { $0["chip_azimuth_deg"] as? Double }.allSatisfy { abs($0) < 12 })
    radio.send(SIGINT)
    _ = radio.rest()
    radio.process.waitUntilExit()
  }

  @Test(
    "windows of impulse responses: line of sight that the radio left open, live, replayed and converted",
    arguments: ["android", "qorvo"])
  func diagnostics(layout: String) throws {
    let folder = try TemporaryFolder()
    let radio = try RunningUwb(["radio", "simulate", "--pty", "--diagnostics", layout, "--window-taps", "64"])
    let path = try #require(radio.line())
    let record = folder.path("walk.pcapng")
    let live = try UwbProcess.run(
      "range", String(path), "--rate", "50", "--count", "12", "--record", record, "--param", "qorvo-diagnostics=1")
    radio.send(SIGINT)
    _ = radio.rest()
    radio.process.waitUntilExit()
    #expect(live.status == 0, "\(live.errors)")
    let updates = try live.events().filter { $0["event"] as? String == "update" }
    #expect(updates.count == 12 && updates.allSatisfy { $0["line_of_sight_probability"] is Double })
    #expect(live.lines.last?.contains(#""skipped_input":{}"#) == true, "\(live.lines.last ?? "")")
    #expect(try UwbProcess.run("replay", record).output == live.output)

    for (name, format) in [("walk.ndjson", "ndjson"), ("walk.sigmf-meta", "sigmf"), ("walk.npy", "npy")] {
      let converted = folder.path(name)
      let run = try UwbProcess.run("convert", record, converted)
      #expect(run.status == 0 && run.errors.contains("12 exchanges, 12 CIRs"), "\(run.errors)")
      let info = try UwbProcess.run("info", converted)
      #expect(info.status == 0 && info.output.contains("64"), "\(format): \(info.output)\(info.errors)")
    }
  }

  @Test("rounds that failed have a reason of their own")
  func failedRounds() throws {
    let radio = try Radio()
    defer { radio.close() }
    let run = try UwbProcess.run("range", radio.place, "--rate", "200", "--count", "4")
    let rejected = try run.events().filter { $0["event"] as? String == "rejected" }
    #expect(rejected.map { $0["reason"] as? String } == ["failedRound"])
  }
}
