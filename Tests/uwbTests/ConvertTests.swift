import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

@Suite("info and convert")
struct ConvertTests {
  /// A log of made-up exchanges.
  static func log(_ count: Int, tapCount: Int = 1016, seed: UInt64 = 9) -> (text: String, ends: [Int]) {
    var writer = DecaRangingLogWriter(seed: seed)
    var text = writer.head
    var ends: [Int] = []
    for _ in 0..<count {
      text += writer.text(writer.exchange(tapCount: tapCount))
      ends.append(text.utf8.count)
    }
    return (text, ends)
  }

  /// What an exchange holds, as far as a replay can tell.
  static func fingerprint(_ exchange: RangingExchange) -> String {
    let messages = exchange.messages.map { message -> String in
      let samples = message.reception?.impulseResponse.map { response in
        response.samples().map { "\($0)" }.joined().hashValue
      }
      return "\(message.transmitted as Any) \(message.reception?.time as Any) "
        + "\(message.reception?.chipFirstPathTaps as Any) \(samples as Any)"
    }
    return "\(exchange.index) \(exchange.time) \(exchange.peer) \(messages) \(exchange.chipReport as Any)"
  }

  /// Lines of a replay that speak of exchanges, without the capture's name.
  static func updates(_ run: UwbProcess) -> [String] {
    run.lines.filter { $0.contains("\"exchange\"") }.map { String($0).replacing(/"capture":"[^"]*",/, with: "") }
  }

  static func read(_ path: String) throws -> [RangingExchange] {
    var reader = try openCapture(path)
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    return exchanges
  }

  @Test(
    "a log, as a recording, an archive or a collection, gives the same updates",
    arguments: ["a.sigmf-meta", "b.sigmf", "collection", "c.ndjson"])
  func roundTrip(name: String) throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(Self.log(6).text.utf8).write(to: URL(fileURLWithPath: log))
    let split = name == "collection" ? ["--split", "1"] : []
    let run = try UwbProcess.run(["convert", log, folder.path(name)] + split)
    #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
    #expect(run.errors.contains("6 exchanges, 12 CIRs") && run.errors.contains("not carried over: nothing"))
    let one = try UwbProcess.run("replay", log)
    let other = try UwbProcess.run("replay", folder.path(name))
    #expect(Self.updates(one).joined().count > 500)
    #expect(Self.updates(one) == Self.updates(other))
  }

  @Test("each public log's recording replays to the same bytes", .needsRealData("decaranging-apartment"))
  func realLogs() throws {
    let folder = try TemporaryFolder()
    let logs = try RealCaptures.allLogs()
    #expect(logs.count == 22)
    for log in logs {
      #expect(try UwbProcess.run("convert", log, folder.path("x")).status == 0)
      let (one, other) = (
        Self.updates(try UwbProcess.run("replay", log)), Self.updates(try UwbProcess.run("replay", folder.path("x")))
      )
      #expect(one.count > 50 && one == other, "\(log): \(one.count) and \(other.count) updates")
    }
  }

  @Test("tables give the same updates from a recording, phases and odd counters with them", arguments: ["", ".ndjson"])
  func tables(ending: String) throws {
    let folder = try TemporaryFolder()
    let phases = "PDoA1,PDoA2,Distance,AoA1,AoA2,Real Azimuth\n-75,10,203,-30.5,4,-30\n20,-5,180,12,-3,10\n"
    try Data(phases.utf8).write(to: URL(fileURLWithPath: folder.path("p.csv")))
    let ranging =
      "timestamp,Distance,resp_rx_ts,poll_tx_ts,resp_tx_ts,poll_rx_ts,FirstPathAmp1,FirstPathAmp2,FirstPathAmp3,"
      + "Standard Noise,RSSI(dBm),anchor_id\n"
      + "1000,10.037364,72110257,0,-627894096,-700000000,14808,14198,9559,48,-79.5,12\n"
      + "1000.5,10.037364,-71889743,-144000000,722105904,650000000,14808,14198,9559,48,-79.5,12\n"
    try Data(ranging.utf8).write(to: URL(fileURLWithPath: folder.path("r.csv")))
    for table in ["p", "r"] {
      let out = folder.path(table + ending)
      #expect(try UwbProcess.run("convert", folder.path(table + ".csv"), out).status == 0)
      let one = try UwbProcess.run("replay", folder.path(table + ".csv"), "--angle", "none")
      let other = try UwbProcess.run("replay", out, "--angle", "none")
      let lines = Self.updates(one)
      #expect(lines.count == 2 && lines.allSatisfy { $0.contains("update") }, "\(one.output)\(one.errors)")
      #expect(Self.updates(other) == lines, "\(other.output)\(other.errors)")
      // What a chip made of its phases is not in an update.
      #expect(
        try Self.read(out).map { "\($0.chipReport as Any) \($0.phaseDifferences as Any)" }
          == Self.read(folder.path(table + ".csv")).map { "\($0.chipReport as Any) \($0.phaseDifferences as Any)" })
    }
  }

  @Test("ndjson and csv go to standard output")
  func standardOutput() throws {
    let log = Data(Self.log(2, tapCount: 4).text.utf8)
    let lines = try UwbProcess.run("convert", "-", "-", "--to", "ndjson", input: log)
    #expect(lines.status == 0 && lines.lines.count == 3, "\(lines.errors)")
    let table = try UwbProcess.run("convert", "-", "-", "--to", "csv", input: log)
    #expect(table.status == 0 && table.output.ranges(of: "\r\n").count == 7, "\(table.errors)")
    let neither = try UwbProcess.run("convert", "-", "-", input: log)
    #expect(neither.status == 1 && neither.errors.contains("--to ndjson"))
  }

  @Test("what could not be read or carried over is told")
  func account() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data((Self.log(2, tapCount: 4).text + "RX E\r\n").utf8).write(to: URL(fileURLWithPath: log))
    let run = try UwbProcess.run("convert", log, folder.path("a.npy"))
    #expect(run.errors.contains("skipped input: receiveError 1"))
    #expect(run.errors.contains("not carried over: exchangeFields 2, notes 2, profile 1"), "\(run.errors)")
  }

  @Test("a capture is not converted onto itself", arguments: ["a.sigmf-meta", "a", "a.sigmf-data", "./a"])
  func ontoItself(name: String) throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(Self.log(2, tapCount: 4).text.utf8).write(to: URL(fileURLWithPath: log))
    #expect(try UwbProcess.run("convert", log, folder.path("a")).status == 0)
    let run = try UwbProcess.run("convert", folder.path("a.sigmf-meta"), folder.path(name))
    #expect(run.status == 1 && run.errors.contains("is the capture that is to be read"))
    #expect(try Self.read(folder.path("a")).count == 2)
  }

  @Test("info says what a capture holds and lacks")
  func info() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(Self.log(4, tapCount: 8).text.utf8).write(to: URL(fileURLWithPath: log))
    let text = try UwbProcess.run("info", log)
    #expect(text.status == 0, "\(text.errors)")
    for part in ["exchanges: 4", "poll: 4", "CIRs: 8", "missing for distance: none", "a second antenna"] {
      #expect(text.output.contains(part), "\(text.output)")
    }
    let line = try #require(try UwbProcess.run("info", log, "--output", "ndjson").events().first)
    #expect(line["exchanges"] as? Int == 4 && line["cirs"] as? Int == 8)
    #expect(line["missing_for_distance"] is NSNull)
  }

  @Test("info says of single receptions that there is no distance in them")
  func infoOfReceptions() throws {
    let run = try UwbProcess.run("info", "-", input: Data("CIR[740:2] 0a00f6ff1e00e2ff\n".utf8))
    #expect(run.output.contains("no exchange can be ranged"), "\(run.output)")
    #expect(run.output.contains("the time the poll was sent (in 1 of 1 exchanges)"))
    let replay = try UwbProcess.run("replay", "-", input: Data("CIR[740:2] 0a00f6ff1e00e2ff\n".utf8))
    #expect(replay.status == 0 && replay.output.contains("\"event\":\"rejected\""))
  }

  @Test("options tell what an array does not say")
  func arrayOptions() throws {
    let folder = try TemporaryFolder()
    var bytes: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, 118, 0]
    let dictionary = "{'descr': '<c8', 'fortran_order': False, 'shape': (3, 2), }"
    bytes += Array((dictionary + String(repeating: " ", count: 117 - dictionary.utf8.count) + "\n").utf8)
    bytes += [UInt8](repeating: 1, count: 48)
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("a.npy")))
    let antennas = try UwbProcess.run("info", folder.path("a.npy"))
    #expect(antennas.output.contains("CIRs: 1 (1 of 3 × 2 taps, float32)"), "\(antennas.output)\(antennas.errors)")
    let cirs = try UwbProcess.run("info", folder.path("a.npy"), "--rows", "cirs", "--profile", "ideal")
    #expect(cirs.output.contains("CIRs: 3 (3 of 1 × 2 taps, float32)") && cirs.output.contains("(npy, ideal)"))
    #expect(try UwbProcess.run("info", folder.path("a.npy"), "--tap-spacing", "-1").status == 64)
  }

  @Test("a table that convert wrote is read again, and written the same")
  func tablesComeBack() throws {
    let folder = try TemporaryFolder()
    #expect(try UwbProcess.run("simulate", "still", "--out", folder.path("still")).status == 0)
    #expect(try UwbProcess.run("convert", folder.path("still.sigmf-meta"), folder.path("a.csv")).status == 0)
    let again = try UwbProcess.run("convert", folder.path("a.csv"), folder.path("b.csv"))
    #expect(again.status == 0 && again.errors.contains("skipped input: nothing"), "\(again.errors)")
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.path("a.csv")))
        == Data(contentsOf: URL(fileURLWithPath: folder.path("b.csv"))))
  }
}
