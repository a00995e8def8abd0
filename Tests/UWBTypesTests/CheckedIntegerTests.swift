import Testing
import UWBDSP
import UWBTypes

@Suite struct CheckedIntegerTests {
  static let extremes: [Double] = [
    .nan, -.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300,
    -1e300,
    0x1p63, -0x1p63, (0x1p63).nextDown, (-0x1p63).nextDown, 0x1p31, 0x1p15, .leastNonzeroMagnitude, -0.0, 0, 0.5, -0.5,
    2.5, -2.5, 1.2, -1.2, 6.5, 6.8, -2.8, 4_503_599_627_370_497.5, 1e18,
  ]
  static let rules: [(rule: Rounding, standard: FloatingPointRoundingRule)] = [
    (.down, .down), (.up, .up), (.towardZero, .towardZero), (.toNearestOrAwayFromZero, .toNearestOrAwayFromZero),
  ]

  @Test func everyRuleIsTested() {
    #expect(Set(Self.rules.map(\.rule)) == Set(Rounding.allCases))
  }

  @Test(arguments: extremes) func checkedHoldsTheRoundedValueOrNothing(_ value: Double) {
    for (_, rule) in Self.rules {
      #expect(Int(checked: value, rounded: rule) == Int(exactly: value.rounded(rule)))
      #expect(Int16(checked: value, rounded: rule) == Int16(exactly: value.rounded(rule)))
      #expect(UInt32(checked: Float(value), rounded: rule) == UInt32(exactly: Float(value).rounded(rule)))
    }
  }

  @Test func checkedRoundsToTheNearest() {
    #expect(Int(checked: 2.5) == 3)
    #expect(Int(checked: -2.5) == -3)
    #expect(Int(checked: 2.4) == 2)
    #expect(Int(checked: Double.nan) == nil)
    #expect(Int16(checked: 32767.4) == 32767)
    #expect(Int16(checked: 32767.5) == nil)
    #expect(UInt8(checked: -0.4) == 0)
    #expect(UInt8(checked: -1.0) == nil)
  }

  /// Every answer lies in the range, and is the rounded value where that does.
  @Test(arguments: extremes) func withinARangeNothingTraps(_ value: Double) {
    let ranges = [
      0...7, -3...3, 5...5, Int.min...Int.max, 0...Int.max, Int.min...0, Int.min...Int.min, Int.max...Int.max,
    ]
    for range in ranges {
      for (rule, standard) in Self.rules {
        let index = Int(value, rounded: rule, within: range)
        #expect(range.contains(index))
        if value.isNaN { #expect(index == range.lowerBound) }
        if let whole = Int(exactly: value.rounded(standard)), range.contains(whole) { #expect(index == whole) }
      }
    }
  }

  @Test func withinARangeTheNearestEndStandsIn() {
    #expect(Int(-1e300, within: 2...9) == 2)
    #expect(Int(1e300, within: 2...9) == 9)
    #expect(Int(-Double.infinity, rounded: .up, within: -4...9) == -4)
    #expect(Int(3.9, within: 0...9) == 3)
    #expect(Int(-0.9, within: -9...9) == 0)
    #expect(Int(3.2, rounded: .up, within: 0...9) == 4)
  }

  @Test func sumsAndDifferencesSaturate() {
    #expect(Int.max.saturatingAdding(1) == .max)
    #expect(Int.min.saturatingAdding(-1) == .min)
    #expect(Int.min.saturatingSubtracting(1) == .min)
    #expect(Int.max.saturatingSubtracting(-1) == .max)
    #expect(0.saturatingSubtracting(Int.min) == .max)
    #expect(Int64.min.saturatingSubtracting(.min) == 0)
    #expect(UInt8(250).saturatingAdding(10) == 255)
    #expect(UInt8(3).saturatingSubtracting(10) == 0)
    #expect(7.saturatingAdding(-9) == -2)
  }
}
