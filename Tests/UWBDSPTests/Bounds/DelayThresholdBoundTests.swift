import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct DelayThresholdBoundTests {
  /// Q₁(a, b) − ½·exp(−(a² + b²)/2)·I₀(ab) by series: Q₁ = exp(−(a² + b²)/2)·Σ_{n ≥ 0} (a/b)^n·I_n(ab).
  private func confusionBySeries(_ a: Double, _ b: Double) -> Double {
    func bessel(_ order: Int, _ x: Double) -> Double {
      var term = 1.0
      for k in 1...max(order, 1) where order > 0 { term *= x / 2 / Double(k) }
      var sum = 0.0
      for k in 1..<80 {
        sum += term
        term *= x * x / 4 / Double(k) / Double(k + order)
      }
      return sum
    }
    let envelope = Double.exp(-(a * a + b * b) / 2)
    let marcum = (0..<60).reduce(0.0) { $0 + Double.pow(a / b, Double($1)) * bessel($1, a * b) } * envelope
    return marcum - envelope * bessel(0, a * b) / 2
  }

  @Test(arguments: [0.5, 3, 25], [0.05, 0.5, 0.97])
  func confusionIsTheMarcumForm(snr: Double, likeness: Double) {
    let root = (1 - likeness * likeness).squareRoot()
    let exact = confusionBySeries((snr / 2 * (1 - root)).squareRoot(), (snr / 2 * (1 + root)).squareRoot())
    let probability = DelayBound.confusionProbability(matchedSNR: snr, likeness: likeness)
    #expect(abs(probability - exact) < 1e-9 + 1e-6 * exact)
  }

  @Test func confusionHasItsLimits() {
    // Orthogonal signals: ½·exp(−γ/2); the same signal: a coin's throw.
    #expect(abs(DelayBound.confusionProbability(matchedSNR: 8, likeness: 0) - 0.5 * Double.exp(-4)) < 1e-15)
    #expect(DelayBound.confusionProbability(matchedSNR: 1e6, likeness: 1) == 0.5)
    #expect(DelayBound.confusionProbability(matchedSNR: 0, likeness: 0.3) == 0.5)
  }

  @Test(arguments: [PulseShape.standard, .raisedCosine(rolloff: 0.25, period: 1 / UWB.chipRate)])
  func reachesTheCramerRaoBoundAboveThreshold(pulse: PulseShape) {
    let bound = DelayBound(pulse: pulse)
    func ratio(_ dB: Double) -> Double {
      let snr = Double.pow(10, dB / 10)
      return bound.zivZakaiTapsSquared(snr: snr, intervalTaps: 64) / bound.onePathTapsSquared(snr: snr)
    }
    for dB in [25.0, 30, 40] { #expect(abs(ratio(dB) - 1) < 0.02) }
    #expect(abs(ratio(50) - 1) < 1e-3)
    // In the threshold region gross errors come on top.
    #expect(ratio(8) > 3)
  }

  @Test(arguments: [8.0, 64])
  func isAGuessWithoutSignal(interval: Double) {
    let bound = DelayBound().zivZakaiTapsSquared(snr: 1e-9, intervalTaps: interval)
    #expect(abs(bound / (interval * interval / 12) - 1) < 1e-4)
  }

  @Test func fallsWithTheSNR() {
    let bound = DelayBound()
    var previous = Double.infinity
    for dB in stride(from: -10.0, through: 40, by: 5) {
      let value = bound.zivZakaiTapsSquared(snr: Double.pow(10, dB / 10), intervalTaps: 100)
      #expect(value < previous)
      previous = value
    }
  }

  /// No estimator beats it: the matched filter's peak, over 64 taps, around the threshold.
  @Test(arguments: [7.0, 11])
  func theMatchedFilterStaysAboveIt(snrdB: Double) {
    var random = StatisticsRandom(seed: 1130)
    let interpolation = 4
    let table = (0..<64 * interpolation).map { step in
      (-8...8).map { PulseShape.standard((Double($0) - Double(step % interpolation) / 4) * UWB.tap) }
    }
    var errors = StatisticsErrors()
    let trials = 300
    for _ in 0..<trials {
      let path = NaivePath(delayTaps: 16 + 64 * random.uniform(), powerdB: snrdB, phase: random.uniform(0...6))
      let samples = NaiveImpulseResponse.samples([path], tapCount: 96, using: &random)
      var best = (power: 0.0, delay: 0.0)
      for step in 0..<64 * interpolation {
        let tap = 16 + step / interpolation
        var sum = Complex<Double>.zero
        for offset in -8...8 {
          let sample = samples[tap + offset]
          sum += Complex(Double(sample.real), Double(sample.imaginary)) * Complex(table[step][offset + 8])
        }
        if sum.lengthSquared > best.power {
          best = (sum.lengthSquared, Double(tap) + Double(step % interpolation) / 4)
        }
      }
      errors.add(best.delay - path.delayTaps)
    }
    let snr = Double.pow(10, snrdB / 10)
    let bound = DelayBound()
    // Gross errors dominate: the mean square of m of them scatters by 1.3/√m or so; the trials hold dozens.
    #expect(errors.meanSquare > 0.8 * bound.zivZakaiTapsSquared(snr: snr, intervalTaps: 64))
    // It asks about two delays at a time where the filter has all to choose from; that is worth less than 4 dB here.
    #expect(errors.meanSquare < bound.zivZakaiTapsSquared(snr: snr / 2.5, intervalTaps: 64))
  }

  @Test func quadratureIsExactForPolynomials() {
    let integral = GaussLegendre.integrate(from: -1, to: 3) { Double.pow($0, 15) }
    #expect(abs(integral / ((Double.pow(3, 16) - 1) / 16) - 1) < 1e-12)
  }
}
