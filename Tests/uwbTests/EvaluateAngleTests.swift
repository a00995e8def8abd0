import Foundation
import Testing

@Suite struct EvaluateAngleTests {
  /// Everything but the times, line by line.
  private func figures(_ arguments: [String]) throws -> [String] {
    let run = try UwbProcess.run(["evaluate", "angle", "--output", "ndjson"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return run.lines.map { line in
      String(line.prefix(upTo: line.range(of: "\"microseconds\"")?.lowerBound ?? line.endIndex))
    }
  }

  @Test func figuresDependOnNeitherThreadsNorRuns() throws {
    let arguments = ["--array", "l3", "--sources", "within:60", "--snapshots", "1", "--snr", "20", "--trials", "40"]
    let one = try figures(arguments + ["--threads", "1"])
    #expect(!one.isEmpty)
    #expect(try figures(arguments + ["--threads", "3"]) == one)
    #expect(try figures(arguments + ["--seed", "2"]) != one)
  }

  @Test func sourcesAreFoundAndBounded() throws {
    let run = try UwbProcess.run(
      "evaluate", "angle", "--array", "ula8", "--sources", "-20,15:coherent", "--snapshots", "16", "--snr", "20",
      "--trials",
      "20", "--estimators", "maximum-likelihood,music-smoothed", "--output", "ndjson")
    #expect(run.status == 0, "\(run.errors)")
    let events = try run.events()
    #expect(events.map { $0["estimator"] as? String } == ["maximum-likelihood", "music-smoothed"])
    for event in events {
      #expect(event["sources"] as? Int == 2 && event["missed"] as? Int == 0 && event["not_finite"] as? Int == 0)
      let bound = try #require(event["bound_deg"] as? Double)
      #expect(bound > 0 && bound < 0.2)
      #expect(event["elevation_rmse_deg"] is NSNull)
    }
  }

  @Test func exportsWhatItEvaluates() throws {
    let folder = try TemporaryFolder()
    let run = try UwbProcess.run(
      "evaluate", "angle", "--array", "pair", "--sources", "30", "--snapshots", "3", "--snr", "60", "--trials", "2",
      "--estimators", "phase-difference", "--export", folder.path("trials"), "--svg", folder.path("a.svg"))
    #expect(run.status == 0, "\(run.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("trials/0.cf64")))
    #expect(data.count == 2 * 2 * 3 * 16)
    func number(_ index: Int) -> Double {
      Double(
        bitPattern: (0..<8).reduce(UInt64(0)) { $0 | UInt64(data[8 * index + $1]) << UInt64(8 * $1) })
    }
    // First trial, first snapshot: the second antenna leads by π·sin 30°.
    let (ax, ay, bx, by) = (number(0), number(1), number(6), number(7))
    #expect(abs(bx + ay) < 0.02 && abs(by - ax) < 0.02)
    let text = try String(contentsOfFile: folder.path("trials/0.json"), encoding: .utf8)
    #expect(text.contains("\"azimuths_deg\":[[30") || text.contains("\"azimuths_deg\":[[29.99"))
    #expect(try String(contentsOfFile: folder.path("a.svg"), encoding: .utf8).contains("<svg"))
  }

  @Test(arguments: [
    (["--array", "nosuch"], "nosuch"), (["--sources", "x"], "“x”"), (["--sources", "within:0"], "within"),
    (["--sources", "1,2", "--array", "pair"], "can't tell"), (["--array", "l3", "--estimators", "esprit"], "esprit"),
    (["--snapshots", "0"], "--snapshots"), (["--field-of-view", "91"], "--field-of-view"),
  ])
  func wrongUsageNamesTheOption(arguments: [String], named: String) throws {
    let run = try UwbProcess.run(["evaluate", "angle"] + arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains(named))
  }

  // MARK: Array files

  private func evaluate(_ json: String) throws -> UwbProcess {
    let folder = try TemporaryFolder()
    let file = folder.path("array.json")
    try Data(json.utf8).write(to: URL(fileURLWithPath: file))
    return try UwbProcess.run(
      "evaluate", "angle", "--array", file, "--sources", "10", "--snapshots", "1", "--trials", "2", "--snr", "40",
      "--estimators", "music", "--output", "ndjson")
  }

  @Test(arguments: [
    #"{"carrier_hz": 8e9, "positions_m": [[0, 0, 0], [0.0187, 0, 0]]}"#,
    #"{"carrier_hz": 8e9, "layout": {"kind": "linear", "count": 4, "spacing_wavelengths": 0.5}}"#,
    #"{"carrier_hz": 8e9, "layout": {"kind": "corner", "spacing_m": 0.018}, "gains": [{}, {"level_db": -1}, {"phase_deg": 40}]}"#,
    #"{"carrier_hz": 8e9, "layout": {"kind": "circular", "count": 5, "radius_m": 0.02}, "pattern": {"kind": "cosine"}}"#,
    #"{"carrier_hz": 8e9, "positions_m": [[0, 0, 0], [0.0187, 0, 0]], "manifold": {"azimuth_deg": {"first": -60, "step": 60, "count": 3}, "elevation_deg": {"first": 0, "count": 1}, "responses": [[1,0],[1,0],[1,0],[0,-1],[1,0],[0,1]]}}"#,
  ])
  func arrayFilesAreRead(json: String) throws {
    let run = try evaluate(json)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try run.events().first?["missed"] as? Int == 0)
  }

  @Test(arguments: [
    (#"{"positions_m": [[0,0,0]]}"#, "carrier_hz"), (#"{"carrier_hz": 8e9}"#, "positions_m"),
    (#"{"carrier_hz": 8e9, "positions_m": [[0,0,0]], "layout": {"kind": "linear"}}"#, "positions_m"),
    (#"{"carrier_hz": 8e9, "layout": {"kind": "star"}}"#, "layout.kind"),
    (#"{"carrier_hz": 8e9, "layout": {"kind": "linear", "count": 1000000, "spacing_m": 1}}"#, "layout.count"),
    (#"{"carrier_hz": 8e9, "layout": {"kind": "linear", "count": 2}}"#, "layout.spacing"),
    (#"{"carrier_hz": 8e9, "positions_m": [[0,0,0],[0.01,0,0]], "gains": [{}]}"#, "gains"),
    (#"{"carrier_hz": 8e9, "positions_m": [[0,0,0],[0.01,0,0]], "pattern": {"kind": "odd"}}"#, "pattern.kind"),
    (
      #"{"carrier_hz": 8e9, "positions_m": [[0,0,0],[0.01,0,0]], "manifold": {"azimuth_deg": {"first": 0, "step": 1, "count": 2}, "elevation_deg": {"first": 0, "count": 1}, "responses": [[1,0]]}}"#,
      "manifold.responses"
    ),
  ])
  func wrongArrayFilesNameThePlace(json: String, place: String) throws {
    let run = try evaluate(json)
    #expect(run.status == 1)
    #expect(run.errors.contains(place) && run.errors.contains("array.json"))
  }
}
