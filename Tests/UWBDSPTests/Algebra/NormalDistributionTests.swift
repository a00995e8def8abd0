import Numerics
import Testing
import UWBDSP

@Suite struct NormalDistributionTests {
  /// Abramowitz & Stegun 1964, tables 26.1 and 26.5.
  @Test(arguments: [
    (0.0, 0.5), (1, 0.841344746068543), (2, 0.977249868051821), (-3, 0.00134989803163009), (1.95996398454005, 0.975),
  ]) func knownValues(x: Double, probability: Double) {
    #expect(abs(NormalDistribution.probability(below: x) - probability) < 1e-14)
    #expect(abs(NormalDistribution.quantile(probability) - x) < 1e-12)
  }

  @Test func theQuantileIsTheInverse() {
    for exponent in -300...(-1) {
      let p = Double.pow(10, exponent)
      let x = NormalDistribution.quantile(p)
      #expect(abs(NormalDistribution.probability(below: x) / p - 1) < 1e-9, "\(p)")
      #expect(NormalDistribution.quantile(1 - 1e-3) > 0)
    }
    for index in 1..<200 {
      let p = Double(index) / 200
      #expect(abs(NormalDistribution.probability(below: NormalDistribution.quantile(p)) - p) < 1e-14)
    }
  }

  @Test func theEnds() {
    #expect(NormalDistribution.quantile(0) == -.infinity && NormalDistribution.quantile(1) == .infinity)
    for p in [-0.1, 1.1, .nan] { #expect(NormalDistribution.quantile(p).isNaN) }
  }
}
