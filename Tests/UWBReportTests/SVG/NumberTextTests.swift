import Foundation
import TestSupport
import Testing

@testable import UWBReport

@Suite struct NumberTextTests {
  @Test(arguments: [
    (0.0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (0.004, "0"), (-0.004, "0"), (0.005000001, "0.01"),
    (123.456, "123.46"), (1e300, "1000000"), (-1e300, "-1000000"), (.infinity, "0"), (.nan, "0"), (1e-300, "0"),
    (10, "10"), (100.10, "100.1"), (0.05, "0.05"), (-0.25, "-0.25"),
  ]) func coordinates(_ value: Double, _ text: String) {
    #expect(NumberText.coordinate(value) == text)
  }

  @Test func coordinatesReadBack() {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    var random = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let value = Double.random(in: -5000...5000, using: &random)
      let text = NumberText.coordinate(value)
      #expect(abs((Double(text) ?? .infinity) - value) <= 0.005 + 1e-9, "seed \(seed), value \(value), text \(text)")
      #expect(!text.contains("e"), "seed \(seed)")
    }
  }

  @Test(arguments: [
    (1.005, 1, "1.0"), (-2.345, 2, "−2.35"), (0, 3, "0.000"), (-0.0001, 2, "0.00"), (.nan, 2, "–"), (.infinity, 0, "∞"),
    (-.infinity, 0, "−∞"), (12345.678, 0, "12346"), (0.99951, 3, "1.000"), (1e200, 2, "1×10²⁰⁰"),
  ]) func fixed(_ value: Double, _ decimals: Int, _ text: String) {
    #expect(NumberText.fixed(value, decimals: decimals) == text)
  }

  @Test(arguments: [
    (0.0, 3, "0"), (9.996, 3, "10"), (0.021, 2, "0.021"), (1234.5, 3, "1235"), (0.000012345, 3, "0.0000123"),
    (1.2345e-7, 3, "1.23×10⁻⁷"), (9.9999e9, 3, "1×10¹⁰"), (-.leastNonzeroMagnitude, 1, "−5×10⁻³²⁴"),
    (1.7e308, 2, "1.7×10³⁰⁸"),
    (.nan, 3, "–"), (-42, 2, "−42"),
  ]) func significant(_ value: Double, _ digits: Int, _ text: String) {
    #expect(NumberText.significant(value, digits: digits) == text)
  }

  @Test func countsAreGrouped() {
    #expect(NumberText.count(1234) == "1234")
    #expect(NumberText.count(12345) == "12\u{202F}345")
    #expect(NumberText.count(-1_234_567) == "−1\u{202F}234\u{202F}567")
    #expect(NumberText.count(.min) == "−9\u{202F}223\u{202F}372\u{202F}036\u{202F}854\u{202F}775\u{202F}808")
  }
}

/// SplitMix64 (Steele, Lea & Flood, 2014).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
