import Foundation
import Testing

/// Truth tables as people write them, and what figures they are held against.
@Suite("truth and stages") struct TruthMistakesTests {
  /// A walk is simulated with its own truth: distances of some 2 to 6 m.
  private let folder: TemporaryFolder
  private let capture: String

  init() throws {
    folder = try TemporaryFolder()
    #expect(try UwbProcess.run("simulate", "still", "--out", folder.path("still")).status == 0)
    capture = folder.path("still.sigmf-meta")
  }

  private func evaluate(_ truth: String, _ options: [String] = []) throws -> UwbProcess {
    try Data(truth.utf8).write(to: URL(fileURLWithPath: folder.path("truth.csv")))
    return try UwbProcess.run(
      ["evaluate", "ranging", capture, "--truth", folder.path("truth.csv"), "--output", "ndjson"] + options)
  }

  private func distance() throws -> Double {
    let update = try #require(
      try UwbProcess.run("replay", capture).events().first { $0["event"] as? String == "update" })
    return try #require(update["true_distance_m"] as? Double)
  }

  @Test("columns, rows and labels that a table may have")
  func accepted() throws {
    let metres = try distance()
    let plain = try evaluate("capture,distance_m,label\nstill.sigmf-meta,\(metres),LOS\n")
    #expect(plain.status == 0 && !plain.errors.contains("Warning"), "\(plain.errors)")
    let comma = "\(metres * 100)".replacing(".", with: ",")
    for (text, warning) in [
      ("capture,distance_m,label,remark\nstill.sigmf-meta,\(metres),LOS,x\n", "“remark”"),
      ("capture,distance_m,label\nstill.sigmf-meta,\(metres),los\n", nil),
      ("capture,distance_m,label\nstill.sigmf-meta,\(metres),LOS\nother.log,3,NDP NLOS\n", "“other.log”"),
      ("Capture;Distance (cm);Label\nstill.sigmf-meta;\(comma);Los\n", nil),
      ("\u{FEFF}capture,distance_mm,label\r\nstill.sigmf-meta,\(metres * 1000),LOS\r\n", nil),
    ] {
      let run = try evaluate(text)
      #expect(run.status == 0, "\(text): \(run.errors)")
      #expect(run.output == plain.output, "\(text)")
      #expect(run.errors.contains("Warning") == (warning != nil), "\(run.errors)")
      if let warning { #expect(run.errors.contains(warning) && run.errors.contains("truth.csv"), "\(run.errors)") }
    }
    let blocked = try evaluate("capture,distance_m,label\nstill.sigmf-meta,\(metres),NDP NLOS\n")
    #expect(blocked.output.contains("\"label\":\"NLOS\""))
  }

  @Test(
    "of several captures, one of which nothing can be read is skipped; one that isn't there is an error",
    arguments: [["evaluate", "ranging"], ["calibrate", "delay", "--out"]])
  func skippedCaptures(verb: [String]) throws {
    let verb = verb.last == "--out" ? verb + [folder.path("cal.json")] : verb
    let empty = folder.path("empty.log")
    let text = ConvertTests.log(1, tapCount: 16).text
    try Data(text.utf8.prefix(text.utf8.count / 2)).write(to: URL(fileURLWithPath: empty))
    let skipped = try UwbProcess.run(verb + [capture, empty])
    #expect(skipped.status == 0, "\(skipped.errors)")
    #expect(skipped.errors.contains("1 of 2 captures were skipped") && skipped.errors.contains("empty.log"))
    for name in ["missing.log", "missing.npy"] {
      let run = try UwbProcess.run(verb + [capture, folder.path(name), empty])
      #expect(run.status == 1 && run.output.isEmpty, "\(run.output)")
      #expect(run.errors.contains("Error: \(folder.path(name))") && !run.errors.contains("skipped"), "\(run.errors)")
    }
  }

  @Test("distances in another unit than they say are told of, once")
  func units() throws {
    let metres = try distance()
    for (factor, unit) in [(100.0, "centimetres"), (1000, "millimetres")] {
      let run = try evaluate("capture,distance_m\nstill.sigmf-meta,\(metres * factor)\n")
      #expect(run.status == 0)
      #expect(run.errors.split(separator: unit).count == 2, "\(run.errors)")
    }
  }

  @Test(arguments: [
    ("capture,distance\nstill.sigmf-meta,1\n", ["header", "distance", "unit"]),
    ("file,distance_m\nstill.sigmf-meta,1\n", ["header", "capture", "file"]),
    ("capture,distance_m\nstill.sigmf-meta,far\n", ["line 2", "distance_m", "far"]),
    ("capture,distance_m\nstill.sigmf-meta,-1\n", ["line 2", "distance_m"]),
    ("capture,label\nstill.sigmf-meta,maybe\n", ["line 2", "label", "NDP NLOS"]),
    ("capture,distance_m,distance_cm\nstill.sigmf-meta,1,100\n", ["header", "twice"]),
    ("capture,distance_m\nother.log,1\nother.log,1\n", ["line 3", "twice"]),
  ])
  func refused(_ text: String, _ shown: [String]) throws {
    let run = try evaluate(text)
    #expect(run.status == 1)
    for part in ["truth.csv"] + shown { #expect(run.errors.contains(part), "\(run.errors)") }
  }

  /// A delay of 2 ns at either end is 0.6 m: raw stays, calibrated and delivered move.
  @Test("raw, calibrated and delivered mean one thing each")
  func stages() throws {
    let metres = try distance()
    let truth = "capture,distance_m\nstill.sigmf-meta,\(metres - 0.6)\n"
    let without = try evaluate(truth)
    #expect(
      try UwbProcess.run(
        "calibrate", "delay", capture, "--truth", folder.path("truth.csv"), "--out", folder.path("cal.json")
      ).status == 0)
    let with = try evaluate(truth, ["--calibration", folder.path("cal.json")])
    func rows(_ run: UwbProcess) throws -> [String: Double] {
      let rows = try run.events().filter {
        $0["table"] as? String == "distance errors" && $0["capture"] as? String == "all"
      }
      return try Dictionary(
        uniqueKeysWithValues: rows.map { (try #require($0["stage"] as? String), try #require($0["rms_m"] as? Double)) })
    }
    let (before, after) = (try rows(without), try rows(with))
    #expect(Set(before.keys) == ["raw", "delivered"])
    #expect(Set(after.keys) == ["raw", "calibrated", "delivered"])
    #expect(after["raw"] == before["raw"])
    #expect(
      try #require(after["raw"]) > 0.55 && #require(after["calibrated"]) < 0.05 && #require(after["delivered"]) < 0.1)

    for (options, isCalibrated) in [([String](), false), (["--calibration", folder.path("cal.json")], true)] {
      let summary = try UwbProcess.run(["replay", capture, "--output", "summary"] + options).output
      let shown = try UwbProcess.run(["inspect", capture] + options).output
      let page = folder.path("page.html")
      #expect(try UwbProcess.run(["replay", capture, "--report", page] + options).status == 0)
      let report = try String(contentsOfFile: page, encoding: .utf8)
      for stage in ["raw", "delivered"] {
        #expect(summary.contains("\(stage) distance mean") && summary.contains("\(stage) rms"), "\(summary)")
        #expect(report.contains(">\(stage)<"))
      }
      #expect(shown.contains("raw distance"))
      #expect(
        summary.contains("calibrated distance mean") == isCalibrated
          && summary.contains("calibrated rms") == isCalibrated)
      #expect(shown.contains("calibrated ") == isCalibrated, "\(shown)")
      #expect(report.contains(">calibrated<") == isCalibrated)
    }
  }

  @Test("a chip's own angle is never the truth")
  func chipAngles() throws {
    let file = folder.path("session.csv")
    try Data("Timestamp,Azimuth,Elevation,Distance,PDoA1,PDoA2\n2024-05-17T09:30:00Z,20,5,203,50,20\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    let info = try UwbProcess.run("info", file)
    #expect(
      info.output.contains("with truth: 0") && info.output.contains("--columns \"azimuth=Azimuth\""), "\(info.output)")
    let told = try UwbProcess.run("info", file, "--columns", "azimuth=Azimuth")
    #expect(told.output.contains("with truth: 1"))
    let calibration = try UwbProcess.run("calibrate", "angle", file, "--out", folder.path("cal.json"))
    #expect(calibration.status == 1 && calibration.errors.contains("noTrueAngle"))
  }
}
