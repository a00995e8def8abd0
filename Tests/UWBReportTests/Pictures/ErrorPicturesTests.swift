import Foundation
import Testing

@testable import UWBReport

@Suite struct ErrorPicturesTests {
  @Test func theBoundIsDashedAndNamed() {
    let picture = ErrorOverSNRPicture(
      title: "One path", estimators: [.init(name: "PulseFit", snrdB: [10, 20, 30], error: [0.1, .nan, 0.01])],
      bounds: [.init(name: "Cramér–Rao bound", snrdB: [10, 30], error: [0.09, 0.009])])
    let svg = picture.svg()
    expectSound(svg)
    let check = PictureCheck(svg)
    #expect(check.texts.contains("PulseFit") && check.texts.contains("Cramér–Rao bound"))
    // One in the plot, one in the legend.
    #expect(check.paths.filter { $0.name == "line dash" }.count == 2)
  }

  @Test func sixteenEstimatorsLookDifferent() {
    let looks = (0..<16).map { index -> String in
      let series = Series(x: [], y: []).told(apartBy: index)
      return "\(series.ink.className) \(String(describing: series.line)) \(String(describing: series.marker))"
    }
    #expect(Set(looks).count == 16)
  }

  @Test func seriesWithoutMarkersLookDifferentToo() {
    let looks = (0..<16).map { index -> String in
      let series = Series(x: [], y: []).told(apartBy: index)
      return "\(series.ink.className) \(String(describing: series.line))"
    }
    #expect(Set(looks).count == 16)
    let lines = (0..<16).map { Series(x: [], y: []).told(apartBy: $0).line }
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func aSingleRatioHasARowForEachEstimatorAndShowsItsBound() throws {
    let picture = ErrorOverSNRPicture(
      title: "One ratio",
      estimators: (0..<16).map { .init(name: "estimator \($0)", snrdB: [25], error: [$0 == 3 ? .nan : 0.02]) },
      bounds: [.init(name: "Cramér–Rao bound", snrdB: [25], error: [0.0125])])
    let svg = picture.svg()
    expectSound(svg)
    let check = PictureCheck(svg)
    #expect(check.texts.contains("Cramér–Rao bound 0.0125"))
    #expect((0..<16).allSatisfy { check.texts.contains("estimator \($0)") })
    #expect(check.texts.contains("RMSE (m) at an SNR of 25 dB"))
    let line = try #require(check.paths.first { $0.name == "line thin dash" })
    let ends = PictureCheck.points(line.data)
    #expect(ends.count == 2 && ends[0].x == ends[1].x && abs(ends[1].y - ends[0].y) > 300)
    // Each estimator has a height of its own; the one without an answer has no mark.
    let marks = check.paths.filter { $0.name == "mark" }.flatMap { PictureCheck.points($0.data) }
    #expect(marks.count == 15 && Set(marks.map(\.y)).count == 15)
    let several = ErrorOverSNRPicture(
      title: "", estimators: [], bounds: [.init(name: "b", snrdB: [10, 30], error: [0.09, 0.009])])
    #expect(several.panel.lines.isEmpty)
    expectSound(ErrorOverSNRPicture(title: "", estimators: []).svg())
  }

  @Test func missingAnswersKeepTheDistributionBelowOne() {
    let sample = DistributionPicture.Sample(name: "a", errors: [-3, 1, .nan, 2])
    #expect(sample.errors == [1, 2, 3])
    #expect(sample.fractions == [0.25, 0.5, 0.75])
    #expect(sample.quantile(0.5) == 2 && sample.quantile(0.9) == nil)
    let empty = DistributionPicture.Sample(name: "b", errors: [Double.nan])
    #expect(empty.errors.isEmpty && empty.quantile(0.5) == nil)
    for scale in [Axis.Scale.linear, .logarithmic] {
      let svg = DistributionPicture(title: "errors", samples: [sample, empty], scale: scale).svg()
      expectSound(svg)
      #expect(PictureCheck(svg).texts.contains("a · median 2"))
    }
    expectSound(DistributionPicture(title: "none", samples: []).svg())
  }

  @Test func gridEdgesLieBetweenThePoints() {
    let edges = AngleErrorPicture.edges(round: [-0.2, 0, 0.4].map { $0 * .pi / 180 })
    #expect(zip(edges, [-0.3, -0.1, 0.2, 0.6]).allSatisfy { abs($0 - $1) < 1e-12 } && edges.count == 4)
    #expect(AngleErrorPicture.edges(round: []) == [])
    #expect(AngleErrorPicture.edges(round: [0]) == [-0.5, 0.5])
  }

  @Test func gridsShowOneCellForEachAnswer() {
    let picture = AngleErrorPicture(
      title: "Azimuth", azimuths: [-0.5, 0, 0.5], elevations: [0, 0.3],
      maps: [.init(title: "after", errors: [[0.01, .nan, 0.02], [0.1, 0.2, 0.3]])])
    let svg = picture.svg()
    expectSound(svg)
    let fills = PictureCheck(svg).attributes["fill"] ?? []
    #expect(fills.count == 5 + 48)
    #expect(fills.contains("#fde725") && fills.allSatisfy { $0.count == 7 })
    #expect(fills.contains("#440154"))
    expectSound(AngleErrorPicture(title: "", azimuths: [], elevations: [1], maps: [.init(title: "", errors: [])]).svg())
  }

  /// Most errors are some degrees, a few 90°: the median's colour is amid the scale.
  @Test func skewedErrorsAreSpreadOverTheColours() throws {
    let degrees = (0..<100).map { pow(1.047, Double($0)) }
    let axis = (0..<10).map { Double($0) / 10 }
    var errors = (0..<10).map { row in degrees[(10 * row)..<(10 * row + 10)].map { $0 * Double.pi / 180 } }
    errors[0][0] = 0
    let picture = AngleErrorPicture(
      title: "", azimuths: axis, elevations: axis, maps: [.init(title: "", errors: errors)])
    let map = try #require(picture.panels[0].heatMap)
    #expect(map.scale == .logarithmic)
    let range = try #require(map.range)
    let mapping = AxisMapping(Axis("", scale: map.scale, range: range), values: [])
    let place = try #require(mapping.place(degrees[50]))
    #expect(place > 0.4 && place < 0.6)
    // All cells are drawn, that of 0° as well.
    #expect((PictureCheck(picture.svg()).attributes["fill"] ?? []).count >= 100 + 48)
  }

  /// Ten thousand cells between 1° and 3°; one in a hundred is 90° off.
  @Test func outliersLeaveTheColoursToAllOthers() {
    let values: [[Double]] = (0..<100).map { row in
      (0..<100).map { column -> Double in 1 + Double((row * 100 + column) % 89) / 44 }
    }
    var spoiled = values
    for row in 0..<100 { spoiled[row][row] = 90 }
    let axis = (0..<100).map { Double($0) / 100 }
    func colours(_ degrees: [[Double]]) -> Set<String> {
      let errors = degrees.map { row in row.map { $0 * Double.pi / 180 } }
      let picture = AngleErrorPicture(
        title: "", azimuths: axis, elevations: axis, maps: [.init(title: "", errors: errors)])
      return Set(PictureCheck(picture.svg()).attributes["fill"] ?? [])
    }
    #expect(colours(values).isSuperset(of: ["#440154", "#fde725"]))
    #expect(colours(spoiled).count >= colours(values).count)
    let range = HeatMap.range(of: spoiled.joined())
    #expect(range.map { $0.lowerBound < 1.1 && $0.upperBound <= 3 } == true)
    #expect(HeatMap.range(of: [.nan, .infinity]) == nil && HeatMap.range(of: [2]) == 2...2)
  }
}
