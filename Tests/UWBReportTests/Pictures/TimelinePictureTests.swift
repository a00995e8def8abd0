import Testing

@testable import UWBReport

@Suite struct TimelinePictureTests {
  @Test func rolesHaveTheirForm() {
    let svg = TimelinePicture(
      title: "Distance",
      tracks: [
        .init(name: "tracked", role: .estimate, times: [0, 1, 2], values: [1, 2, 3], deviations: [0.1, 0.1, 0.2]),
        .init(name: "raw", role: .samples, times: [0, 1, 2], values: [1, 2, .nan]),
        .init(name: "truth", role: .truth, times: [0, 2], values: [1, 3]),
      ]
    ).svg()
    expectSound(svg)
    let check = PictureCheck(svg)
    #expect(check.texts.contains("tracked ± 2 σ") && check.texts.contains("truth"))
    #expect(check.paths.contains { $0.name == "band" } && check.paths.contains { $0.name == "speck" })
  }

  @Test func aDeviationThatExplodesDoesNotFlattenTheRest() {
    let panel = TimelinePicture(
      title: "",
      tracks: [.init(name: "a", role: .estimate, times: [0, 1], values: [1, 2], deviations: [1e9, .infinity])]
    ).panel
    let svg = Figure(title: "", panels: [panel]).svg()
    expectSound(svg)
    #expect(panel.y.includes == [-1, 4])
    #expect(PictureCheck(svg).texts.contains("2"))
  }

  @Test func anglesBreakWhereTheyWrap() {
    let panel = TimelinePicture(
      title: "",
      tracks: [.init(name: "a", role: .estimate, times: [0, 1, 2], values: [170, 179, -175], deviations: [1, 1, 1])],
      period: 360
    ).panel
    #expect(panel.series[0].y.count == 4 && panel.series[0].y[2].isNaN)
    #expect(panel.bands[0].upper[2].isNaN && panel.bands[0].upper[3] == -173)
  }

  @Test func unevenArraysAreCut() {
    let svg = TimelinePicture(
      title: "",
      tracks: [
        .init(name: "a", role: .estimate, times: [0, 1, 2, .nan], values: [1, 2], deviations: [1]),
        .init(name: "b", role: .estimate, times: [], values: [1, 2]),
      ]
    ).svg()
    expectSound(svg)
  }
}
