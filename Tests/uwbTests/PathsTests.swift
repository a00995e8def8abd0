import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

@testable import uwb

@Suite("first paths of any capture")
struct PathsTests {
  private static let fields = [
    "capture", "exchange", "time_s", "peer", "message", "segment", "antenna", "status", "first_path_taps",
    "first_path_std_taps",
    "first_path_std_m", "common_first_path_taps", "chip_first_path_taps", "amplitude", "phase_deg", "phase_std_deg",
    "snr_db", "noise_std", "line_of_sight_probability",
  ]

  /// Three antennas in a room that are fitted together where the estimator can.
  private static func walk(_ folder: TemporaryFolder) throws -> String {
    let run = try UwbProcess.run("simulate", "walk", "--out", folder.path("walk"))
    #expect(run.status == 0, "\(run.errors)")
    return folder.path("walk.sigmf-meta")
  }

  /// CIRs alone, as NumPy keeps them.
  private static func array(_ folder: TemporaryFolder) throws -> String {
    let run = try UwbProcess.run("convert", try walk(folder), folder.path("cirs.npy"))
    #expect(run.status == 0, "\(run.errors)")
    return folder.path("cirs.npy")
  }

  private static func text(_ run: UwbProcess) throws -> [String] {
    #expect(run.status == 0, "\(run.errors)")
    return run.lines.map(String.init)
  }

  @Test(
    "a row for each antenna of each CIR, with the first paths that replay has",
    arguments: ["adaptive", "edge-fit", "leading-edge", "chip"])
  func asReplay(delay: String) throws {
    let folder = try TemporaryFolder()
    let capture = try Self.walk(folder)
    let rows = Dictionary(grouping: try UwbProcess.run("paths", capture, "--delay", delay).events()) {
      "\($0["exchange"] ?? "") \($0["message"] ?? "")"
    }
    let updates = try UwbProcess.run("replay", capture, "--delay", delay).events()
      .filter { $0["event"] as? String == "update" }
    var counted = 0
    for update in updates {
      let found = try #require(update["first_path_taps"] as? [String: Any])
      for message in ["poll", "final"] {
        let own = rows["\(update["exchange"] ?? "") \(message)"] ?? []
        #expect(own.map { $0["antenna"] as? Int } == [0, 1, 2])
        for row in own {
          #expect(Set(row.keys) == Set(Self.fields))
          #expect(row["status"] as? String == "ok")
          #expect(row["common_first_path_taps"] as? Double == found[message] as? Double)
          #expect((row["first_path_std_taps"] is NSNull) == (delay == "chip"))
          #expect(row["chip_first_path_taps"] is Double)
        }
        counted += own.count
      }
    }
    #expect(counted > 100 && counted == rows.values.reduce(0) { $0 + $1.count })
  }

  @Test("deviations in metres are those in taps, and SNR is amplitude over noise")
  func units() throws {
    let folder = try TemporaryFolder()
    let rows = try UwbProcess.run("paths", try Self.array(folder), "--profile", "ideal", "--paths").events()
    #expect(rows.count > 100)
    for row in rows {
      func number(_ name: String) throws -> Double { try #require(row[name] as? Double, "\(name)") }
      let metresPerTap = UWB.tap * UWB.speedOfLightInAir
      #expect(abs(try number("first_path_std_m") - number("first_path_std_taps") * metresPerTap) < 2e-5)
      let ratio = try number("amplitude") / number("noise_std")
      #expect(abs(try number("snr_db") - 20 * log10(ratio)) < 0.006)
      #expect(row["chip_first_path_taps"] is NSNull)
      let paths = try #require(row["paths"] as? [[Double]])
      #expect(
        try paths.first == [
          number("first_path_taps"), number("first_path_std_taps"), number("amplitude"), number("phase_deg"),
        ])
      #expect(paths.map { $0[0] } == paths.map { $0[0] }.sorted())
    }
  }

  @Test("csv holds the columns of ndjson, in their order and with their digits")
  func csv() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.walk(folder)
    let objects = try Self.text(try UwbProcess.run("paths", capture, "--paths"))
    let lines = try Self.text(try UwbProcess.run("paths", capture, "--paths", "--output", "csv"))
    #expect(lines[0] == (Self.fields + ["paths"]).joined(separator: ","))
    try #require(lines.count == objects.count + 1)
    for (line, object) in zip(lines.dropFirst(), objects) {
      // The list, which has commas, is last and quoted.
      let parts = line.split(separator: ",\"", maxSplits: 1)
      let cells = parts[0].split(separator: ",", omittingEmptySubsequences: false) + [parts[1].dropLast()]
      try #require(cells.count == Self.fields.count + 1)
      for (name, cell) in zip(Self.fields + ["paths"], cells) {
        let isText = ["capture", "peer", "message", "segment", "status"].contains(name)
        let value = cell.isEmpty ? "null" : isText ? "\"\(cell)\"" : "\(cell)"
        #expect(object.contains("\"\(name)\":\(value)"), "\(name) \(value)")
      }
    }
  }

  @Test("any number of threads gives the same bytes, as does standard input", arguments: ["ndjson", "csv", "table"])
  func threads(output: String) throws {
    let folder = try TemporaryFolder()
    let capture = try Self.array(folder)
    func paths(_ capture: String, _ threads: Int, input: Data? = nil) throws -> UwbProcess {
      let options = ["--profile", "ideal", "--paths", "--output", output, "--threads", "\(threads)"]
      return try UwbProcess.run(["paths", capture, capture] + options, input: input)
    }
    let one = try paths(capture, 1)
    #expect(one.status == 0 && !one.output.isEmpty, "\(one.errors)")
    for count in [2, 16] { #expect(try paths(capture, count).output == one.output, "\(count) threads") }
    let alone = try UwbProcess.run("paths", capture, "--profile", "ideal", "--output", output)
    let piped = try UwbProcess.run(
      "paths", "-", "--profile", "ideal", "--output", output, input: try Data(contentsOf: URL(fileURLWithPath: capture))
    )
    #expect(piped.output == alone.output.replacing("cirs.npy", with: "-"))
  }

  @Test("the table fits a terminal and says what went wrong where nothing was found")
  func table() throws {
    let folder = try TemporaryFolder()
    let lines = try Self.text(try UwbProcess.run("paths", try Self.walk(folder), "--paths", "--output", "table"))
    #expect(lines[0] == "walk.sigmf-meta (sigmf, ideal, adaptive)")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains { $0.contains("path 2") })
    let head = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 1, 32, 2), }".padding(
      toLength: 117, withPad: " ", startingAt: 0)
    let path = folder.path("zeroes.npy")
    let array = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0, 118, 0]) + Data("\(head)\n".utf8) + Data(count: 128)
    try array.write(to: URL(fileURLWithPath: path))
    let run = try UwbProcess.run("paths", path, "--output", "table")
    #expect(run.lines.last?.hasSuffix(" emptyImpulseResponse") == true, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("1 CIRs of 1 exchanges, ok 0, emptyImpulseResponse 1"), "\(run.errors)")
  }

  @Test("initiator and responder are one path: the same CIR in any message gives the same row but for the message")
  func messages() throws {
    let folder = try TemporaryFolder()
    var reader = try openCapture(try Self.walk(folder))
    let exchange = try #require(try reader.next())
    let reception = try #require(exchange.poll.reception)
    let finder = PathFinder(
      RangingEngine(.init(profile: .ideal)), capture: "x", kind: .ndjson, listsPaths: true)
    func rows(_ message: String, _ change: (inout RangingExchange) -> Void) -> String {
      var other = RangingExchange(
        index: 0, time: 0, peer: exchange.peer, initiator: message == "response" ? .local : .peer,
        poll: RangingMessage())
      change(&other)
      let found = finder.find(in: other)
      #expect(found.totals.impulseResponses == 1)
      return String(decoding: found.text, as: UTF8.self).replacing(#""message":"\#(message)""#, with: "")
    }
    let heard = RangingMessage(reception: reception)
    let poll = rows("poll") { $0.poll = heard }
    #expect(poll.split(separator: "\n").count == 3)
    #expect(rows("response") { $0.response = heard } == poll)
    #expect(rows("second_poll") { $0.secondPoll = heard } == poll)
    #expect(rows("final") { $0.final = heard } == poll)
  }

  @Test("each segment of the STS has rows of its own, without what the chip says of the preamble")
  func segments() throws {
    let folder = try TemporaryFolder()
    var reader = try openCapture(try Self.walk(folder))
    var exchange = try #require(try reader.next())
    exchange.final = nil
    let response = try #require(exchange.poll.reception?.impulseResponse)
    exchange.poll.reception?.stsImpulseResponses = [response, response]
    let finder = PathFinder(RangingEngine(.init(profile: .ideal)), capture: "x", kind: .csv, listsPaths: false)
    let rows = String(decoding: finder.find(in: exchange).text, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    let segment = try #require(Self.fields.firstIndex(of: "segment"))
    let chip = try #require(Self.fields.firstIndex(of: "chip_first_path_taps"))
    #expect(rows.map { $0[segment] } == ["preamble", "sts1", "sts2"].flatMap { [$0, $0, $0] })
    for (index, row) in rows.enumerated() {
      #expect(row[chip].isEmpty == (index >= 3))
      let (own, first) = (row.enumerated(), rows[index % 3].enumerated())
      #expect(
        own.filter { ![segment, chip].contains($0.0) }.map(\.1)
          == first.filter { ![segment, chip].contains($0.0) }.map(\.1))
    }
  }

  @Test("inspect shows the rows of its exchange as the table does")
  func inspect() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.walk(folder)
    let rows = try Self.text(try UwbProcess.run("paths", capture, "--paths", "--output", "table"))
    let starts = rows.indices.filter { rows[$0].hasPrefix("      7 ") || rows[$0].hasPrefix("      8 poll     ") }
    let own = rows[try #require(starts.first)..<(try #require(starts.first { rows[$0].hasPrefix("      8 ") }))]
    let shown = try UwbProcess.run("inspect", capture, "--exchange", "7").output
    #expect(own.count >= 6)
    #expect(shown.contains(([rows[1]] + own).map { "  \($0)" }.joined(separator: "\n")), "\(shown)")
  }

  @Test("what replay can't range it names together with the verb that helps")
  func advice() throws {
    let folder = try TemporaryFolder()
    let array = try Self.array(folder)
    for output in ["ndjson", "csv", "summary"] {
      let run = try UwbProcess.run("replay", array, "--output", output)
      #expect(run.status == 0 && run.errors.contains("uwb paths \(array)"), "\(run.errors)")
    }
    #expect(!(try UwbProcess.run("replay", try Self.walk(folder))).errors.contains("uwb paths"))
    #expect(try UwbProcess.run("info", array).output.contains("uwb paths"))
  }

  @Test("a capture without a CIR is an error that names the verb for it; others are read all the same")
  func withoutImpulseResponses() throws {
    let folder = try TemporaryFolder()
    let table = folder.path("twr.csv")
    let row = "1.0,1000,2000,3000,4000,1.5"
    try Data("timestamp,poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,Distance\n\(row)\n".utf8)
      .write(to: URL(fileURLWithPath: table))
    let run = try UwbProcess.run("paths", table, try Self.array(folder))
    #expect(run.status == 1 && run.errors.contains("uwb replay \(table)"), "\(run.errors)")
    #expect(run.lines.count > 100)
  }

  @Test("real logs: each first path is replay's", .needsRealData("decaranging-apartment"))
  func realLog() throws {
    let log = try RealCaptures.log("12")
    var found: [String: Double] = [:]
    for row in try UwbProcess.run("paths", log).events() {
      let key = "\(row["exchange"] as? Int ?? -1) \(row["message"] as? String ?? "")"
      found[key] = row["first_path_taps"] as? Double
    }
    let updates = try UwbProcess.run("replay", log).events().filter { $0["event"] as? String == "update" }
    #expect(updates.count > 10)
    for update in updates where update["fallback"] is NSNull {
      let taps = try #require(update["first_path_taps"] as? [String: Any])
      for message in ["poll", "final"] {
        #expect(found["\(update["exchange"] as? Int ?? -2) \(message)"] == taps[message] as? Double)
      }
    }
  }
}
