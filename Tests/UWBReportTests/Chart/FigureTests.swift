import Testing

@testable import UWBReport

@Suite struct FigureTests {
  private func panel(_ series: [Series], x: Axis = Axis("x", padding: 0), y: Axis = Axis("y")) -> Panel {
    var panel = Panel(title: "panel", x: x, y: y)
    panel.series = series
    return panel
  }

  private func svg(_ panel: Panel) -> String { Figure(title: "figure", panels: [panel]).svg() }

  @Test func emptyPanelsSaySo() {
    let drawn = svg(panel([Series("nothing", x: [], y: [])]))
    expectSound(drawn)
    #expect(PictureCheck(drawn).texts.contains("no data"))
    #expect(PictureCheck(svg(panel([Series(x: [1], y: [.nan])]))).texts.contains("no data"))
    expectSound(Figure(title: "", panels: []).svg())
  }

  @Test func singlePointsAreSeen() {
    let drawn = svg(panel([Series(x: [3], y: [7])]))
    expectSound(drawn)
    #expect(PictureCheck(drawn).points(class: "line").count == 1)
  }

  @Test func gapsSplitTheLine() {
    let drawn = svg(panel([Series(x: [0, 1, 2, 3, 4], y: [1, 2, .nan, 2, 1])]))
    let line = PictureCheck(drawn).paths.first { $0.name == "line" }
    #expect(line?.data.filter { $0 == "M" }.count == 2)
    #expect(line?.data.filter { $0 == "L" }.count == 2)
  }

  @Test func stepsHoldTheirValue() {
    let drawn = svg(panel([Series(x: [0, 1, 2], y: [0, 1, 0], isStepped: true)]))
    let points = PictureCheck(drawn).points(class: "line")
    #expect(points.count == 5)
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.x == $1.x || $0.y == $1.y })
  }

  /// However long they are, all their words are drawn, each line within the picture.
  @Test func titlesAreNeverCut() {
    let words = (1...40).map { "word\($0)" }
    let long = words.joined(separator: " ")
    var one = Panel(
      title: long, x: Axis(long), y: Axis((1...7).map { "quantity\($0)" }.joined(separator: " ")), height: 120)
    one.series = [Series(long, x: [0, 1], y: [0, 1])]
    let figure = Figure(title: long, subtitle: long, panels: [one], width: 760)
    let texts = PictureCheck(figure.svg()).texts.dropFirst()
    #expect(!texts.contains { $0.contains("…") })
    #expect(texts.filter { $0 != long }.allSatisfy { TextMetrics.width($0, size: 12) < 760 })
    let drawn = texts.joined(separator: " ").split(separator: " ")
    // Title, subtitle, panel title, x axis, legend, and what a pointer on the series shows.
    for word in words { #expect(drawn.count { $0 == word } == 6, "\(word)") }
    #expect(drawn.contains("quantity7"))
  }

  @Test func everySortOfMarkIsSound() {
    var everything = panel(
      Series.Marker.allCases.map { Series("\($0)", x: [1, 2, .nan, 1e300], y: [1, -2, 3, 4], marker: $0) })
    everything.lines = [
      ReferenceLine(.x, at: 1, label: "one", deviation: 0.2), ReferenceLine(.x, at: .nan, label: "none"),
      ReferenceLine(.y, at: 0, label: "zero", deviation: .infinity), ReferenceLine(.y, at: 1e300, label: "far"),
    ]
    everything.topAxis = DerivedAxis("ns", factor: 1.0016)
    let drawn = svg(everything)
    expectSound(drawn)
    let texts = PictureCheck(drawn).texts
    #expect(texts.contains("one") && texts.contains("zero") && !texts.contains("none") && !texts.contains("far"))
  }

  @Test(arguments: hostileNames) func hostileNamesAreOnlyText(_ name: String) {
    var hostile = Panel(
      title: name, x: Axis(name), y: Axis(name), topAxis: DerivedAxis(name, factor: .nan))
    hostile.series = [Series(name, x: [0, 1], y: [0, 1])]
    hostile.lines = [ReferenceLine(.x, at: 0.5, label: name), ReferenceLine(.y, at: 0.5, label: name)]
    hostile.note = name
    let drawn = Figure(title: name, subtitle: name, panels: [hostile, hostile], columns: 2).svg()
    expectSound(drawn)
    let plain = PictureCheck(svg(panel([Series("a", x: [0, 1], y: [0, 1])]))).elements
    #expect(Set(PictureCheck(drawn).elements.keys) == Set(plain.keys).union(["title"]))
  }

  @Test func theSamePanelGivesTheSameBytes() {
    let one = panel([Series("a", x: [0, 1, 2], y: [0.1, 0.7, 0.3], marker: .ring)])
    #expect(svg(one) == svg(one))
  }

  @Test func unusableSizesAreReplaced() {
    for size in [0, -5, .nan, .infinity, 1e300] as [Double] {
      var one = panel([Series(x: [0, 1], y: [0, 1])])
      one.height = size
      expectSound(Figure(title: "", panels: [one], columns: -1, width: size).svg())
    }
  }

  @Test func clipPathsAreDistinct() {
    let figure = Figure(title: "two", panels: [panel([]), panel([])])
    let ids = PictureCheck(figure.svg()).attributes["id"] ?? []
    #expect(ids.count == 2 && Set(ids).count == 2)
  }

  @Test func plotsOfAColumnLineUp() {
    let wide = panel([Series(x: [0, 1], y: [100_000, 900_000])])
    let drawn = Figure(title: "", panels: [panel([Series(x: [0, 1], y: [0, 1])]), wide]).svg()
    let starts = PictureCheck(drawn).points(class: "line").map(\.x)
    #expect(Set(starts).count == 2)
  }
}
