import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP
import UWBSimulation

/// `uwb calibrate delay --self` as a user runs it: captures of devices that stand still, no distance measured.
@Suite("calibrate delay --self") struct SelfCalibrationCommandTests {
  /// Devices in a room, with delays that their chips don't know of; one capture for each pair.
  private struct Ring {
    let folder: TemporaryFolder
    let places: [SIMD3<Double>]
    /// s
    let delays: [Double]
    var captures: [String] = []

    init(_ count: Int, seed: UInt64, exchanges: Int = 25) throws {
      folder = try TemporaryFolder()
      var random = StatisticsRandom(seed: seed)
      places = (0..<count).map {
        let angle = 2 * Double.pi * Double($0) / Double(count)
        return SIMD3(
          4 * cos(angle) + random.uniform(-0.5...0.5), 1.2, 4 * sin(angle) + random.uniform(-0.5...0.5))
      }
      delays = (0..<count).map { _ in 2e-9 * random.gaussian() }
      for one in 0..<count {
        for other in 0..<one {
          captures.append(try write(one, other, exchanges, seed: seed &+ UInt64(100 * one + other)))
        }
      }
    }

    static func address(_ index: Int) -> DeviceAddress { DeviceAddress(rawValue: UInt64(0xA0 + index)) }

    func distance(_ one: Int, _ other: Int) -> Double {
      let offset = places[one] - places[other]
      return (offset * offset).sum().squareRoot()
    }

    /// What a delay setting lacks, transmission and reception together, is on the receptions here.
    private func write(_ one: Int, _ other: Int, _ count: Int, seed: UInt64) throws -> String {
      var link = ExchangeConfiguration(
        profile: .ideal, array: .single(), peerTrajectory: .stationary(places[other]), exchangeCount: count)
      link.localPose = DevicePose(position: places[one])
      link.local = Self.address(one)
      link.peer = Self.address(other)
      link.localClock = SimulatedClock(offsetTicks: seed, rateppm: 3)
      link.peerClock = SimulatedClock(offsetTicks: 77 &* seed, rateppm: -4)
      let path = folder.path("\(one)-\(other)")
      let writer = try createCapture(
        path, header: CaptureHeader(format: "sigmf", profile: "ideal", array: AntennaArray.single().layout),
        format: .sigmf)
      for var exchange in ExchangeSimulator(link, seed: seed) {
        Self.shift(&exchange.poll, by: delays[one])
        if var response = exchange.response {
          Self.shift(&response, by: delays[other])
          exchange.response = response
        }
        if var final = exchange.final {
          Self.shift(&final, by: delays[one])
          exchange.final = final
        }
        try writer.append(exchange)
      }
      try writer.finish()
      return path + ".sigmf-meta"
    }

    private static func shift(_ message: inout RangingMessage, by delay: Double) {
      guard let time = message.reception?.time else { return }
      message.reception?.time = time.advanced(byTicks: Int64((delay / UWB.tick).rounded()))
    }
  }

  private static func rows(_ run: UwbProcess, _ table: String) throws -> [[String: Any]] {
    try run.events().filter { ($0["table"] as? String)?.hasPrefix(table) == true }
  }

  /// 45 pairs of ten devices: delays within four of their deviations, and distances that nobody gave are right.
  @Test func tenDevices() throws {
    let ring = try Ring(10, seed: 31)
    let file = ring.folder.path("cal.json")
    let run = try UwbProcess.run(
      ["calibrate", "delay"] + ring.captures + ["--self", "plane", "--place-deviation", "0.005", "--out", file]
        + ["--output", "ndjson", "--report", ring.folder.path("page.html")])
    #expect(run.status == 0, "\(run.errors)")
    let page = try ReportPagesTests.Written(ring.folder.path("page.html"))
    #expect(page.html.contains("10 devices, 45 pairs of them ranged") && page.bars.count == 10)
    #expect(page.titles == ["Where the devices stand", "Residuals"])
    let devices = try Self.rows(run, "antenna delays")
    #expect(devices.count == 10)
    for (index, row) in devices.enumerated() {
      #expect(row["device"] as? String == Ring.address(index).description)
      let delay = try #require(row["delay_ns"] as? Double)
      let deviation = try #require(row["delay_std_ns"] as? Double)
      #expect(deviation < 0.3)
      #expect(abs(delay - ring.delays[index] * 1e9) < 4 * deviation, "\(index): \(row)")
    }
    #expect(try Self.rows(run, "what the delays come from").count == 45)
    let errors = try Self.rows(run, "errors against the captures' own truth")
    let rms = errors.compactMap { $0["rms_m"] as? Double }
    #expect(rms.count == 2 && rms[0] > 0.2 && rms[1] < 0.02, "\(rms)")
    // The engine takes the file.
    let replay = try UwbProcess.run("replay", ring.captures[7], "--calibration", file)
    let updates = try replay.events().filter { $0["event"] as? String == "update" }
    #expect(updates.count == 25)
    for update in updates {
      let error = try #require(update["distance_m"] as? Double) - #require(update["true_distance_m"] as? Double)
      #expect(abs(error) < 0.1)
    }
  }

  /// Five devices don't determine their delays, and it is said what does; with three distances and two delays known they do.
  @Test func fiveDevices() throws {
    let ring = try Ring(5, seed: 41)
    let file = ring.folder.path("cal.json")
    let arguments = ["calibrate", "delay"] + ring.captures + ["--self", "plane", "--out", file]
    let bare = try UwbProcess.run(arguments)
    #expect(bare.status == 1)
    for part in ["10 ranges", "12 unknowns", "2 more values", "seven devices", "--known-delay"] {
      #expect(bare.errors.contains(part), "\(part): \(bare.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: file))
    // One pair missing is named.
    let fewer = try UwbProcess.run(arguments.filter { !$0.hasSuffix("/4-2.sigmf-meta") })
    #expect(fewer.status == 1 && fewer.errors.contains("00a2–00a4"), "\(fewer.errors)")

    let truth = ring.folder.path("truth.csv")
    var table = "capture,distance_m\n"
    for (one, other) in [(1, 0), (2, 1), (4, 3)] {
      table += "\(one)-\(other).sigmf-meta,\(ring.distance(one, other))\n"
    }
    try table.write(toFile: truth, atomically: true, encoding: .utf8)
    let known = [0, 3].flatMap { ["--known-delay", "\(Ring.address($0))=\(ring.delays[$0] * 1e9)"] }
    let run = try UwbProcess.run(arguments + ["--truth", truth, "--output", "ndjson"] + known)
    #expect(run.status == 0, "\(run.errors)")
    for (index, row) in try Self.rows(run, "antenna delays").enumerated() {
      let delay = try #require(row["delay_ns"] as? Double)
      let deviation = try #require(row["delay_std_ns"] as? Double)
      #expect(abs(delay - ring.delays[index] * 1e9) < 4 * deviation + 0.02, "\(index): \(row)")
    }
    // Two distances of one pair: somebody moved.
    try (table + "0-1.sigmf-meta,2\n").write(toFile: truth, atomically: true, encoding: .utf8)
    for part in ["meta", "data"] {
      try FileManager.default.copyItem(
        atPath: ring.folder.path("1-0.sigmf-\(part)"), toPath: ring.folder.path("0-1.sigmf-\(part)"))
    }
    let moved = try UwbProcess.run(arguments + ["--truth", truth, ring.folder.path("0-1.sigmf-meta")])
    #expect(moved.status == 1 && moved.errors.contains("two distances"), "\(moved.errors)")
  }

  @Test func wrongUse() throws {
    let folder = try TemporaryFolder()
    let out = folder.path("cal.json")
    #expect(try UwbProcess.run("calibrate", "delay", "x", "--out", out, "--self", "sphere").status == 64)
    #expect(try UwbProcess.run("calibrate", "delay", "x", "--out", out, "--known-delay", "a1=1").status == 64)
    for bad in ["a1", "a1=", "=1", "zz=1", "a1=nan", "a1=1=2"] {
      let run = try UwbProcess.run("calibrate", "delay", "x", "--out", out, "--self", "plane", "--known-delay", bad)
      #expect(run.status == 64, "\(bad)")
    }
    #expect(
      try UwbProcess.run("calibrate", "delay", "x", "--out", out, "--self", "plane", "--place-deviation", "0").status
        == 64)
    let ring = try Ring(2, seed: 51, exchanges: 2)
    let stranger = try UwbProcess.run(
      ["calibrate", "delay"] + ring.captures + ["--self", "plane", "--out", out, "--known-delay", "77=1"])
    #expect(stranger.status == 1 && stranger.errors.contains("0077"), "\(stranger.errors)")
    // A table of single-sided ranging does not say who recorded it.
    let table = folder.path("one.csv")
    try "poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,carrier_offset\n1000,9000,70000000,70008100,0\n".write(
      toFile: table, atomically: true, encoding: .utf8)
    let unnamed = try UwbProcess.run("calibrate", "delay", table, "--self", "plane", "--out", out)
    #expect(unnamed.status == 1 && unnamed.errors.contains("one.csv"), "\(unnamed.errors)")
  }
}
