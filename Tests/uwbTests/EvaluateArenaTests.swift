import Foundation
import Testing

@Suite struct EvaluateArenaTests {
  @Test func oneRowForEachFamilyAndEstimatorThenTheBars() throws {
    let run = try UwbProcess.run(
      "evaluate", "arena", "--families", "room,room-window-64", "--estimators", "default,leading-edge", "--trials",
      "20",
      "--output", "ndjson")
    #expect(run.status == 0, "\(run.errors)")
    let events = try run.events()
    let rows = events.filter { $0["table"] as? String == "families" }
    #expect(rows.map { $0["family"] as? String } == ["room", "room", "room-window-64", "room-window-64"])
    #expect(rows.map { $0["estimator"] as? String }.suffix(2).last == "leading-edge")
    for row in rows {
      let ratio = try #require(row["crossing_ratio"] as? Double)
      let (error, crossing) = (try #require(row["rms_cm"] as? Double), try #require(row["crossing_cm"] as? Double))
      #expect(abs(ratio - error / crossing) < 0.01 * ratio + 0.001)
    }
    let bars = events.filter { $0["table"] as? String == "bars" }
    #expect(bars.count == 6)
    #expect(bars.allSatisfy { ["yes", "no"].contains($0["holds"] as? String) })
  }

  @Test func aTableForPeopleAndOneForSpreadsheets() throws {
    let arguments = ["evaluate", "arena", "--families", "one-path", "--trials", "10", "--seed", "2"]
    let table = try UwbProcess.run(arguments)
    #expect(table.status == 0 && table.lines.contains { $0.contains("one-path") && $0.contains("tuned") })
    let lines = try UwbProcess.run(arguments + ["--output", "csv"]).lines
    #expect(lines.first?.hasPrefix("table,family,use,estimator,trials,rms_cm") == true)
    #expect(lines.contains { $0.hasPrefix("families,one-path,tuned,") })
  }

  @Test func severalAntennasHaveAzimuths() throws {
    let page = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).html").path
    defer { try? FileManager.default.removeItem(atPath: page) }
    let run = try UwbProcess.run(
      "evaluate", "arena", "--families", "room,soft", "--antennas", "2", "--trials", "20", "--output", "ndjson",
      "--report", page)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      try String(contentsOfFile: page, encoding: .utf8).contains("2 antennas in rooms drawn at random, 20 trials"))
    let rows = try run.events()
    #expect(rows.map { $0["family"] as? String } == ["room"] && rows[0]["antennas"] as? Int == 2)
    #expect(try #require(rows[0]["azimuth_rms_deg"] as? Double) < 45)
  }

  @Test(arguments: [
    (["--antennas", "3"], "3"), (["--antennas", "4", "--families", "soft"], "room-blocked"),
    (["--families", "nosuch"], "nosuch"), (["--estimators", "chip"], "chip"), (["--trials", "0"], "0"),
    (["--antennas", "2", "--pulse", "exact"], "exact"),
  ])
  func mistakesAreNamed(_ arguments: [String], _ word: String) throws {
    let run = try UwbProcess.run(["evaluate", "arena"] + arguments)
    #expect(run.status == 64 && run.errors.contains(word), "\(run.errors)")
  }
}
