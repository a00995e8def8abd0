import Foundation
import Testing

/// What a calibration file may hold, and how a user learns that it does not belong to a capture.
@Suite("calibration files")
struct CalibrationFileTests {
  private let folder: TemporaryFolder
  private let table: String

  init() throws {
    folder = try TemporaryFolder()
    table = folder.path("one.csv")
    // Three exchanges of 10 m: single-sided, 40-bit ticks.
    try """
    poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,Distance,RSSI(dBm)
    1000,9000,70009000,70005263,10,-80
    1000,9000,70009000,70005263,10,-81
    1000,9000,70009000,70005263,10,-82

    """.write(toFile: table, atomically: true, encoding: .utf8)
  }

  private func replay(_ text: String, _ options: String...) throws -> UwbProcess {
    let file = folder.path("cal.json")
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return try UwbProcess.run(["replay", table, "--calibration", file] + options)
  }

  private static func delay(_ devices: String, bias: String = "0.1", deviation: String = "0.1") -> String {
    "{\"version\":1,\n\"delay\":{\"devices\":[\(devices)],\n\"line_of_sight\":{\"power_dbm\":[-80],"
      + "\"bias_m\":[\(bias)],\"deviation_m\":\(deviation)}}}"
  }

  @Test(
    "misspelt, doubled and impossible: each is an error that names the file and the place",
    arguments: [
      (#"{"version":1,"dleay":{"devices":[]}}"#, "“delay”"),
      (delay(#"{"adress":"0001","delay_s":0}"#), "delay.devices[0].adress (line 2)"),
      (#"{"version":1,"quality":{"delay":"edge-fti"}}"#, "“edge-fit”"),
      ("{\"version\":1,\n\"version\":1}", "line 2"),
      (delay(#"{"address":"1","delay_s":0},{"address":"0001","delay_s":0}"#), "twice"),
      (delay(#"{"delay_s":0},{"address":null,"delay_s":0}"#), "twice"),
      (delay(#"{"address":"1","delay_s":1}"#), "delay.devices[0].delay_s"),
      (delay("", bias: "1e9"), "bias_m[0] (line 3)"), (delay("", bias: "1e999"), "line 3"),
      (delay("", bias: "\"x\""), "not a number"), (delay("", deviation: "-0.1"), "deviation_m"),
      (delay("", deviation: "NaN"), "“NaN”"), (#"{"version":99}"#, "version"), (#"{"version":1.5}"#, "version"),
      (#"{"delay":null}"#, "version"), ("[]", "object"), ("", "too early"), (#"{"version":1}}"#, "after the end"),
      (String(repeating: "[", count: 100), "nested"), ("\u{0}", "JSON"),
    ])
  func refused(text: String, part: String) throws {
    let run = try replay(text)
    #expect(run.status == 1 && run.errors.contains("cal.json") && run.errors.contains(part), "\(run.errors)")
    #expect(!run.output.contains("\"update\""))
  }

  @Test("a file of the version before is read, and warned of once")
  func olderFile() throws {
    let run = try replay(Self.delay(""))
    #expect(run.status == 0 && run.output.contains("\"update\""))
    #expect(run.errors.components(separatedBy: "nothing says").count == 2, "\(run.errors)")
    let strict = try replay(Self.delay(""), "--strict")
    #expect(strict.status == 1 && strict.output.isEmpty && strict.errors.contains("nothing says"))
  }

  /// A calibration of three captures, and what its file says of them.
  private func calibrated(_ environment: [String: String] = [:]) throws -> (file: String, [String: Any]) {
    var truth = "capture,distance_m,label\n"
    var captures: [String] = []
    for index in 0..<3 {
      let path = folder.path("c\(index).csv")
      try FileManager.default.copyItem(atPath: table, toPath: path)
      truth += "c\(index).csv,9,LOS\n"
      captures.append(path)
    }
    try truth.write(toFile: folder.path("truth.csv"), atomically: true, encoding: .utf8)
    let file = folder.path("made.json")
    let run = try UwbProcess.run(
      ["calibrate", "delay"] + captures + ["--truth", folder.path("truth.csv"), "--out", file],
      environment: environment)
    #expect(run.status == 0, "\(run.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
    return (file, try #require(object as? [String: Any]))
  }

  @Test("the file says what it was made of, and fits the captures that it was made of")
  func origin() throws {
    let (file, object) = try calibrated()
    let origin = try #require((object["origins"] as? [String: Any])?["delay"] as? [String: Any])
    #expect(origin["profile"] as? String == "dw1000" && origin["estimator"] as? String == "adaptive")
    #expect((origin["date"] as? String)?.count == 10 && origin["version"] is String && origin["peers"] is [String])
    let power = try #require(origin["power_dbm"] as? [String: Double])
    #expect(power == ["least": -82, "most": -80])
    let captures = try #require(origin["captures"] as? [[String: Any]])
    #expect(captures.map { $0["name"] as? String } == ["c0.csv", "c1.csv", "c2.csv"])
    #expect(captures.allSatisfy { ($0["sha512"] as? String)?.count == 128 && $0["exchanges"] as? Int == 3 })
    let fits = try UwbProcess.run("replay", table, "--calibration", file, "--strict")
    #expect(fits.status == 0 && fits.errors.isEmpty, "\(fits.errors)")
  }

  @Test(
    "what does not fit is warned of once for all captures, and an error with --strict before anything is written",
    arguments: [(["--profile", "dw3000"], "“dw1000”"), (["--delay", "chip"], "--delay adaptive")])
  func misfits(options: [String], part: String) throws {
    let (file, _) = try calibrated()
    let other = folder.path("c1.csv")
    for verb in [
      ["replay", table, other], ["inspect", table],
      ["evaluate", "ranging", other, "--truth", folder.path("truth.csv")],
    ] {
      let arguments = verb + ["--calibration", file] + options
      let run = try UwbProcess.run(arguments)
      #expect(run.status == 0 && !run.output.isEmpty, "\(run.errors)")
      #expect(run.errors.components(separatedBy: part).count == 2, "\(verb): \(run.errors)")
      let strict = try UwbProcess.run(arguments + ["--strict"])
      #expect(strict.status == 1 && strict.output.isEmpty && strict.errors.contains(part), "\(verb): \(strict.errors)")
    }
  }

  @Test("devices, powers and antennas that a calibration knows nothing of")
  func otherGround() throws {
    let (file, _) = try calibrated()
    #expect(try UwbProcess.run("simulate", "walk", "--out", folder.path("walk"), "--seed", "3").status == 0)
    let walk = folder.path("walk.sigmf-meta")
    let device = try UwbProcess.run("replay", walk, "--calibration", file)
    #expect(device.status == 0 && device.errors.contains("no delay of the device 0100"), "\(device.errors)")
    // An angle calibration of CIRs, on timestamps alone and on one antenna.
    let angle = folder.path("angle.json")
    #expect(try UwbProcess.run("calibrate", "angle", walk, "--out", angle).status == 0)
    let blind = try UwbProcess.run("replay", table, "--calibration", angle)
    #expect(blind.status == 0 && blind.errors.contains("not used"), "\(blind.errors)")
    #expect(try UwbProcess.run("simulate", "still", "--out", folder.path("still"), "--seed", "3").status == 0)
    let still = folder.path("still.sigmf-meta")
    let one = try UwbProcess.run("replay", still, "--calibration", angle)
    #expect(one.errors.contains("one antenna"), "\(one.errors)")
    let pair = folder.path("pair.json")
    try #"{"carrier_hz": 7987200000, "positions_m": [[0,0,0],[0.0187614,0,0]]}"#
      .write(toFile: pair, atomically: true, encoding: .utf8)
    let array = try UwbProcess.run("replay", still, "--array", pair)
    #expect(array.errors.contains("names 2 antennas") && array.errors.contains("of 1"), "\(array.errors)")
    let strict = try UwbProcess.run("replay", still, "--array", pair, "--strict")
    #expect(strict.status == 1 && strict.output.isEmpty)
  }

  @Test("the date is that of SOURCE_DATE_EPOCH where it is set: the same bytes on any day")
  func date() throws {
    let (_, object) = try calibrated(["SOURCE_DATE_EPOCH": "86400"])
    let origin = try #require((object["origins"] as? [String: Any])?["delay"] as? [String: Any])
    #expect(origin["date"] as? String == "1970-01-02")
  }
}
