import Foundation
import TestSupport
import Testing

/// `uwb calibrate delay` and `uwb evaluate ranging`, as a user runs them.
@Suite struct RangingEvaluationTests {
  /// Rows of an ndjson output that have these fields.
  fileprivate static func rows(_ run: UwbProcess, _ fields: [String: String]) throws -> [[String: Any]] {
    try run.events().filter { row in fields.allSatisfy { row[$0.key] as? String == $0.value } }
  }

  /// 50 walks of 60 s at 1.5 m/s and 10 Hz: errors beside the raw ones, and deviations that are honest. Coverage is a Gaussian's at least;
  /// mean squares are 1 but for what the tracker's model allows for and the walks don't do (and the other way round): a quarter.
  @Test func walks() throws {
    let folder = try TemporaryFolder()
    let page = folder.path("walks.html")
    let run = try UwbProcess.run(
      "evaluate", "ranging", "--walks", "50", "--seed", "7", "--output", "ndjson", "--report", page)
    #expect(run.status == 0, "\(run.errors)")
    // Errors last: 600 steps of a walk are some 60 independent ones where nothing lasts, 5 stretches where line of sight is lost.
    let quarter = 0.75...1.25
    for (name, ratio) in [("clean", 1.0), ("outliers, NLOS", 0.25), ("outliers, NLOS, classified", 0.2)] {
      let row = try #require(try Self.rows(run, ["table": "simulated walks: consistency", "case": name]).first)
      #expect(row["walks"] as? Int == 50 && row["diverged"] as? Int == 0)
      func number(_ key: String) throws -> Double { try #require(row[key] as? Double) }
      #expect(try number("tracked_over_raw_rms") < ratio, "\(name)")
      #expect(try number("within_1_sigma") > 0.63, "\(name)")
      #expect(try number("within_2_sigma") > (name == "outliers, NLOS" ? 0.88 : 0.93), "\(name)")
      // Unclassified, one long bias in 50 walks decides over the mean square. On clean walks the chance of a loss does.
      if name == "outliers, NLOS, classified" { #expect((0.5...2).contains(try number("nees")), "\(name)") }
      #expect(quarter.contains(try number("nees_score")), "\(name)")
      #expect(try number("nees_score_within_95") > 0.7, "\(name)")
      #expect(quarter.contains(try number("nis_score")), "\(name)")
      // One in twenty measurements is an outlier where the tracker expects one in fifty.
      #expect(try number("nis_score_within_95") > (name == "clean" ? 0.8 : 0.7), "\(name)")
    }
    #expect(
      try ReportPagesTests.Written(page).titles == [
        "Simulated walks, 1.5 m/s, 5 % outliers, line of sight lost now and then"
      ])
  }

  /// Where captures are labelled, the probability of line of sight is held against the labels: in numbers and on the page.
  @Test func lineOfSight() throws {
    let folder = try TemporaryFolder()
    for (name, seed) in [("one", "1"), ("two", "2")] {
      #expect(try UwbProcess.run("simulate", "walk", "--out", folder.path(name), "--seed", seed).status == 0)
    }
    let captures = ["one", "two"].map { folder.path("\($0).sigmf-meta") }
    let truth = folder.path("truth.csv")
    func run(_ labels: (String, String)) throws -> UwbProcess {
      try "capture,distance_m,label\none.sigmf-meta,4,\(labels.0)\ntwo.sigmf-meta,4,\(labels.1)\n"
        .write(toFile: truth, atomically: true, encoding: .utf8)
      return try UwbProcess.run(
        ["evaluate", "ranging"] + captures + [
          "--truth", truth, "--output", "ndjson", "--report", folder.path("roc.html"),
        ])
    }
    let both = try run(("LOS", "NLOS"))
    #expect(both.status == 0, "\(both.errors)")
    #expect(both.errors.contains("calibrate bias"))
    let summary = try #require(try Self.rows(both, ["table": "line of sight"]).first)
    #expect(summary["model"] as? String == "shipped, simulated channels only")
    #expect(summary["los_exchanges"] as? Int == 122 && summary["nlos_exchanges"] as? Int == 122)
    let points = try Self.rows(both, ["table": "line of sight: receiver operating characteristic"])
    #expect(points.count == 21)
    #expect(points.last?["los_found"] as? Double == 0 && points.last?["nlos_taken_for_los"] as? Double == 0)
    for (point, next) in zip(points, points.dropFirst()) {
      for field in ["los_found", "nlos_taken_for_los"] {
        #expect(try #require(point[field] as? Double) >= #require(next[field] as? Double))
      }
    }
    // Thresholds ask for more than they name: half of two equal classes is right where both are treated alike.
    let middle = points[10]
    #expect(middle["threshold"] as? Double == 0.5)
    let found = try #require(middle["los_found"] as? Double)
    let taken = try #require(middle["nlos_taken_for_los"] as? Double)
    #expect(abs(try #require(summary["accuracy"] as? Double) - (found + 1 - taken) / 2) < 2e-3)
    let page = try ReportPagesTests.Written(folder.path("roc.html"))
    #expect(page.titles.contains("Line of sight by the CIRs' shape, against the labels"))
    #expect(page.html.contains("NLOS taken for LOS") && page.html.contains("at even odds"))
    let labels = try #require(page.groups.first?["tracks"] as? [[String: Any]])
    #expect(labels.map { $0["name"] as? String } == ["all", "LOS", "NLOS"])
    // The labels the other way round: what was above the diagonal is below.
    let swapped = try #require(try Self.rows(try run(("NLOS", "LOS")), ["table": "line of sight"]).first)
    let sum = try #require(summary["auc"] as? Double) + #require(swapped["auc"] as? Double)
    #expect(abs(sum - 1) < 2e-3)
    // One label alone makes no curve.
    let one = try run(("LOS", "LOS"))
    #expect(one.status == 0)
    #expect(try Self.rows(one, ["table": "line of sight"]).isEmpty)
  }

  /// The tracker's settings are not the walks'. With other biases, outliers, speeds, rates and stretches it does not diverge, and its
  /// errors stay below the measurements'.
  @Test func otherWalks() throws {
    let run = try UwbProcess.run("evaluate", "ranging", "--walks", "50", "--seed", "8", "--output", "ndjson")
    let rows = try Self.rows(run, ["table": "simulated walks: sensitivity"])
    #expect(rows.count == 24)
    for row in rows {
      let name = try #require(row["case"] as? String)
      #expect(try #require(row["diverged"] as? Int) <= 1, "\(name)")
      #expect(try #require(row["tracked_over_raw_rms"] as? Double) < 0.6, "\(name)")
      #expect(try #require(row["within_1_sigma"] as? Double) > 0.63, "\(name)")
      // Losses twice as long as the tracker expects, and no classifier: some are taken for the distance.
      let covered = name == "unclassified, stretches twice as long" ? 0.86 : 0.88
      #expect(try #require(row["within_2_sigma"] as? Double) > covered, "\(name)")
    }
  }

  /// One capture without rows is passed over, named and counted; where all are, the first says why.
  @Test func captureWithoutRows() throws {
    let folder = try TemporaryFolder()
    let header = "poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,Distance\n"
    try header.write(toFile: folder.path("empty.csv"), atomically: true, encoding: .utf8)
    var truth = "capture,distance_m\nempty.csv,10\n"
    for name in ["a.csv", "b.csv"] {
      try (header + String(repeating: "1000,9000,70009000,70005263,10\n", count: 3))
        .write(toFile: folder.path(name), atomically: true, encoding: .utf8)
      truth += "\(name),10\n"
    }
    try truth.write(toFile: folder.path("truth.csv"), atomically: true, encoding: .utf8)
    let captures = ["a.csv", "empty.csv", "b.csv"].map(folder.path)
    let known = ["--truth", folder.path("truth.csv")]
    for verb in [["evaluate", "ranging", "--cross-validate"], ["calibrate", "delay", "--out", folder.path("c.json")]] {
      let run = try UwbProcess.run(verb + captures + known)
      #expect(run.status == 0 && run.output.contains("b.csv"), "\(run.errors)")
      #expect(run.errors.contains("empty.csv") && run.errors.contains("1 of 3 captures"), "\(run.errors)")
      let none = try UwbProcess.run(verb + [captures[1]] + known)
      #expect(none.status == 1 && none.errors.contains("empty.csv"), "\(none.errors)")
    }
  }

  @Test func wrongUse() throws {
    #expect(try UwbProcess.run("evaluate", "ranging").status == 64)
    #expect(try UwbProcess.run("calibrate", "delay", "x.csv").status == 64)
    let folder = try TemporaryFolder()
    let truth = folder.path("truth.csv")
    try "capture,distance_m\nother.csv,3\n".write(toFile: truth, atomically: true, encoding: .utf8)
    let table = folder.path("one.csv")
    try "poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts\n1,2,3,4\n".write(toFile: table, atomically: true, encoding: .utf8)
    let run = try UwbProcess.run("calibrate", "delay", table, "--truth", truth, "--out", folder.path("cal.json"))
    #expect(run.status == 1)
    #expect(run.errors.contains("one.csv") && run.errors.contains("--truth"))
    let file = folder.path("bad.json")
    try
      "{\"version\":1,\"delay\":{\"devices\":[{\"address\":\"zz\",\"delay_s\":0}],\"line_of_sight\":{\"power_dbm\":[],\"bias_m\":[],\"deviation_m\":0}}}"
      .write(toFile: file, atomically: true, encoding: .utf8)
    let bad = try UwbProcess.run("replay", table, "--calibration", file)
    #expect(bad.status == 1 && bad.errors.contains("zz"))
  }
}

/// On real data: figures that the documentation states, every one of captures that took no part in what scores them.
@Suite("ranging figures on real data (need UWB_DATA)")
struct RealRangingFigures {
  private static func outdoor(_ kind: String, truth: inout String) throws -> [String] {
    let folder = URL(fileURLWithPath: try RealData.path("ss-twr-outdoor/\(kind)"))
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { $0.hasSuffix("m.csv") }
      .map { file in
        truth += "\(kind)/\(file),\(file.dropLast(5)),\(kind)\n"
        return folder.appendingPathComponent(file).path
      }
  }

  /// Leave one distance out, after delay and power-bias calibration.
  @Test(.needsRealData("ss-twr-outdoor")) func outdoorTables() throws {
    var truth = "capture,distance_m,label\n"
    let captures = try Self.outdoor("LOS", truth: &truth) + Self.outdoor("NLOS", truth: &truth)
    #expect(captures.count == 59)
    let folder = try TemporaryFolder()
    try truth.write(toFile: folder.path("truth.csv"), atomically: true, encoding: .utf8)
    let file = folder.path("cal.json")
    let run = try UwbProcess.run(
      ["calibrate", "delay"] + captures + ["--truth", folder.path("truth.csv"), "--out", file, "--output", "ndjson"])
    #expect(run.status == 0, "\(run.errors)")
    func rms(_ label: String, _ stage: String) throws -> Double {
      let rows = try run.events().filter {
        $0["capture"] as? String == "all" && $0["label"] as? String == label && $0["stage"] as? String == stage
      }
      return try #require(rows.first?["rms_m"] as? Double)
    }
    #expect(try rms("LOS", "calibrated") <= 0.05)
    #expect(try rms("NLOS", "calibrated") <= 0.055)
    #expect(try rms("NLOS", "calibrated as LOS") <= 0.10)
    try Self.otherHeight(file, folder)
    // The file is read, and distances move by what it says.
    let replay = try UwbProcess.run("replay", captures[0], "--calibration", file)
    let update = try #require(try replay.events().first { $0["event"] as? String == "update" })
    let moved = (update["raw_distance_m"] as? Double ?? 0) - (update["distance_m"] as? Double ?? 0)
    #expect(abs(moved) > 0.03 && abs(moved) < 0.5)
  }

  /// A table of another height under a calibration of this one: deviations say what errors are. Medians, for one row of the table does
  /// not belong to its counters. (Nothing in such tables tells that line of sight is lost.)
  private static func otherHeight(_ calibration: String, _ folder: TemporaryFolder) throws {
    let name = "LOS-height-150cm-8m.csv"
    let truth = folder.path("height.csv")
    try "capture,distance_m,label\n\(name),8,LOS\n".write(toFile: truth, atomically: true, encoding: .utf8)
    let run = try UwbProcess.run(
      "evaluate", "ranging", try RealData.path("ss-twr-outdoor/bad-first-row/\(name)"), "--truth", truth,
      "--calibration", calibration, "--output", "ndjson")
    #expect(run.status == 0, "\(run.errors)")
    let row = try #require(
      try RangingEvaluationTests.rows(run, ["table": "distance errors", "capture": name, "stage": "calibrated"]).first)
    let error = try #require(row["median_m"] as? Double)
    let deviation = try #require(row["median_std_m"] as? Double)
    // The median of a normal variable's size is 0.6745 deviations.
    let ratio = error / 0.6745 / deviation
    #expect((0.5...2.5).contains(ratio * ratio), "\(error) m, stated \(deviation) m")
  }

  /// The line-of-sight logs of a flat, each left out in turn; two of them have truths that can't be right.
  @Test(.needsRealData("decaranging-apartment")) func apartmentLogs() throws {
    let folder = try TemporaryFolder()
    let truth = folder.path("truth.csv")
    try ApartmentTruth.table(folder: try #require(RealCaptures.folder)).write(
      toFile: truth, atomically: true, encoding: .utf8)
    let logs = try RealCaptures.lineOfSight.map(RealCaptures.log)
    let run = try UwbProcess.run(
      ["evaluate", "ranging"] + logs + ["--truth", truth, "--cross-validate", "--output", "ndjson"])
    #expect(run.status == 0, "\(run.errors)")
    func median(_ capture: String) throws -> Double {
      let row = try run.events().first {
        $0["capture"] as? String == capture && $0["stage"] as? String == "calibrated"
      }
      return try #require(row?["median_m"] as? Double)
    }
    #expect(try median("all") <= 0.06)
    for log in ["1", "5", "12", "34"] { #expect(try median("\(log).log") < 0.075, "\(log)") }
    // Named, not dropped.
    #expect(try median("14.log") > 0.2)
    #expect(try median("40.log") > 0.4)
  }
}
