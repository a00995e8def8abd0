import Foundation
import TestSupport
import Testing

/// What the project promises on the DecaRanging logs of a furnished flat (Kolakowski 2021, doi 10.5281/zenodo.4742391):
/// 22 logs, 3 189 whole exchanges.
@Suite("real DecaRanging logs (need UWB_DATA)", .needsRealData("decaranging-apartment"))
struct RealLogTests {
  /// One tick of the device clock, m.
  private static let tick = 299_702_547 / (128 * 499.2e6)

  private struct Update {
    var raw: Double
    var deviation: Double
    var chip: Double
  }

  private static func updates(of logs: [String]? = nil, _ arguments: String...) throws -> [String: [Update]] {
    let run = try UwbProcess.run(["replay"] + (logs ?? RealCaptures.allLogs()) + arguments)
    #expect(run.status == 0, "\(run.errors)")
    var updates: [String: [Update]] = [:]
    for event in try run.events() where event["event"] as? String == "update" {
      let capture = try #require(event["capture"] as? String)
      updates[capture, default: []].append(
        Update(
          raw: try #require(event["raw_distance_m"] as? Double),
          deviation: try #require(event["raw_distance_std_m"] as? Double),
          chip: try #require(event["chip_raw_distance_m"] as? Double)))
    }
    return updates
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// 1.48 × the median absolute deviation.
  private static func spread(_ values: [Double]) -> Double {
    let middle = median(values)
    return 1.4826 * median(values.map { abs($0 - middle) })
  }

  /// The chip cuts its time of flight to whole ticks: 4.69 mm. So ours less `DistRaw` lies in 0 ..< 4.69 mm, and does so
  /// for every exchange only if timestamps, wraps and formula are all right.
  @Test("with the chip's own first paths every distance is the log's DistRaw, but for its cut to whole ticks")
  func chipDistances() throws {
    let updates = try Self.updates("--delay", "chip")
    #expect(updates.count == 22)
    #expect(updates.values.reduce(0) { $0 + $1.count } == 3189)
    for (capture, values) in updates {
      let differences = values.map { $0.raw - $0.chip }
      #expect(differences.allSatisfy { $0 > -2e-6 && $0 < Self.tick + 2e-6 }, "\(capture)")
      let middle = Self.median(differences)
      #expect(middle >= 0.0020 - 2e-6 && middle <= 0.0027 + 2e-6, "\(capture): \(middle) m")
    }
  }

  /// - Parameters:
  ///   - offset: most that a log in line of sight may differ from the chip, m.
  ///   - spread: most that ours may spread within a log, m.
  ///   - deviation: most that a log may state as its deviation, m.
  private static func checkLineOfSight(
    _ updates: [String: [Update]], offset: Double, spread: Double, deviation: Double = 0.05
  ) throws {
    let logs = try RealCaptures.lineOfSight.map { try #require(updates["\($0).log"]) }
    let offsets = logs.map { log in median(log.map { $0.raw - $0.chip }) }
    #expect(abs(median(offsets)) < 0.02, "median over LOS logs of ours minus the chip's: \(offsets)")
    // One constant for all logs.
    #expect(offsets.allSatisfy { abs($0) < offset }, "\(offsets)")
    let ours = median(logs.map { log in Self.spread(log.map(\.raw)) })
    #expect(ours <= spread, "spread \(ours) m")
    for log in logs {
      let stated = median(log.map(\.deviation))
      #expect(stated > 0.01 && stated < deviation)
    }
  }

  @Test("edge-fit agrees with the chip's calibrated distances, and spreads no wider")
  func edgeDistances() throws {
    let updates = try Self.updates("--delay", "edge-fit")
    try Self.checkLineOfSight(updates, offset: 0.02, spread: 0.026)
    let chip = try RealCaptures.lineOfSight.map { Self.spread(try #require(updates["\($0).log"]).map(\.chip)) }
    #expect(Self.median(chip) >= 0.026)
  }

  @Test("the default estimator agrees with the chip in line of sight")
  func defaultDistances() throws {
    try Self.checkLineOfSight(Self.updates(), offset: 0.05, spread: 0.031, deviation: 0.06)
  }

  /// Root mean square of the raw error, m.
  private static func error(_ updates: [String: [Update]]) throws -> Double {
    let truth = ApartmentTruth.load(folder: try #require(RealCaptures.folder))
    let squares = try updates.flatMap { capture, log in
      let distance = try #require(Int(capture.dropLast(4)).flatMap { truth[$0]?.distance })
      return log.map { ($0.raw - distance) * ($0.raw - distance) }
    }
    return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
  }

  @Test("a pulse that one half of the logs shows serves the other half no worse than the profile's")
  func calibratedPulse() throws {
    let folder = try TemporaryFolder()
    let logs = try RealCaptures.allLogs()
    let halves = [0, 1].map { half in logs.indices.filter { $0 % 2 == half }.map { logs[$0] } }
    var updates: [String: [Update]] = [:]
    for (own, other) in [(halves[0], halves[1]), (halves[1], halves[0])] {
      let pulse = folder.path("pulse.json")
      let run = try UwbProcess.run(["calibrate", "pulse"] + own + ["--out", pulse])
      #expect(run.status == 0, "\(run.errors)")
      try updates.merge(Self.updates(of: other, "--pulse", pulse)) { $1 }
    }
    #expect(updates.count == logs.count)
    #expect(try Self.error(updates) < 1.05 * Self.error(Self.updates()))
  }

  /// In log 27 the tag's chip, whose CIRs nobody recorded, takes one of several later paths for the first, as the anchor's does.
  @Test("what both chips miss is taken off, and its scatter is stated")
  func reciprocalDistances() throws {
    let updates = try Self.updates()
    #expect(try Self.error(updates) <= 0.66)
    let log = try #require(updates["27.log"])
    let spread = Self.spread(log.map(\.raw))
    #expect((0.5 * spread...2 * spread).contains(Self.median(log.map(\.deviation))))
    let inspected = try UwbProcess.run("inspect", RealCaptures.log("27"), "--exchange", "12").output
    #expect(inspected.contains("m of the distance for receptions without a CIR"), "\(inspected)")
    let clear = try UwbProcess.run("inspect", RealCaptures.log("12"), "--exchange", "12").output
    #expect(clear.contains("raw distance") && !clear.contains("without a CIR"), "\(clear)")
  }

  @Test("every exchange yields an update or a rejection, and every loss has a reason")
  func nothingIsLost() throws {
    let run = try UwbProcess.run(["replay"] + RealCaptures.allLogs())
    let events = try run.events()
    let summary = try #require(events.last)
    #expect(summary["event"] as? String == "summary")
    let exchanges = try #require(summary["exchanges"] as? Int)
    let updates = try #require(summary["updates"] as? Int)
    let rejected = try #require(summary["rejected"] as? [String: Int])
    let skipped = try #require(summary["skipped_input"] as? [String: Int])
    #expect(exchanges == 3189)
    #expect(updates + rejected.values.reduce(0, +) == exchanges)
    #expect(updates >= 3180)
    // Log 8, exchange 150, whose accumulator holds a pulse long before the signal, included.
    #expect(events.allSatisfy { !($0["fallback"] is String) })
    #expect(events.filter { $0["event"] as? String == "update" }.count == updates)
    // Counted by hand with grep: 102 frames with receive errors, 12 polls without a final, one report of an exchange
    // that was over before the log began.
    #expect(skipped == ["receiveError": 102, "incompleteExchange": 12, "staleReport": 1])
  }

  @Test("a log from a pipe gives the bytes that it gives as a file")
  func pipe() throws {
    let path = try RealCaptures.log("12")
    let fromFile = try UwbProcess.run("replay", path)
    let fromPipe = try UwbProcess.run("replay", "-", input: Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(fromPipe.status == 0)
    #expect(fromPipe.output == fromFile.output.replacing("\"12.log\"", with: "\"-\""))
  }

  @Test("a log that ends in the middle yields what is whole", arguments: [0.1, 0.37, 0.62, 0.99])
  func cut(share: Double) throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: RealCaptures.log("12")))
    let all = try UwbProcess.run("replay", "-", input: whole)
    let part = try UwbProcess.run("replay", "-", input: whole.prefix(Int(Double(whole.count) * share)))
    #expect(part.status == 0)
    let wholeUpdates = all.lines.filter { $0.contains("\"update\"") }
    let partUpdates = part.lines.filter { $0.contains("\"update\"") }
    #expect(!partUpdates.isEmpty)
    // All but the last, whose report the cut may have taken, are to the byte what they are in the whole log.
    #expect(Array(partUpdates.dropLast()) == Array(wholeUpdates.prefix(partUpdates.count - 1)))
  }

  @Test("inspect draws an exchange of a log")
  func inspect() throws {
    let folder = try TemporaryFolder()
    let picture = folder.path("cir.svg")
    let run = try UwbProcess.run(
      "inspect", try RealCaptures.log("11"), "--exchange", "3", "--message", "final", "--svg", picture)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("745.8750 taps"))
    let svg = try String(contentsOfFile: picture, encoding: .utf8)
    #expect(svg.hasPrefix("<?xml") || svg.hasPrefix("<svg"))
    #expect(svg.contains("chip's first path") || svg.contains("chip&#39;s first path"))
  }
}
