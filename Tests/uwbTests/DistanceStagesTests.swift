import Foundation
import Testing
import UWBDSP

/// Raw, calibrated and delivered distances as `replay` writes them.
@Suite("the stages of a distance")
struct DistanceStagesTests {
  private let folder: TemporaryFolder
  private let capture: String

  init() throws {
    folder = try TemporaryFolder()
    // Single-sided, 40-bit ticks, 10 m.
    capture = folder.path("one.csv")
    try """
    poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,RSSI(dBm)
    1000,9000,70009000,70005263,-80
    1000,9000,70009000,70005263,-80

    """.write(toFile: capture, atomically: true, encoding: .utf8)
  }

  @Test("a delay of 1 ns at the peer makes calibrated distances 0.15 m shorter than raw ones, in each output")
  func stages() throws {
    let calibration = folder.path("cal.json")
    let delays = #"[{"address":null,"delay_s":1e-9}]"#
    let curve = #"{"power_dbm":[-80],"bias_m":[0],"deviation_m":0.02}"#
    try #"{"version":1,"delay":{"devices":\#(delays),"line_of_sight":\#(curve)}}"#
      .write(toFile: calibration, atomically: true, encoding: .utf8)
    let lines = try UwbProcess.run("replay", capture, "--calibration", calibration)
    let update = try #require(try lines.events().first { $0["event"] as? String == "update" }, "\(lines.errors)")
    let raw = try #require(update["raw_distance_m"] as? Double)
    let calibrated = try #require(update["calibrated_distance_m"] as? Double)
    let deviation = try #require(update["calibrated_distance_std_m"] as? Double)
    let devices = (raw - calibrated) / (UWB.speedOfLightInAir * 1e-9 / 2)
    #expect(abs(devices - devices.rounded()) < 1e-4 && devices.rounded() >= 1, "\(raw) − \(calibrated)")
    #expect(deviation > 0)

    let table = try UwbProcess.run("replay", capture, "--calibration", calibration, "--output", "csv")
    let rows = table.lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let names = try #require(rows.first)
    let values = try #require(rows.first { $0.first == "update" })
    for row in rows { #expect(row.count == names.count) }
    for name in ["raw_distance_m", "calibrated_distance_m", "calibrated_distance_std_m", "distance_m"] {
      let column = try #require(names.firstIndex(of: Substring(name)))
      #expect(Double(values[column]) == update[name] as? Double, "\(name)")
    }
  }

  @Test("without a calibration there is no calibrated distance")
  func uncalibrated() throws {
    let events = try UwbProcess.run("replay", capture).events()
    let update = try #require(events.first { $0["event"] as? String == "update" })
    #expect(update["calibrated_distance_m"] is NSNull && update["raw_distance_m"] is Double)
  }

  @Test(
    "a file name that steers a terminal is written out, whatever the output", arguments: ["ndjson", "csv", "summary"])
  func controlCharacters(output: String) throws {
    let name = folder.path("red\u{1B}[31m.csv")
    try FileManager.default.copyItem(atPath: capture, toPath: name)
    let run = try UwbProcess.run("replay", name, "--output", output)
    #expect(run.status == 0 && run.output.contains("[31m"))
    #expect(!run.output.contains("\u{1B}") && !run.errors.contains("\u{1B}"))
  }
}
