import Foundation
import Testing
import UWBReport

@Suite struct PanelChartsTests {
  private func check(_ charts: PageCharts) throws -> PageCheck {
    try expectSound(Page(title: "", sentence: "", lead: charts))
  }

  @Test func seriesShareOneListOfPlaces() throws {
    var panel = Panel(title: "curves", x: Axis("delay (taps)", range: 0...2), y: Axis("magnitude (dB re peak)"))
    panel.series = [
      Series("a", x: [0, 1, 2], y: [5, 6, 7], line: .dotted),
      Series("b", x: [0.5, 1, 1, 3], y: [1, 2, 3, 4], line: nil, marker: .dot),
      Series("none", x: [1], y: [.nan]),
    ]
    panel.lines = [ReferenceLine(.x, at: 1.5, label: "first path", deviation: 0.25), ReferenceLine(.y, at: 3)]
    let check = try check(PageCharts([panel]))
    let track = try #require(check.tracks.first)
    #expect(try PageCheck.column("p0x", of: track) == [0, 0.5, 1, 1, 2, 3])
    #expect(try PageCheck.column("p00", of: track) == [5, nil, 6, nil, 7, nil])
    // An upright piece of a curve stays one.
    #expect(try PageCheck.column("p01", of: track) == [nil, 1, 2, 3, nil, 4])
    #expect(try PageCheck.column("p02", of: track) == nil)
    let chart = try #require((check.groups.first?["charts"] as? [[String: Any]])?.first)
    let x = try #require(chart["x"] as? [String: Any])
    #expect(x["label"] as? String == "delay" && x["unit"] as? String == "taps" && x["range"] as? [Double] == [0, 2])
    let series = try #require(chart["series"] as? [[String: Any]])
    #expect(series.map { $0["style"] as? String } == ["line", "dots", "line"])
    #expect(series[0]["dash"] as? [Int] == [2, 4])
    let lines = try #require((track["lines"] as? [String: [[String: Any]]])?["curves"])
    #expect(lines[0]["label"] as? String == "first path" && lines[0]["deviation"] as? Double == 0.25)
    #expect(lines[1]["y"] as? Double == 3 && lines[1]["x"] == nil)
  }

  @Test func logarithmicAxesTakeWhatIsPositive() throws {
    var panel = Panel(x: Axis("error (m)", scale: .logarithmic), y: Axis("RMS (m)", scale: .logarithmic))
    panel.series = [Series("a", x: [-1, 0, 1e-6, 1], y: [1, 1, 0.5, -2])]
    let track = try #require(check(PageCharts([panel])).tracks.first)
    #expect(try PageCheck.column("p0x", of: track)?.count == 1 && PageCheck.column("p00", of: track) == [0.5])
  }

  @Test func longSeriesStayBoundedAndKeepTheirExtremes() throws {
    var panel = Panel(x: Axis("x"), y: Axis("y"))
    let count = 100_000
    var y = (0..<count).map { sin(Double($0) / 100) }
    y[54_321] = 77
    panel.series = [Series("a", x: (0..<count).map(Double.init), y: y)]
    let track = try #require(check(PageCharts([panel])).tracks.first)
    let kept = try #require(try PageCheck.column("p00", of: track))
    #expect(kept.count <= 2048 && kept.contains { abs(($0 ?? 0) - 77) < 0.01 })
  }

  @Test func aChoiceHasATrackForEachPanelAndSeriesByTheirNames() throws {
    let panels = [("awgn", ["a", "b"]), ("cm1", ["b", "c"])].map { name, series in
      var panel = Panel(title: name, x: Axis("SNR (dB)"), y: Axis("RMS error (m)"))
      panel.series = series.enumerated().map { Series($1, x: [0, 10], y: [Double($0), 1], marker: .ring) }
      return panel
    }
    let check = try check(PageCharts(choosing: "Channel", from: panels))
    #expect(check.tracks.map { $0["name"] as? String } == ["awgn", "cm1"])
    #expect(check.groups.first?["label"] as? String == "Channel")
    let chart = try #require((check.groups.first?["charts"] as? [[String: Any]])?.first)
    let series = try #require(chart["series"] as? [[String: Any]])
    #expect(chart["title"] as? String == "RMS error" && series.map { $0["label"] as? String } == ["a", "b", "c"])
    #expect(series.map { $0["style"] as? String } == ["marked", "marked", "marked"])
    // b is the second of the first panel and the first of the second.
    #expect(try PageCheck.column("p1", of: check.tracks[0]) == [1, 1])
    #expect(try PageCheck.column("p1", of: check.tracks[1]) == [0, 1])
    #expect(try PageCheck.column("p0", of: check.tracks[1]) == nil)
    _ = try self.check(PageCharts(choosing: "none", from: []))
  }

  @Test func chartsOfTheSameTitleAreToldApart() throws {
    var panel = Panel(title: "same", x: Axis("x"), y: Axis("y"))
    panel.series = [Series("a", x: [0, 1], y: [0, 1])]
    let charts = try #require(check(PageCharts([panel, panel, panel])).groups.first?["charts"] as? [[String: Any]])
    #expect(charts.map { $0["title"] as? String } == ["same", "same (2)", "same (3)"])
  }
}
