import Foundation
import Testing

@testable import UWBReport

@Suite struct PageTests {
  private func page(_ text: String) -> Page {
    let axis = PageChart.Axis(column: text, text, unit: text)
    var track = PageTrack(name: text, note: text)
    track.add(text, [1, 2], step: 1)
    track.lines[text] = [.init(text, x: 1, color: .strong)]
    var peer = PagePicture.Peer(name: text)
    (peer.distance, peer.azimuth) = (1, 2)
    let charts = PageCharts(
      label: text, x: axis, tracks: [track],
      charts: [PageChart(text, x: axis, y: axis, series: [.init(text, column: text, color: .neutral)], note: text)],
      hint: text)
    let bars = PagePicture(text, unit: text, bars: [.init(text, value: 1)], caption: text)
    var panel = Panel(title: text, x: Axis(text), y: Axis(text))
    panel.series = [Series(text, x: [1, 2], y: [1, 2])]
    panel.lines = [ReferenceLine(.x, at: 1, label: text)]
    return Page(
      title: text, sentence: text, picture: PagePicture(peers: [peer, peer]), lead: charts,
      sections: [
        .init(
          text, note: text,
          [
            .text(text), .table(PageTable(text, columns: [text], rows: [[text]])), .charts(charts),
            .listing(text, lines: [text, text]),
          ] + [bars.map { .picture($0) }].compactMap { $0 }),
        .init(text, [.charts(PageCharts([panel])), .charts(PageCharts(choosing: text, from: [panel]))]),
      ], provenance: [.init(text, text, text), .init(text, list: [String](repeating: text, count: 30))])
  }

  @Test(arguments: hostileNames + ["</script><script>alert(1)</script>", "</SCRIPT >", "\\u003c/script>", "\\"])
  func hostileTextIsOnlyText(_ text: String) throws {
    let check = try expectSound(page(text))
    let plain = try expectSound(page("plain"))
    #expect(check.markup.elements == plain.markup.elements)
    let group = try #require(check.groups.first)
    #expect(group["label"] as? String == text && check.tracks.first?["name"] as? String == text)
    #expect(try PageCheck.column(text, of: #require(check.tracks.first)) == [1, 2])
    #expect(check.pictures.count == 2 && check.groups.count == 4)
  }

  /// The first screen and what is folded keep their order: pictures and charts find their places by number.
  @Test func picturesAndChartsStandAtTheirPlaces() throws {
    let check = try expectSound(page("plain"))
    #expect(check.markup.attributes["data-picture"] == ["0", "1"])
    #expect(check.markup.attributes["data-group"] == ["0", "1", "2", "3"])
    #expect(check.pictures.map { $0["kind"] as? String } == ["polar", "bars"])
    // A fact of many values is folded, one of two is not.
    #expect(
      check.html.contains("<summary>30 entries</summary>") && !check.html.contains("<summary>2 entries</summary>"))
  }

  @Test func thePolicyNamesJustWhatRuns() throws {
    var hashed: [String] = []
    let html = page("plain").html { bytes in
      hashed.append(String(decoding: bytes, as: UTF8.self))
      return "sha512-\(hashed.count)"
    }
    try #require(hashed.count == 3)
    #expect(hashed.allSatisfy { !$0.isEmpty && !$0.contains("</script") && !$0.contains("</style") })
    #expect(html.contains("<script>\(hashed[0])</script>") && html.contains("<script>\(hashed[1])</script>"))
    #expect(html.contains("<style>\(hashed[2])</style>"))
    #expect(html.contains("default-src 'none'; script-src 'sha512-1' 'sha512-2'; style-src 'sha512-3'; "))
  }

  @Test func longTablesUnfold() throws {
    let table = PageTable(columns: ["a"], rows: (0..<PageTable.openRows + 12).map { ["\($0)"] })
    let check = PictureCheck("<body>\(table.html)</body>")
    #expect(check.isWellFormed && check.elements["td"] == PageTable.openRows + 12)
    #expect(table.html.contains("<details class=\"fold\" open=\"\"><summary>42 rows</summary>"))
    #expect(check.elements["table"] == 2 && table.html.contains("<summary>12 rows more</summary>"))
    #expect(!PageTable(columns: ["a"], rows: [["1"]]).html.contains("<details>"))
  }

  @Test func rowsAndColumnsOfOtherLengthsAreSurvived() {
    let table = PageTable("name", columns: ["a", "b"], rows: [[], ["1"], ["1", "2", "3"]])
    let check = PictureCheck("<body>\(table.html)</body>")
    #expect(check.isWellFormed && check.elements["tr"] == 4 && check.elements["td"] == 3)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e306, .leastNonzeroMagnitude])
  func aPictureIsEncodedWhateverItsNumbers(_ value: Double) throws {
    var (peer, sound) = (PagePicture.Peer(name: "a"), PagePicture.Peer(name: "b"))
    (peer.distance, peer.distanceDeviation, peer.low, peer.high) = (value, value, value, value)
    (peer.azimuth, peer.azimuthDeviation, peer.trueDistance, peer.trueAzimuth) = (value, value, value, value)
    peer.trail = [[value, value], [nil, value]]
    (sound.distance, sound.azimuth) = (1.23456, 20)
    let check = try expectSound(
      Page(title: "", sentence: "", picture: PagePicture(peers: [peer, sound])))
    let peers = try #require(check.pictures.first?["peers"] as? [[String: Any]])
    #expect(peers.last?["distance"] as? Double == 1.2346)
  }

  @Test func aPictureNeedsAPlace() {
    var peer = PagePicture.Peer(name: "a")
    #expect(PagePicture(peers: []) == nil && PagePicture(peers: [peer]) == nil)
    (peer.distance, peer.low, peer.high) = (1, 1, 2)
    #expect(PagePicture(peers: [peer])?.kind == .bars)
    peer.azimuth = .nan
    #expect(PagePicture(peers: [peer])?.kind == .bars)
    peer.azimuth = 10
    #expect(PagePicture(peers: [peer])?.kind == .polar)
    #expect(PagePicture(peers: [PagePicture.Peer](repeating: peer, count: 100))?.peers.count == PagePicture.peerLimit)
  }

  @Test func barsAreRoundedAndBounded() throws {
    let values = [0.123456789, -4567.89, 1e300, .nan, .infinity, 0]
    let picture = try #require(
      PagePicture(
        "Errors.", unit: "m",
        bars: values.map { .init("a", value: $0, deviation: $0, extent: 0...1, mark: $0) }, caption: ""))
    let check = try expectSound(Page(title: "", sentence: "", picture: picture))
    let bars = try #require(check.pictures.first?["bars"] as? [[String: Any]])
    // What is no number is not drawn; what is too large is not known.
    #expect(bars.count == 4 && bars[2]["value"] is NSNull)
    #expect(bars[0]["value"] as? Double == 0.12346 && bars[1]["mark"] as? Double == -4567.9)
    let many = [PagePicture.Bar](repeating: .init("a", value: 1), count: 1000)
    #expect(PagePicture("", unit: "", bars: many, caption: "")?.bars.count == PagePicture.barLimit)
    #expect(PagePicture("", unit: "", bars: [.init("a", value: -1)], caption: "", isLogarithmic: true) == nil)
    #expect(PagePicture("", unit: "", bars: [.init("a", value: nil)], caption: "") == nil)
  }
}
