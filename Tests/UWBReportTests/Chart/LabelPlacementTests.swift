import Testing

@testable import UWBReport

@Suite struct LabelPlacementTests {
  @Test func neighboursTurnAwayFromEachOther() {
    let placed = LabelPlacement.besideLines([(x: 205, width: 60), (x: 200, width: 80)], between: 0, and: 400)
    #expect(placed == [.init(row: 0, left: 209), .init(row: 0, left: 116)])
  }

  @Test func aLineAtTheRightEdgeIsLabelledOnItsLeft() {
    #expect(LabelPlacement.besideLines([(x: 390, width: 50)], between: 0, and: 400) == [.init(row: 0, left: 336)])
  }

  @Test func labelsNeverOverlap() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let lines = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        (x: Double.random(in: 0...400, using: &random), width: Double.random(in: 5...150, using: &random))
      }
      let placed = LabelPlacement.besideLines(lines, between: 0, and: 400)
      for (one, a) in placed.enumerated() {
        #expect(a.left >= 0 && a.left + lines[one].width <= 400, "seed \(seed)")
        for (other, b) in placed.enumerated() where other > one && a.row == b.row {
          #expect(a.left + lines[one].width <= b.left || b.left + lines[other].width <= a.left, "seed \(seed)")
        }
      }
    }
  }

  @Test func heightsSpreadWithinLimits() {
    #expect(LabelPlacement.spread([50, 52, 90], spacing: 14, between: 0, and: 100) == [50, 64, 90])
    #expect(LabelPlacement.spread([98, 99], spacing: 14, between: 0, and: 100) == [86, 100])
    #expect(LabelPlacement.spread([99, 98], spacing: 14, between: 0, and: 100) == [100, 86])
    #expect(LabelPlacement.spread([], spacing: 14, between: 0, and: 100) == [])
  }
}
