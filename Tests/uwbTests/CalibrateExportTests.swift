import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

@testable import uwb

/// Each line and byte against the layouts that `Documentation/explanation/Calibration.md` states.
@Suite("calibration in chips' layouts")
struct CalibrateExportTests {
  private static let degree = Double.pi / 180

  /// Phase differences over ±60° in 12° steps, each a function of azimuth and elevation (rad).
  private static func angle(_ phases: (Double, Double) -> Double...) -> AngleCalibration {
    let axis = PhaseManifold.Axis(start: -60 * degree, step: 12 * degree, count: 11)
    func node(_ index: Int) -> Double { axis.start + axis.step * Double(index) }
    let channels = phases.map { phase in
      PhaseManifold.Channel(
        phases: (0..<121).map { phase(node($0 % 11), node($0 / 11)) }, variances: Array(repeating: 0.01, count: 121))
    }
    return AngleCalibration(manifold: PhaseManifold(azimuth: axis, elevation: axis, channels: channels))
  }

  private static func delays(_ ticks: [(String, Double)]) -> DelayCalibration {
    DelayCalibration(devices: ticks.map { .init(address: $0.0, delay: $0.1 * UWB.tick) })
  }

  private static func wanted(_ delay: DelayCalibration? = nil, _ angle: AngleCalibration? = nil) -> ChipCalibration {
    ChipCalibration(file: "cal.json", calibration: Calibration(delay: delay, angle: angle), channel: 9)
  }

  private static func object(_ text: String) throws -> [String: [String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
  }

  @Test(
    "qorvo: half of what the delay lacks is added to the one in use, in whole ticks",
    arguments: [(20.0, "16385"), (-352, "16199"), (21.6, "16386"), (0, "16375")])
  func qorvoDelay(ticks: Double, value: String) throws {
    var wanted = Self.wanted(Self.delays([("0001", ticks)]))
    wanted.antennaDelay = 16_375
    let keys = try #require(try Self.object(QorvoCalibration.make(wanted).text)["calibrations"])
    #expect(keys as? [String: String] == ["ant0.ch9.ant_delay": value])
    wanted.channel = 5
    wanted.antenna = 2
    let others = try #require(try Self.object(QorvoCalibration.make(wanted).text)["calibrations"])
    #expect(others.keys.sorted() == ["ant2.ch5.ant_delay"])
  }

  @Test("qorvo: 31 pairs of phase difference and angle, by ascending phase difference, in 1/2048 rad")
  func qorvoTables() throws {
    let wanted = Self.wanted(nil, Self.angle({ azimuth, _ in 1.5 * azimuth }, { _, elevation in 0.25 - 2 * elevation }))
    let text = try QorvoCalibration.make(wanted).text
    let object = try Self.object(text)
    #expect(
      object["calibrations"] as? [String: String] == [
        "pdoa_lut0.data": "PDOA_LUT_0_CH9", "ant_pair0.ch9.pdoa.lut_id": "0", "pdoa_lut1.data": "PDOA_LUT_1_CH9",
        "ant_pair1.ch9.pdoa.lut_id": "1",
      ])
    let phases: [(Double) -> Double] = [{ 1.5 * $0 }, { 0.25 - 2 * $0 }]
    for (channel, phase) in phases.enumerated() {
      let rows = try #require(object["LUT"]?["PDOA_LUT_\(channel)_CH9"] as? [[Double]])
      #expect(rows.count == 31 && zip(rows, rows.dropFirst()).allSatisfy { $0[0] < $1[0] })
      for (node, row) in rows.enumerated() {
        let degrees = channel == 0 ? 4 * node - 60 : 60 - 4 * node
        let angle = Self.degree * Double(degrees)
        let steps = row[0] * 2048
        #expect(abs(row[1] - angle) < 5.1e-5)
        // Half a step of the chip's numbers, and half a decimal of the text.
        #expect(abs(row[0] - phase(angle)) < 0.5 / 2048 + 5.1e-5)
        #expect(abs(steps - steps.rounded()) < 0.11)
      }
    }
    #expect(text.contains("      [-1.5708, -1.0472],\n"))
  }

  @Test("qorvo: what the layout can't hold is an error with the reason")
  func qorvoRefuses() throws {
    func problem(_ wanted: ChipCalibration) -> String {
      do { return "no error: \(try QorvoCalibration.make(wanted).text)" } catch { return "\(error)" }
    }
    #expect(problem(Self.wanted()).contains("neither"))
    #expect(problem(Self.wanted(Self.delays([("0001", 3)]))).contains("--antenna-delay"))
    var two = Self.wanted(Self.delays([("0001", 3), ("0002", 5)]))
    two.antennaDelay = 16_000
    #expect(problem(two).contains("--device: 0001, 0002"))
    two.device = DeviceAddress(rawValue: 3)
    #expect(problem(two).contains("no delay of the device 0003"))
    two.device = DeviceAddress(rawValue: 2)
    #expect(problem(two).contains("\"16003\""))
    var far = Self.wanted(Self.delays([("0001", 120_000)]))
    far.antennaDelay = 16_000
    #expect(problem(far).contains("76000"))
    // Phase differences that turn back over the range of angles.
    #expect(problem(Self.wanted(nil, Self.angle { azimuth, _ in cos(azimuth) })).contains("steadily"))
    var narrow = Self.angle({ azimuth, _ in azimuth })
    narrow.manifold?.azimuth.count = 1
    #expect(problem(Self.wanted(nil, narrow)).contains("one azimuth"))
  }

  @Test("nxp: the command of a board's offsets, byte for byte")
  func nxpOffsets() throws {
    let angle = Self.angle(
      { azimuth, _ in 294.0 / 128 * Self.degree - 2 * azimuth },
      { _, elevation in 2739.0 / 128 * Self.degree + elevation })
    var wanted = Self.wanted(nil, angle)
    wanted.channel = 5
    // SET_CALIBRATION · 10 octets · channel 5 · offsets · 7 octets · 2 pairs · 1: 0126 · 2: 0AB3
    #expect(try NXPCalibration.make(wanted).text == "2f21000a" + "05030702" + "012601" + "02b30a" + "\n")
    // The offset in use was taken off already; whole turns don't count.
    wanted.calibration.angle = Self.angle { _, _ in 170 * Self.degree }
    wanted.pdoaOffsets = [20]
    #expect(try NXPCalibration.make(wanted).text == "2f210007" + "05030401" + "0100ab" + "\n")
  }

  @Test("nxp: what is not settled is not written, and the reason is told")
  func nxpRefuses() throws {
    #expect {
      try NXPCalibration.make(Self.wanted(Self.delays([("0001", 3)])))
    } throws: {
      "\($0)".contains("not public") && $0 is CaptureError
    }
    #expect(throws: CaptureError.self) { try NXPCalibration.make(Self.wanted()) }
    let both = try NXPCalibration.make(Self.wanted(Self.delays([("0001", 3)]), Self.angle { azimuth, _ in azimuth }))
    #expect(both.untold.contains { $0.hasPrefix("delay") } && both.untold.contains { $0.contains("order of angles") })
    var aside = Self.angle { azimuth, _ in azimuth }
    aside.manifold?.azimuth.start = 0.1
    #expect { try NXPCalibration.make(Self.wanted(nil, aside)) } throws: { "\($0)".contains("boresight") }
  }

  @Test("text holds every delay and every node")
  func text() throws {
    let calibration = Calibration(
      delay: Self.delays([("0001", 64), ("0002", -6.4)]),
      angle: Self.angle { azimuth, elevation in azimuth - elevation })
    let lines = CalibrationText.make(calibration).split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(lines.contains(["0001", "1.0016", "64.00", "0.1501"]))
    #expect(lines.contains(["0002", "-0.1002", "-6.40", "-0.0150"]))
    #expect(lines.contains(["-48.00", "36.00", "1", "-84.00", "5.73"]))
    #expect(lines.count { $0.count == 5 && $0[2] == "1" } == 121)
  }

  @Test("the verb writes to a file or to standard output, and tells what stays behind")
  func verb() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("cal.json")
    let curve = #""line_of_sight":{"power_dbm":[-90,-80],"bias_m":[0.1,0],"deviation_m":0.04}"#
    try Data("{\"version\":1,\"delay\":{\"devices\":[{\"address\":\"0001\",\"delay_s\":1e-9}],\(curve)}}".utf8)
      .write(to: URL(fileURLWithPath: file))
    let text = try UwbProcess.run("calibrate", "export", file, "--to", "text")
    #expect(text.status == 0 && text.output.contains("0001"), "\(text.errors)")
    let out = folder.path("board.json")
    let run = try UwbProcess.run(
      "calibrate", "export", file, "--to", "qorvo", "--antenna-delay", "16375", "--out", out)
    #expect(run.status == 0 && run.output.isEmpty && run.errors.contains("received power"), "\(run.errors)")
    #expect(try String(contentsOfFile: out, encoding: .utf8).contains("\"ant0.ch9.ant_delay\": \"16407\""))
    let nxp = try UwbProcess.run("calibrate", "export", file, "--to", "nxp")
    #expect(nxp.status == 1 && nxp.output.isEmpty && nxp.errors.contains("not public"), "\(nxp.errors)")
    for wrong in [
      ["--to", "ti"], ["--to", "nxp", "--pdoa-offset", "200"], ["--to", "qorvo", "--antenna-delay", "70000"],
    ] {
      #expect(try UwbProcess.run(["calibrate", "export", file] + wrong).status == 64, "\(wrong)")
    }
  }
}
