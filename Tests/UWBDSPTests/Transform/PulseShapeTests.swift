import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct PulseShapeTests {
  private let period = 1 / UWB.chipRate

  @Test(arguments: [0.1, 0.25, 0.5, 0.75, 1.0])
  func raisedCosineKnownValues(rolloff: Double) {
    let pulse = PulseShape.raisedCosine(rolloff: rolloff, period: period)
    #expect(pulse(0) == 1)
    for crossing in 1...20 where abs(2 * rolloff * Double(crossing) - 1) > 1e-6 {
      #expect(abs(pulse(Double(crossing) * period)) < 1e-12)
      #expect(abs(pulse(-Double(crossing) * period)) < 1e-12)
    }
    // π/4·sinc(1/(2β)) at ±T/(2β), reached without a step from either side.
    let edge = period / (2 * rolloff)
    let limit = Double.pi / 4 * Double.sin(.pi / (2 * rolloff)) / (.pi / (2 * rolloff))
    for side in [-edge, edge] {
      #expect(abs(pulse(side) - limit) < 1e-9)
      for step in [1e-5, 1e-7, 1e-9] {
        #expect(abs(pulse(side * (1 + step)) - limit) < 2 * step + 1e-6)
        #expect(abs(pulse(side * (1 - step)) - limit) < 2 * step + 1e-6)
      }
    }
  }

  /// β = ½: the limit at ±T is π/4·sinc(1) = 0, and p(T/2) = (2/π)·cos(π/4)/(1 − ¼) = 0.600211.
  @Test func standardPulse() {
    let pulse = PulseShape.standard
    #expect(abs(pulse(period / 2) - 0.600_210_5) < 1e-6)
    #expect(abs(pulse(period)) < 1e-9)
    #expect(abs(pulse(1.5 * period) - (-2 / (3 * .pi)) * Double.cos(0.75 * .pi) / (1 - 2.25)) < 1e-12)
    #expect(pulse(0.3e-9) == pulse(-0.3e-9))
  }

  @Test(arguments: [0.25, 0.5, 0.9])
  func rootRaisedCosineKnownValues(rolloff: Double) {
    let pulse = PulseShape.rootRaisedCosine(rolloff: rolloff, period: period)
    #expect(pulse(0) == 1)
    #expect(abs(pulse(1e-15) - 1) < 1e-6)
    // The textbook's limit at ±T/(4β), over the textbook's peak 1 + β(4/π − 1).
    let angle = Double.pi / (4 * rolloff)
    let limit =
      rolloff / 2.0.squareRoot() * ((1 + 2 / .pi) * Double.sin(angle) + (1 - 2 / .pi) * Double.cos(angle))
      / (1 + rolloff * (4 / .pi - 1))
    let edge = period / (4 * rolloff)
    for side in [-edge, edge] {
      #expect(abs(pulse(side) - limit) < 1e-9)
      #expect(abs(pulse(side * (1 + 1e-6)) - limit) < 1e-5)
      #expect(abs(pulse(side * (1 - 1e-6)) - limit) < 1e-5)
    }
  }

  /// A matched receiver turns the root-raised cosine into the raised cosine.
  @Test(arguments: [0.25, 0.5])
  func autocorrelationOfTheRootIsTheRaisedCosine(rolloff: Double) {
    let root = PulseShape.rootRaisedCosine(rolloff: rolloff, period: period)
    let raised = PulseShape.raisedCosine(rolloff: rolloff, period: period)
    // Band-limited to (1+β)/(2T): sums over steps of T/4 are integrals. The tails fall as 1/t², so 400 T leave 10⁻⁶.
    let step = period / 4
    func correlation(_ lag: Double) -> Double {
      (-1600...1600).reduce(0.0) { $0 + root(Double($1) * step) * root(Double($1) * step - lag) }
    }
    let energy = correlation(0)
    for lag in stride(from: -3.0, through: 3.0, by: 0.37) {
      #expect(abs(correlation(lag * period) / energy - raised(lag * period)) < 1e-5)
    }
  }

  @Test func measuredPulseIsCubicAndZeroOutside() {
    // Catmull–Rom reproduces a parabola exactly between interior samples.
    let samples = (0..<9).map { (index: Int) -> Double in 1 - Double((index - 4) * (index - 4)) / 16 }
    let pulse = PulseShape.measured(MeasuredPulse(samples: samples, spacing: 2e-9, peakPosition: 4))
    #expect(pulse(0) == 1)
    for position in stride(from: -3.0, through: 3.0, by: 0.19) {
      let exact = 1 - position * position / 16
      #expect(abs(pulse(position * 2e-9) - exact) < 1e-12)
    }
    #expect(pulse(4.01 * 2e-9) == 0)
    #expect(pulse(-4.01 * 2e-9) == 0)
    #expect(pulse(.infinity) == 0)
    #expect(pulse(.nan) == 0)
  }

  @Test func measuredPulsePassesThroughItsSamples() {
    var random = StatisticsRandom(seed: 31)
    let samples = (0..<17).map { _ in random.gaussian() }
    let pulse = MeasuredPulse(samples: samples, spacing: 1, peakPosition: 5.5)
    for (index, sample) in samples.enumerated() {
      #expect(abs(pulse(Double(index) - 5.5) - sample) < 1e-12)
    }
  }

  @Test func dw1000PulsePeaksAtZero() {
    let pulse = PulseShape.dw1000
    #expect(abs(pulse(0) - 1) < 1e-12)
    for step in 1...64 {
      #expect(abs(pulse(Double(step) / 8 * UWB.tap)) < 1)
      #expect(abs(pulse(-Double(step) / 8 * UWB.tap)) < 1)
    }
  }
}
