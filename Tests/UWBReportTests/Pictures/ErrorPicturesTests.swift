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
}
