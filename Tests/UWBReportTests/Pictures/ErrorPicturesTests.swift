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
    expectSound(AngleErrorPicture(title: "", azimuths: [], elevations: [1], maps: [.init(title: "", errors: [])]).svg())
  }
}
