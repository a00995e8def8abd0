import Foundation
import Testing

@testable import UWBReport

@Suite struct ReplayReportTests {
  private func sample(count: Int = 300) -> ReplayReport {
    var report = ReplayReport()
    var random = SeededRandom(seed: 5)
    for index in 0..<count {
      let time = Double(index) * 0.1
      let truth = 3 + sin(time)
      let error = Double.random(in: -0.1...0.1, using: &random)
      var update = ReplayReport.Update(peer: "A1", exchange: index, time: time)
      (update.distance, update.distanceDeviation, update.rawDistance) = (truth + error, 0.06, truth + 2 * error)
      (update.chipDistance, update.trueDistance) = (truth + 0.2, truth)
      (update.azimuth, update.azimuthDeviation, update.trueAzimuth) = (time / 100, 0.02, time / 100 + 0.01)
      (update.elevation, update.trueElevation, update.snrdB) = (0.1, 0, 30 + error)
      (update.firstPathTaps, update.chipFirstPathTaps, update.lineOfSightProbability) = (745, 744.5, 0.9)
      report.add(update)
      report.addImpulseResponse(of: update, tapSpacing: 1e-9) { taps in
        taps.map { tap in tap < 745 ? 1 : 100 }
      }
    }
    let end = Double(count) * 0.1
    for time in [end, end + 1] { report.addRejection(peer: "A1", exchange: count, time: time, reason: "noFirstPath") }
    report.addSkippedInput(reason: "damaged CIR", count: 7)
    return report
  }

  @Test func thePageIsWellFormedAndWhole() throws {
    let check = try expectSound(sample().page(of: "walk", provenance: [.init("delay estimator", "PulseFit")]))
    // Errors, captures and peers, rejected, skipped, and how it was made.
    #expect(check.markup.elements["table"] == 5 && check.groups.count == 3)
    for text in [
      "302 exchanges", "300 updates", "noFirstPath", "damaged CIR", "PulseFit", "delivered", "chip&#39;s own",
    ] {
      #expect(check.html.contains(text), "\(text)")
    }
    let track = try #require(check.tracks.first)
    #expect(check.tracks.count == 1 && track["name"] as? String == "A1" && track["x"] as? String == "time")
    for column in [
      "time", "exchange", "distance", "distanceDeviation", "raw", "chip", "truth", "error", "azimuth", "trueAzimuth",
      "elevation", "snr", "lineOfSight", "firstPath",
    ] { #expect(try PageCheck.column(column, of: track)?.count == 300, "\(column)") }
    #expect(try PageCheck.column("firstPath", of: track)?.allSatisfy { $0 == 0.5 } == true)
    let marks = try #require(track["marks"] as? [[String: Any]])
    #expect(marks.map { $0["label"] as? String } == ["rejected, noFirstPath"])
    #expect(try PageCheck.column("time", of: #require(marks.first)) == [30, 31])
    let levels = PageCheck.waterfall(of: track)
    #expect(levels.count == 300 * 96 && levels[15] == 160 && levels[16] == 0)
  }

  @Test func anEmptyReplaySaysSo() throws {
    let check = try expectSound(ReplayReport().page(of: "nothing"))
    #expect(check.html.contains("0 exchanges with 0 peers gave 0 updates.") && check.groups.isEmpty)
  }

  @Test func theSameEventsGiveTheSameBytes() {
    func html() -> String { sample().page(of: "walk").html { _ in "" } }
    #expect(html() == html())
  }

  @Test func truthIsNotInvented() throws {
    var report = ReplayReport()
    var update = ReplayReport.Update(peer: "A1", exchange: 4, time: 0)
    (update.distance, update.distanceDeviation) = (2, 0.1)
    report.add(update)
    let check = try expectSound(report.page(of: "no truth"))
    #expect(!check.html.contains("Errors") && !check.html.contains("of the truth") && check.groups.count == 1)
    let track = try #require(check.tracks.first)
    let columns = try #require(track["columns"] as? [String: Any])
    #expect(Set(columns.keys) == ["time", "exchange", "distance", "distanceDeviation"])
    #expect(try PageCheck.column("distance", of: track) == [2])
    let bar = try #require((check.pictures.first?["bars"] as? [[String: Any]])?.first)
    #expect(bar["value"] as? Double == 2 && bar["mark"] is NSNull)
  }

  @Test func azimuthErrorsWrap() {
    var report = ReplayReport()
    var update = ReplayReport.Update(peer: "A1", time: 0)
    (update.azimuth, update.trueAzimuth) = (3.1, -3.1)
    report.add(update)
    #expect(abs(report.errors.azimuth.mean - (6.2 - 2 * Double.pi)) < 1e-12)
  }

  @Test func errorsAreThoseOfTheirStageAndLabel() throws {
    var report = ReplayReport()
    for (index, isLineOfSight) in [true, false, nil].enumerated() {
      var update = ReplayReport.Update(peer: "A1", exchange: index, time: Double(index))
      (update.trueDistance, update.isLineOfSight) = (5, isLineOfSight)
      (update.rawDistance, update.calibratedDistance, update.distance) = (6, 5.5, 4.75)
      update.distanceDeviation = 0.25
      report.add(update)
    }
    #expect(Set(report.errors.labelled.keys) == ["LOS", "NLOS"])
    #expect(report.errors.all.stages.mapValues(\.mean) == [.raw: 1, .calibrated: 0.5, .delivered: -0.25])
    #expect(report.errors.all.stages[.raw]?.count == 3 && report.errors.labelled["LOS"]?.stages[.raw]?.count == 1)
    #expect(report.errors.all.normalized.mean == -1)
    let check = try expectSound(report.page(of: "labels"))
    let tracks = try #require(check.groups.dropFirst().first?["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["name"] as? String } == ["all", "LOS", "NLOS"])
    for track in tracks {
      for stage in ["raw", "calibrated", "delivered"] {
        #expect(try PageCheck.column(stage, of: track)?.last == 100, "\(stage)")
      }
      #expect(try PageCheck.column("chip", of: track) == nil)
    }
  }

  @Test(arguments: hostileNames) func hostileNamesAreOnlyText(_ name: String) throws {
    func page(_ name: String) -> Page {
      var report = ReplayReport()
      var update = ReplayReport.Update(capture: name, peer: name, time: 0)
      update.distance = 1
      report.add(update)
      report.addRejection(capture: name, peer: name, time: 1, reason: name)
      report.addEvent(capture: name, peer: name, time: 2, name: name)
      report.addSkippedInput(reason: name)
      return report.page(of: name, provenance: [.init(name, name)])
    }
    let check = try expectSound(page(name))
    #expect(try check.markup.elements == expectSound(page("plain")).markup.elements)
    #expect(check.tracks.map { $0["name"] as? String } == ["\(name) · \(name)"])
    let marks = try #require(check.tracks.first?["marks"] as? [[String: Any]])
    #expect(marks.map { $0["label"] as? String } == ["rejected, \(name)", name])
  }

  @Test func hostileNumbersAreSurvived() throws {
    let extremes =
      [
        0, -1, 1e300, -1e300, .greatestFiniteMagnitude, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
      ] as [Double]
    for rowsPerTrack in [-1, 1, 2048] {
      var report = ReplayReport(rowsPerTrack: rowsPerTrack)
      for one in extremes {
        for (other, exchange) in zip(
          [1, .nan, .infinity, 1e300, -1e-300] as [Double], [0, .max, .min, -1, 7] as [Int])
        {
          var update = ReplayReport.Update(peer: "A1", exchange: exchange, time: one)
          (update.distance, update.distanceDeviation, update.rawDistance) = (other, one, one)
          (update.calibratedDistance, update.chipDistance, update.trueDistance) = (other, other, one)
          (update.azimuth, update.azimuthDeviation, update.trueAzimuth) = (other, one, one)
          (update.chipAzimuth, update.elevation, update.elevationDeviation) = (one, other, one)
          (update.trueElevation, update.clockOffsetPPM, update.snrdB) = (one, one, other)
          (update.firstPathTaps, update.chipFirstPathTaps, update.lineOfSightProbability) = (one, other, one)
          report.add(update)
          report.addImpulseResponse(of: update, tapSpacing: one) { $0.map { _ in Float(other) } }
          report.addImpulseResponse(of: update, tapSpacing: 1e-9) { $0.map { _ in Float(other) } }
          report.addRejection(peer: "A2", exchange: exchange, time: one, reason: "x")
        }
      }
      report.addSkippedInput(reason: "y", count: .max)
      report.addSkippedInput(reason: "y", count: .max)
      let check = try expectSound(report.page(of: ""))
      #expect(
        check.groups.contains { $0["label"] as? String == "Capture and peer" } == (rowsPerTrack > 0))
    }
  }

  @Test func peersAndReasonsWithoutEndStayBounded() throws {
    var report = ReplayReport(rowsPerTrack: 16)
    for index in 0..<5000 {
      var update = ReplayReport.Update(peer: "peer \(index)", time: 0)
      update.distance = 1
      report.add(update)
      report.addRejection(peer: "peer \(index)", time: 0, reason: "reason \(index)")
    }
    #expect(report.tracks.count == ReplayReport.listedTrackLimit)
    #expect(report.tracks.filter(\.isDrawn).count == ReplayReport.drawnTrackLimit)
    #expect(report.unlisted.updates == 5000 - ReplayReport.listedTrackLimit)
    #expect(report.rejections.count == 65 && report.rejections.values.reduce(0, +) == 5000)
    let check = try expectSound(report.page(of: "crowd"))
    #expect(check.tracks.count == ReplayReport.drawnTrackLimit)
    #expect(check.html.contains("all others together") && check.html.utf8.count < 500_000)
  }

  @Test func anEventWithoutAnExchangeIsThatOfTheLast() throws {
    var report = ReplayReport(source: "device")
    var update = ReplayReport.Update(capture: "anna", peer: "bert", exchange: 41, time: 3)
    update.distance = 1
    report.add(update)
    report.addEvent(capture: "anna", peer: "bert", time: 9, name: "peer removed: timeout")
    let check = try expectSound(report.page(of: "room"))
    let mark = try #require((check.tracks.first?["marks"] as? [[String: Any]])?.first)
    #expect(try PageCheck.column("exchange", of: mark) == [41] && PageCheck.column("time", of: mark) == [9])
    #expect(check.groups.first?["label"] as? String == "Device and peer")
  }

  @Test func marksWithoutEndStayBounded() throws {
    var report = ReplayReport()
    for index in 0..<10_000 {
      report.addEvent(peer: "A1", exchange: index, time: Double(index), name: "often")
      report.addRejection(peer: "A1", exchange: index, time: Double(index), reason: "reason \(index)")
    }
    let check = try expectSound(report.page(of: "marks"))
    let marks = try #require(check.tracks.first?["marks"] as? [[String: Any]])
    #expect(marks.count == 16)
    let often = try #require(marks.first { $0["label"] as? String == "often" })
    #expect(often["count"] as? Int == 10_000)
    let (from, to) = (try PageCheck.column("time", of: often), try PageCheck.column("time_end", of: often))
    #expect(try #require(from).count <= MarkRuns.capacity && from?.first == 0 && to?.last == 9999)
  }

  @Test func aLongReplayIsDrawnByItsExtremes() throws {
    var report = sample(count: 40_000)
    var outlier = ReplayReport.Update(peer: "A1", exchange: 40_000, time: 5000)
    (outlier.distance, outlier.rawDistance, outlier.firstPathTaps) = (123.4, 123.4, 745)
    report.add(outlier)
    report.addImpulseResponse(of: outlier, tapSpacing: 1e-9) { $0.map { _ in 1 } }
    let check = try expectSound(report.page(of: "long"))
    let track = try #require(check.tracks.first)
    // 40 001 rows in 2048 runs of 32.
    #expect((track["note"] as? String)?.contains(" 32 exchanges") == true)
    let distances = try #require(try PageCheck.column("distance", of: track))
    #expect(distances.count <= 2 * 2048)
    #expect(distances.contains { abs(($0 ?? 0) - 123.4) < 1e-4 })
    #expect(PageCheck.waterfall(of: track).count <= 2 * 512 * 96)
    #expect(
      try PageCheck.column("exchange", of: #require(track["waterfall"] as? [String: Any]))?.contains(40_000) == true)
  }

  @Test func longReplaysOfManyPeersStaySmall() throws {
    var report = ReplayReport()
    for index in 0..<24 * 6000 {
      var update = ReplayReport.Update(peer: "peer \(index % 24)", exchange: index, time: Double(index) * 0.01)
      (update.distance, update.rawDistance, update.firstPathTaps) = (sin(Double(index)), cos(Double(index)), 745)
      report.add(update)
      report.addImpulseResponse(of: update, tapSpacing: 1e-9) { $0.map { _ in 1 } }
    }
    let check = try expectSound(report.page(of: "crowd"))
    // 49 152 rows and 384 KiB of impulse responses in all; the coarsening stops as soon as it can.
    let rows = try check.tracks.map { try #require(try PageCheck.column("time", of: $0)).count }
    #expect(rows.count == 24 && (rows.max() ?? 0) <= 2 * (rows.min() ?? 0) + 2)
    #expect((49_152 / 2...49_152).contains(rows.reduce(0, +)))
    let bytes = check.tracks.map { PageCheck.waterfall(of: $0).count }
    #expect((393_216 / 4...393_216).contains(bytes.reduce(0, +)))
  }

  @Test func withoutARisingClockTheExchangeIsTheAxis() throws {
    var report = ReplayReport()
    for (peer, times) in [("still", [0.0, 0, 0]), ("back", [2, 1, 3]), ("good", [0, 0, 1])] {
      for (index, time) in times.enumerated() {
        var update = ReplayReport.Update(peer: peer, exchange: index, time: time)
        update.distance = 1
        report.add(update)
      }
    }
    #expect(report.tracks.map(\.rows.hasTimes) == [false, false, true])
    let check = try expectSound(report.page(of: "clocks"))
    #expect(check.groups.map { ($0["tracks"] as? [Any])?.count } == [1, 2])
    #expect(check.html.contains("no clock that rises"))
  }
}
