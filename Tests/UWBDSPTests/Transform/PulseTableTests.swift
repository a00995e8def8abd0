import TestSupport
import Testing
import UWBDSP

@Suite struct PulseTableTests {
  private static let shapes: [PulseShape] = [
    .standard, .rootRaisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate), .dw1000,
  ]

  private func evaluate(
    _ table: PulseTable, delay: Double, firstTap: Int, count: Int, slope: Bool = false
  ) -> [Double] {
    var result = [Double](repeating: .nan, count: count)
    result.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      if slope {
        table.evaluateSlope(delay: delay, firstTap: firstTap, count: count, into: base)
      } else {
        table.evaluate(delay: delay, firstTap: firstTap, count: count, into: base)
      }
    }
    return result
  }

  /// Linear interpolation errs by at most max|p''|/8 of the step squared, and p'' is below 3 per tap² for all of them;
  /// slopes alike by |p'''| < 10, and 4·10⁻⁷·|p'''| of the difference that they were made from.
  @Test(arguments: shapes)
  func agreesWithThePulse(shape: PulseShape) {
    let table = PulseTable(shape, tapSpacing: UWB.tap)
    var random = StatisticsRandom(seed: 41)
    let limit = 3 / 8.0 / (128 * 128)
    for _ in 0..<200 {
      let delay = random.uniform(-20...60)
      let first = Int(delay.rounded(.down)) - 12
      let values = evaluate(table, delay: delay, firstTap: first, count: 24)
      let slopes = evaluate(table, delay: delay, firstTap: first, count: 24, slope: true)
      for index in 0..<24 {
        let position = Double(first + index) - delay
        #expect(abs(values[index] - shape(position * UWB.tap)) < limit)
        let step = 1e-4
        let exact = (shape((position - step) * UWB.tap) - shape((position + step) * UWB.tap)) / (2 * step)
        // The measured pulse is a cubic whose curvature jumps at its samples, 1/8 tap apart.
        #expect(abs(slopes[index] - exact) < (shape == .dw1000 ? 3e-3 : 1e-4))
      }
    }
  }

  @Test func standardPulseIsWithinTheStatedError() {
    let table = PulseTable(.standard, tapSpacing: UWB.tap)
    var worst = 0.0
    for step in 0...2560 {
      let delay = Double(step) / 2560
      let values = evaluate(table, delay: delay, firstTap: -8, count: 17)
      for index in 0..<17 {
        worst = max(worst, abs(values[index] - PulseShape.standard((Double(index - 8) - delay) * UWB.tap)))
      }
    }
    #expect(worst < 1e-5)
    // A table that were exact would not be a table: the limit above is not idle.
    #expect(worst > 1e-6)
  }

  @Test(arguments: [0.0, 0.25, 0.999_999_999_999, 1.0, -0.25, -1.0, 31.5, 33.0])
  func isZeroBeyondItsReach(delay: Double) {
    let table = PulseTable({ _ in 1 })
    let values = evaluate(table, delay: delay, firstTap: -80, count: 200)
    for index in 0..<200 {
      let whole = Int(delay.rounded(.down))
      let column = -80 + index - whole + 32
      #expect(values[index] == ((0..<64).contains(column) ? 1 : 0))
    }
  }

  @Test(arguments: [-500.0, -33, -32.5, 35, 100, 1e9, 1e300, .infinity, -.infinity, .nan])
  func windowsFarFromThePathAreZero(delay: Double) {
    let table = PulseTable({ _ in 1 })
    #expect(evaluate(table, delay: delay, firstTap: 0, count: 3) == [0, 0, 0])
    #expect(evaluate(table, delay: delay, firstTap: 0, count: 0).isEmpty)
  }

  @Test func slopeIsTheDerivativeByDelay() {
    // p(t) = 2t has dp(k − τ)/dτ = −2.
    let table = PulseTable({ 2 * $0 })
    for value in evaluate(table, delay: 3.3, firstTap: 0, count: 8, slope: true) { #expect(abs(value + 2) < 1e-9) }
  }
}
