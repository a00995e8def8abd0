import Foundation
import Testing

@testable import UWBReport

@Suite struct TicksTests {
  private func labels(_ ticks: [Tick]) -> [String] { ticks.compactMap { $0.label } }

  @Test func linearKnownAnswers() {
    #expect(labels(Ticks.linear(0...1, count: 5)) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"])
    #expect(labels(Ticks.linear(-7...12, count: 5)) == ["−5", "0", "5", "10"])
    #expect(labels(Ticks.linear(742...766, count: 6)) == ["745", "750", "755", "760", "765"])
    #expect(labels(Ticks.linear(0...0.003, count: 3)) == ["0.000", "0.001", "0.002", "0.003"])
    #expect(labels(Ticks.linear(2e9...4e9, count: 2)) == ["2×10⁹", "3×10⁹", "4×10⁹"])
  }

  @Test func tickValuesAreTheNearestDoubles() {
    #expect(Ticks.linear(0...1, count: 10).map(\.value) == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
  }

  @Test func decibelsStepByThreeAndSix() {
    #expect(labels(Ticks.decibel(-38...2, count: 8)) == ["−36", "−30", "−24", "−18", "−12", "−6", "0"])
    #expect(labels(Ticks.decibel(0...15, count: 6)) == ["0", "3", "6", "9", "12", "15"])
    #expect(labels(Ticks.decibel(-50...5, count: 6)) == ["−50", "−40", "−30", "−20", "−10", "0"])
  }

  @Test func logarithmsLabelPowersOfTen() {
    let ticks = Ticks.logarithmic(0.001...100, count: 6)
    #expect(labels(ticks) == ["0.001", "0.01", "0.1", "1", "10", "100"])
    #expect(ticks.count == 5 * 9 + 1)
    #expect(labels(Ticks.logarithmic(0.9...25, count: 4)) == ["1", "2", "5", "10", "20"])
    #expect(labels(Ticks.logarithmic(1e-9...1e-6, count: 3)) == ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶"])
    #expect(labels(Ticks.logarithmic(1e-12...1e12, count: 6)).count <= 7)
    #expect(labels(Ticks.logarithmic(4...5, count: 5)) == ["4.0", "4.2", "4.4", "4.6", "4.8", "5.0"])
  }

  @Test func ticksStayInRangeAndFew() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let size = powerOfTen(Double.random(in: -12...12, using: &random))
      let low = Double.random(in: -1...1, using: &random) * size
      let high = low + Double.random(in: 0.001...1, using: &random) * size
      let count = Int.random(in: 2...12, using: &random)
      for ticks in [
        Ticks.linear(low...high, count: count), Ticks.decibel(low...high, count: count),
      ] {
        let slack = (high - low) * 1e-5
        #expect(
          ticks.allSatisfy { $0.value >= low - slack && $0.value <= high + slack }, "seed \(seed): \(low)…\(high)")
        #expect(ticks.count <= count + 2, "seed \(seed): \(low)…\(high), \(ticks.count) for \(count)")
        #expect(Set(ticks.map(\.label)).count == ticks.count, "seed \(seed): \(low)…\(high) \(ticks.map(\.label))")
      }
    }
  }
}
