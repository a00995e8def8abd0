import Foundation
import Testing

@testable import UWBReport

@Suite struct ReplayReportTests {
  private func update(_ index: Int, peer: String = "A1") -> ReplayReport.Update {
    var update = ReplayReport.Update(peer: peer, exchange: index, time: Double(index) * 0.1)
    let truth = 3 + sin(update.time)
    let error = 0.1 * sin(Double(index) * 7.3)
    (update.distance, update.distanceDeviation, update.rawDistance) = (truth + error, 0.06, truth + 2 * error)
    (update.chipDistance, update.trueDistance) = (truth + 0.2, truth)
    (update.azimuth, update.azimuthDeviation, update.trueAzimuth) = (0.1, 0.02, 0.11)
    (update.elevation, update.trueElevation) = (0.1, 0)
    (update.snrdB, update.firstPathTaps, update.chipFirstPathTaps) = (30 + error, 745, 744.5)
    update.lineOfSightProbability = 0.9
    return update
  }

  private func sample(count: Int = 300) -> ReplayReport {
    var report = ReplayReport()
    for index in 0..<count {
      let update = update(index)
      report.add(update)
      report.addImpulseResponse(of: update, tapSpacing: 1e-9) { taps in taps.map { Float(abs($0 - 745)) } }
    }
    report.addRejection(peer: "A1", exchange: count, time: 40, reason: "noFirstPath")
    report.addRejection(peer: "A1", exchange: count + 1, time: 50, reason: "noFirstPath")
    report.addSkippedInput(reason: "damaged CIR", count: 7)
    return report
  }

  private func html(_ report: ReplayReport, _ title: String = "walk") -> String {
    report.page(of: title, provenance: [.init(title, list: [title])]).html { _ in "sha512-none" }
  }

  /// What the page's script reads.
  private func data(_ html: String) throws -> [String: Any] {
    let start = try #require(html.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(html.range(of: "</script>", range: start.upperBound..<html.endIndex))
    let text = html[start.upperBound..<end.lowerBound]
    return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func thePageIsWhole() throws {
    let html = html(sample())
    for text in ["300 updates", "noFirstPath", "damaged CIR", "Errors against the truth", "chip&#39;s own"] {
      #expect(html.contains(text), "\(text)")
    }
    let groups = try #require(try data(html)["groups"] as? [[String: Any]])
    #expect(groups.count == 3)
    let track = try #require((groups[0]["tracks"] as? [[String: Any]])?.first)
    #expect(track["waterfall"] != nil && (track["marks"] as? [Any])?.count == 1)
  }

  @Test func anEmptyReplaySaysSo() throws {
    let html = html(ReplayReport(), "nothing")
    #expect(html.contains("0 exchanges with 0 peers gave 0 updates."))
    #expect(try (data(html)["groups"] as? [Any])?.isEmpty ?? true)
  }

  @Test func theSameEventsGiveTheSameBytes() { #expect(html(sample()) == html(sample())) }

  @Test func truthIsNotInvented() {
    var report = ReplayReport()
    var update = ReplayReport.Update(peer: "A1", time: 0)
    (update.distance, update.distanceDeviation) = (2, 0.1)
    report.add(update)
    #expect(!html(report).contains("Errors against the truth") && report.errors.isEmpty)
  }

  @Test func azimuthErrorsWrap() {
    var report = ReplayReport()
    var update = ReplayReport.Update(peer: "A1", time: 0)
    (update.azimuth, update.trueAzimuth) = (3.1, -3.1)
    report.add(update)
    #expect(abs(report.errors.azimuth.mean - (6.2 - 2 * Double.pi)) < 1e-12)
  }

  @Test(arguments: hostileNames) func hostileNamesAreOnlyText(_ name: String) throws {
    var report = ReplayReport()
    var update = ReplayReport.Update(capture: name, peer: name, time: 0)
    update.distance = 1
    report.add(update)
    report.addRejection(capture: name, peer: name, time: 1, reason: name)
    report.addEvent(capture: name, peer: name, time: 1, name: name)
    report.addSkippedInput(reason: name)
    let html = html(report, name)
    // As many elements as with a name of letters, and data that ends where it should.
    let plain = self.html(ReplayReport(), "x")
    func count(_ element: String, _ text: String) -> Int { text.components(separatedBy: element).count }
    #expect(count("<script", html) == count("<script", plain) && count("</script", html) == count("</script", plain))
    #expect(count("<img", html) == count("<img", plain))
    #expect(try data(html)["groups"] != nil)
  }

  @Test func hostileNumbersAreSurvived() throws {
    var report = ReplayReport(rowsPerTrack: -1)
    for one in [0, -1, 1e300, -1e300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude] as [Double] {
      for other in [1, .nan, .infinity, 1e300, -1e-300] as [Double] {
        var update = ReplayReport.Update(peer: "A1", time: one)
        (update.distance, update.distanceDeviation, update.rawDistance) = (other, one, one)
        (update.chipDistance, update.trueDistance, update.azimuth) = (other, one, other)
        (update.azimuthDeviation, update.trueAzimuth, update.elevation) = (one, one, other)
        (update.elevationDeviation, update.trueElevation, update.snrdB) = (one, one, other)
        (update.firstPathTaps, update.chipFirstPathTaps, update.lineOfSightProbability) = (one, other, one)
        report.add(update)
        report.addImpulseResponse(of: update, tapSpacing: other) { $0.map { _ in Float(one) } }
        report.addRejection(peer: "A2", time: one, reason: "x")
      }
    }
    report.addSkippedInput(reason: "y", count: .max)
    report.addSkippedInput(reason: "y", count: .max)
    #expect(try data(html(report))["groups"] != nil)
  }

  @Test func peersAndReasonsWithoutEndStayBounded() {
    var report = ReplayReport(rowsPerTrack: 16)
    for index in 0..<5000 {
      report.add(update(0, peer: "peer \(index)"))
      report.addRejection(peer: "peer \(index)", time: 0, reason: "reason \(index)")
    }
    #expect(report.tracks.count == ReplayReport.listedTrackLimit)
    #expect(report.tracks.filter(\.isDrawn).count == ReplayReport.drawnTrackLimit)
    #expect(report.unlisted.updates == 5000 - ReplayReport.listedTrackLimit)
    #expect(report.rejections.count == 65 && report.rejections.values.reduce(0, +) == 5000)
    let empty = html(ReplayReport()).utf8.count
    #expect(html(report).utf8.count < empty + 400_000)
  }

  @Test func longReplaysStaySmall() {
    let short = html(sample(count: 5000)).utf8.count
    let long = html(sample(count: 40_000))
    #expect(long.utf8.count < 2 * short && long.contains("so that no extreme is lost"))
  }

  @Test func withoutAClockThatRisesTheExchangeIsTheAxis() {
    var report = ReplayReport()
    for index in 0..<10 {
      var update = update(index)
      update.time = 0
      report.add(update)
    }
    #expect(html(report).contains("Over exchanges") && !html(report).contains(">Over time<"))
  }

  @Test func impulseResponsesKeepThoseOfExtremeDistances() throws {
    var runs = ImpulseResponseRuns()
    var asked = 0
    for index in 0..<10_000 {
      let value = index == 7777 ? 9.0 : index == 1234 ? -9 : 1
      runs.add(.init(exchange: index, time: Double(index)), value: value, first: 20, chip: nil, spacing: 1) {
        asked += 1
        return $0.map { Float($0 == 20 ? 1 : 0.1) }
      }
    }
    let waterfall = try #require(runs.waterfall)
    let rows = try #require(waterfall.rows as Int?)
    #expect(rows <= 1024 && rows >= 512 && asked < 6000)
    #expect(runs.byteCount <= 1024 * ImpulseResponseRuns.taps)
  }

  @Test func marksKeepFirstAndLast() {
    var marks = MarkRuns()
    for index in 0..<100_000 { marks.add(.init(exchange: index, time: Double(index))) }
    #expect(marks.count == 100_000 && marks.runs.count <= MarkRuns.capacity)
    #expect(marks.runs.first?.first.exchange == 0 && marks.runs.last?.last.exchange == 99_999)
  }
}
