import Foundation
import Testing

@Suite("command line")
struct CommandLineTests {
  /// A small simulated capture, made once.
  private static func walk(_ folder: TemporaryFolder, seed: Int = 1) throws -> String {
    let run = try UwbProcess.run("simulate", "walk", "--out", folder.path("walk"), "--seed", "\(seed)")
    #expect(run.status == 0, "\(run.errors)")
    return folder.path("walk.sigmf-meta")
  }

  static let updateFields: Set<String> = [
    "event", "capture", "exchange", "time_s", "peer", "distance_m", "distance_std_m", "direction", "azimuth_deg",
    "elevation_deg", "azimuth_std_deg", "elevation_std_deg", "direction_status", "alternatives", "chip_azimuth_deg",
    "chip_elevation_deg", "raw_distance_m", "raw_distance_std_m", "calibrated_distance_m",
    "calibrated_distance_std_m", "range_bias_m", "range_bias_std_m",
    "line_of_sight_probability", "first_path_taps", "snr_db", "clock_offset_ppm", "chip_distance_m",
    "chip_raw_distance_m", "true_distance_m", "true_azimuth_deg", "true_elevation_deg", "fallback", "status",
  ]

  @Test("a simulated walk comes back as updates near the truth, with every field of the contract")
  func mainJob() throws {
    let folder = try TemporaryFolder()
    let run = try UwbProcess.run("replay", try Self.walk(folder))
    #expect(run.status == 0, "\(run.errors)")
    let events = try run.events()
    let updates = events.filter { $0["event"] as? String == "update" }
    #expect(updates.count > 100)
    var squares = 0.0
    for (index, update) in updates.enumerated() {
      #expect(Set(update.keys) == Self.updateFields)
      #expect(update["exchange"] as? Int == index)
      let distance = try #require(update["distance_m"] as? Double)
      let truth = try #require(update["true_distance_m"] as? Double)
      squares += (distance - truth) * (distance - truth)
      let direction = try #require(update["direction"] as? [Double])
      #expect(abs(direction.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
    }
    // Timestamps of the peer jitter by 0.1 ns: 1.5 cm in distance.
    #expect((squares / Double(updates.count)).squareRoot() < 0.03)
    #expect(events.dropLast(2).last?["event"] as? String == "removed")
    let summary = try #require(events.last)
    #expect(summary["event"] as? String == "summary")
    #expect(summary["updates"] as? Int == updates.count)
  }

  @Test("the same input and options give the same bytes", arguments: ["ndjson", "csv", "summary"])
  func determinism(output: String) throws {
    let folder = try TemporaryFolder()
    let capture = try Self.walk(folder)
    let first = try UwbProcess.run("replay", capture, "--output", output)
    let second = try UwbProcess.run("replay", capture, "--output", output)
    #expect(first.status == 0)
    #expect(!first.output.isEmpty)
    #expect(first.output == second.output)
  }

  @Test("the same seed simulates the same bytes, another seed others")
  func seeds() throws {
    let folders = try (0..<3).map { _ in try TemporaryFolder() }
    for (folder, seed) in zip(folders, [7, 7, 8]) { _ = try Self.walk(folder, seed: seed) }
    let samples = try folders.map { try Data(contentsOf: URL(fileURLWithPath: $0.path("walk.sigmf-data"))) }
    #expect(samples[0] == samples[1])
    #expect(samples[0] != samples[2])
  }

  @Test("csv has one row an exchange, all of the header's width")
  func csv() throws {
    let folder = try TemporaryFolder()
    let run = try UwbProcess.run("replay", try Self.walk(folder), "--output", "csv")
    let widths = Set(run.lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).count })
    #expect(widths.count == 1)
    #expect(run.lines.first?.hasPrefix("event,capture,exchange,time_s,peer,distance_m") == true)
    #expect(run.lines.filter { $0.hasPrefix("update,") }.count > 100)
  }

  @Test("a report is one HTML page")
  func report() throws {
    let folder = try TemporaryFolder()
    let page = folder.path("page.html")
    let capture = try Self.walk(folder)
    let run = try UwbProcess.run("replay", capture, "--output", "summary", "--report", page)
    #expect(run.status == 0, "\(run.errors)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("<div data-group=\"0\">") && html.hasSuffix("</html>\n"))
    #expect(html.contains(#""distance":{"data":""#) && html.contains("SHA-512") && !html.contains("Made on"))
    let again = folder.path("again.html")
    let dated = try UwbProcess.run(
      "replay", capture, "--output", "summary", "--report", again, "--report-date")
    #expect(try dated.status == 0 && String(contentsOfFile: again, encoding: .utf8).contains("Made on"))
  }

  @Test("--angle none leaves directions out, an array file puts them in")
  func angles() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.walk(folder)
    let without = try UwbProcess.run("replay", capture, "--angle", "none").events()
    #expect(without.filter { $0["event"] as? String == "update" }.allSatisfy { $0["direction"] is NSNull })
    let array = folder.path("array.json")
    try Data("{\"carrier_hz\": 7987200000, \"positions_m\": [[0,0,0],[0.0188,0,0],[0,0.0188,0]]}".utf8)
      .write(to: URL(fileURLWithPath: array))
    let with = try UwbProcess.run("replay", capture, "--array", array).events()
    #expect(with.contains { $0["direction"] is [Double] })
  }

  @Test(
    "wrong usage exits 64",
    arguments: [
      ["replay"], ["replay", "x.log", "--delay", "nothing"], ["replay", "x.log", "--report-date"],
      ["replay", "x.log", "--truth", "t.csv", "--shard", "1/2"],
      ["replay", "x.log", "--output", "xml"], ["nonsense"],
      ["paths"], ["paths", "x", "--output", "summary"],
      ["simulate", "nowhere", "--out", "x"], ["inspect", "x.log", "--exchange", "-1"],
    ])
  func usage(arguments: [String]) throws {
    let run = try UwbProcess.run(arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(!run.errors.isEmpty)
  }

  @Test("every verb has help with an example", arguments: ["replay", "paths", "simulate", "inspect", "estimators"])
  func help(verb: String) throws {
    let run = try UwbProcess.run(verb, "--help")
    #expect(run.status == 0)
    #expect(run.output.contains("EXAMPLE"))
  }

  @Test("estimators lists what --delay takes")
  func estimators() throws {
    let run = try UwbProcess.run("estimators")
    for name in ["chip", "peak", "edge-fit", "pulse-fit", "dw1000", "ideal"] { #expect(run.output.contains(name)) }
  }
}
