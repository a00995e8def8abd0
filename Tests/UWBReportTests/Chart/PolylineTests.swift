import Testing

@testable import UWBReport

@Suite struct PolylineTests {
  private let area = Rectangle(left: 100, top: 50, width: 200, height: 100)

  private func data(_ points: [(Double, Double)?]) -> String {
    var polyline = Polyline(in: area)
    for point in points {
      if let point { polyline.add(point.0, point.1) } else { polyline.breakLine() }
    }
    polyline.breakLine()
    return polyline.data
  }

  @Test func insideLinesAreKept() {
    #expect(data([(100, 50), (200, 100), (300, 150)]) == "M100 50L200 100L300 150")
  }

  @Test func linesAreCutAtTheBorder() {
    #expect(data([(0, 100), (200, 100), (200, 300)]) == "M100 100L200 100L200 150")
    #expect(data([(150, 0), (250, 200)]) == "M175 50L225 150")
    #expect(data([(0, 0), (50, 20)]) == "")
    // From outside to outside, across a corner and back in elsewhere: two pieces.
    #expect(data([(200, 100), (200, 0), (250, 0), (250, 100)]) == "M200 100L200 50M250 50L250 100")
  }

  @Test func gapsBreakAndLonePointsStay() {
    #expect(data([(110, 60), nil, (120, 70), (140, 70)]) == "M110 60h.01M120 70L140 70")
    #expect(data([(10, 60), nil]) == "")
    #expect(data([]) == "")
  }

  @Test func enormousValuesDoNotBendLines() {
    #expect(data([(150, 100), (150, 1e300)]) == "M150 100L150 150")
    #expect(data([(150, 100), (151, -1e300), (250, 100)]).hasPrefix("M150 100L150 50M"))
  }

  @Test func crowdedColumnsKeepTheirExtremes() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var polyline = Polyline(in: area)
    var (lowest, highest) = (Double.infinity, -Double.infinity)
    for index in 0..<200_000 {
      let y = Double.random(in: 55...145, using: &random)
      (lowest, highest) = (min(lowest, y), max(highest, y))
      polyline.add(100 + 200 * Double(index) / 200_000, y)
    }
    polyline.breakLine()
    let points = PictureCheck.points(polyline.data)
    #expect(points.count <= 4 * 401, "seed \(seed)")
    #expect(abs((points.map(\.y).min() ?? 0) - lowest) < 0.006, "seed \(seed)")
    #expect(abs((points.map(\.y).max() ?? 0) - highest) < 0.006, "seed \(seed)")
  }

  @Test func everyDrawnPointLiesInside() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      let points = (0..<20).map { _ -> (Double, Double)? in
        Double.random(in: 0...1, using: &random) < 0.1
          ? nil : (.random(in: -100...500, using: &random), .random(in: -100...300, using: &random))
      }
      for point in PictureCheck.points(data(points)) {
        #expect((99.98...300.02).contains(point.x) && (49.98...150.02).contains(point.y), "seed \(seed)")
      }
    }
  }
}
