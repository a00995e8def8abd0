import Foundation
import Testing
import UWBReport

@Suite struct PathsReportTests {
  private func row(_ index: Int, _ series: String = "poll, antenna 0") -> PathsReport.Row {
    var row = PathsReport.Row(capture: "a.log", series: series, exchange: index, time: Double(index) / 10)
    (row.firstPathTaps, row.deviationTaps, row.deviation) = (745.25, 0.02, 0.006)
    (row.chipFirstPathTaps, row.amplitude, row.snrdB, row.lineOfSightProbability) = (744.5, 10, 31, 0.9)
    return row
  }

  private func sample(_ count: Int) -> PathsReport {
    var report = PathsReport()
    for index in 0..<count {
      report.add(row(index), tapSpacing: 1e-9) { taps in taps.map { $0 == 745 ? 100 : $0 < 745 ? 1 : 10 } }
    }
    var lost = PathsReport.Row(capture: "a.log", series: "poll, antenna 0", exchange: count, time: Double(count))
    lost.problem = "noFirstPath"
    report.add(lost, tapSpacing: 1e-9) { $0.map { _ in 1 } }
    report.addSkippedInput(reason: "damagedFrame", count: 3)
    return report
  }

  @Test func thePageHoldsPathsProfileMarksAndLosses() throws {
    let check = try expectSound(sample(200).page(of: "First paths of a.log"))
    for text in [
      "201 impulse responses", "was found in 200", "in 1 there was none", "6 mm or less", "31.0 dB", "noFirstPath",
      "damagedFrame", "745.250 taps", "0.750 taps",
    ] { #expect(check.html.replacing("\u{a0}", with: " ").contains(text), "\(text)") }
    // The mean response on top, then what is linked over time.
    #expect(check.groups.count == 2)
    let profile = try #require(check.tracks.first)
    let medians = try #require(try PageCheck.column("median", of: profile))
    #expect(medians.count == 96 && medians[16] == -0.5 && medians[15] == -40.5 && medians[17] == -20.5)
    #expect(try PageCheck.column("delay", of: profile)?[16] == 0)
    let track = try #require((check.groups[1]["tracks"] as? [[String: Any]])?.first)
    #expect(track["name"] as? String == "a.log · poll, antenna 0" && track["x"] as? String == "time")
    #expect(try PageCheck.column("first", of: track)?.compactMap { $0 }.count == 200)
    #expect(try PageCheck.column("amplitude", of: track)?.first == 20)
    for column in ["deviation", "chip", "snr", "lineOfSight"] {
      #expect(try PageCheck.column(column, of: track)?.count == 201, "\(column)")
    }
    let marks = try #require(track["marks"] as? [[String: Any]])
    #expect(marks.map { $0["label"] as? String } == ["noFirstPath"])
    #expect(try PageCheck.column("exchange", of: marks[0]) == [200])
    #expect(PageCheck.waterfall(of: track).count == 200 * 96)
  }

  @Test func theSameRowsGiveTheSameBytes() {
    func html() -> String { sample(50).page(of: "x").html { _ in "" } }
    #expect(html() == html())
  }

  @Test func manyResponsesStayBoundedAndKeepExtremes() throws {
    var report = PathsReport()
    for index in 0..<60_000 {
      var row = row(index, "poll, antenna \(index % 3)")
      row.firstPathTaps = index == 31_234 ? 800 : 745.25
      report.add(row, tapSpacing: 1e-9) { taps in taps.map { _ in 1 } }
    }
    let html = report.page(of: "x").html { _ in "" }
    #expect(html.utf8.count < 2_000_000)
    let check = try expectSound(report.page(of: "x"))
    let tracks = try #require(check.groups.last?["tracks"] as? [[String: Any]])
    #expect(tracks.count == 3)
    #expect(try tracks.contains { try PageCheck.column("first", of: $0)?.contains(800) == true })
    let holders = tracks.compactMap { $0["waterfall"] as? [String: Any] }
    #expect(try holders.contains { try PageCheck.column("exchange", of: $0)?.contains(31_234) == true })
  }

  /// Half the responses have an echo: wherever in a long capture they are, the median is between both, and most is both.
  @Test(arguments: [10, 5000, 50_000]) func theProfileIsThatOfAllResponses(_ count: Int) throws {
    var report = PathsReport()
    for index in 0..<count {
      let echo: Float = index < count / 2 ? 100 : 1
      report.add(row(index), tapSpacing: 1e-9) { taps in taps.map { $0 == 745 ? 100 : $0 == 750 ? echo : 0.2 } }
    }
    let track = try #require(expectSound(report.page(of: "x")).tracks.first)
    #expect(try PageCheck.column("high", of: track)?[21] == -0.5 && PageCheck.column("low", of: track)?[21] == -40.5)
    #expect((track["note"] as? String)?.hasSuffix("impulse responses.") == true)
  }

  @Test func seriesWithoutEndStayBounded() throws {
    var report = PathsReport()
    for index in 0..<1000 {
      report.add(row(index, "series \(index)"), tapSpacing: 1e-9) { taps in taps.map { _ in 1 } }
    }
    let check = try expectSound(report.page(of: "x"))
    #expect((check.groups.last?["tracks"] as? [Any])?.count == 24)
    #expect(check.html.contains("all others together"))
  }

  @Test(arguments: hostileNames) func hostileNamesAreOnlyText(_ name: String) throws {
    func page(_ name: String) -> Page {
      var report = PathsReport()
      for problem in [nil, name] {
        var row = PathsReport.Row(capture: name, series: name, exchange: 0, time: 0)
        (row.problem, row.firstPathTaps) = (problem, 5)
        report.add(row, tapSpacing: 1e-9) { taps in taps.map { _ in 1 } }
      }
      report.addSkippedInput(reason: name, count: 1)
      return report.page(of: name)
    }
    let check = try expectSound(page(name))
    #expect(try check.markup.elements == expectSound(page("plain")).markup.elements)
  }

  @Test func hostileNumbersAreSurvived() throws {
    var report = PathsReport()
    for value in [0, -1, 1e300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude] as [Double] {
      for exchange in [0, .max, .min] {
        var row = PathsReport.Row(capture: "a", series: "b", exchange: exchange, time: value)
        (row.firstPathTaps, row.deviationTaps, row.deviation) = (value, value, value)
        (row.chipFirstPathTaps, row.amplitude, row.snrdB, row.lineOfSightProbability) = (value, value, value, value)
        report.add(row, tapSpacing: value) { taps in taps.map { _ in Float(value) } }
        report.add(row, tapSpacing: 1e-9) { taps in taps.map { _ in Float(value) } }
      }
    }
    _ = try expectSound(report.page(of: ""))
    _ = try expectSound(PathsReport().page(of: "none"))
  }
}
