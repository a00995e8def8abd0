import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct RangeUpdateTests {
  /// A detour that begins, against the integral over all detours: its likelihood, and mean and covariance of the state after it. Down to
  /// innovations of −40 deviations, where both of Mills's factors vanish.
  @Test func beginningDetoursAreThoseOfTheIntegral() {
    var random = StatisticsRandom(seed: 2530)
    for _ in 0..<300 {
      let mean = random.uniform(0.1...2)
      let noise = random.uniform(0.01...0.3)
      let place = random.uniform(0.01...0.5)
      let (xx, yy) = (place * place, random.uniform(0.1...1))
      let xy = random.uniform(-0.5...0.5) * (xx * yy).squareRoot()
      let start = RangeHypothesis(
        weight: 0.7, state: SIMD3(5, 1, 0),
        covariance: SymmetricMatrix3(x: SIMD3(xx, xy, 0), y: SIMD3(xy, yy, 0), z: .zero))
      let variance = xx + noise * noise
      let deviation = variance.squareRoot()
      let innovation = deviation * random.uniform(-40...20)
      var update = RangeUpdate(measured: 5 + innovation, noise: noise * noise, outliers: 0, outlierDensity: 0.04)
      let after = update.beginDetour(start, word: 0.5, mean: mean)

      // Detours have the weight exp(−b/β)·exp(−(ν − b)²/2S)/β√2πS, by the midpoint rule about where it is largest.
      let peak = innovation - variance / mean
      let u = peak / deviation
      let (low, high) = u < -3 ? (0, 45 * deviation / -u) : (max(0, peak - 12 * deviation), peak + 12 * deviation)
      let (points, width) = (20_000, (high - low) / 20_000)
      func exponent(_ b: Double) -> Double { b / mean + (innovation - b) * (innovation - b) / (2 * variance) }
      let least = exponent(max(0, peak))
      var (sum, first, second) = (0.0, 0.0, 0.0)
      for index in 0..<points {
        let b = low + width * (Double(index) + 0.5)
        let weight = Double.exp(least - exponent(b))
        sum += weight
        first += weight * b
        second += weight * b * b
      }
      let detour = first / sum
      let spread = second / sum - detour * detour
      let density = Double.exp(-least) * sum * width / (mean * (2 * .pi * variance).squareRoot())
      let message: Comment = "\(u), \(mean), \(deviation)"
      if density > 1e-290 { #expect(abs(after.weight / (0.35 * density) - 1) < 1e-4, message) }
      guard after.weight > 0 else { continue }
      let (k, l) = (xx / variance, xy / variance)
      #expect(abs(after.state.z - detour) < 1e-3 * deviation, message)
      #expect(abs(after.state.x - 5 - k * (innovation - detour)) < 1e-3 * deviation, message)
      #expect(abs(after.state.y - 1 - l * (innovation - detour)) < 1e-3 * abs(l) * deviation + 1e-9, message)
      #expect(abs(after.covariance.z.z - spread) < 2e-3 * variance, message)
      #expect(abs(after.covariance.x.x - (xx - k * k * (variance - spread))) < 2e-3 * variance, message)
      #expect(abs(after.covariance.x.z + k * spread) < 2e-3 * variance, message)
      #expect(abs(after.covariance.y.z + l * spread) < 2e-3 * variance, message)
      #expect(after.covariance.z.x == after.covariance.x.z && after.covariance.z.y == after.covariance.y.z)
    }
  }

  /// What measurements are likely to be, detour included, is a distribution: from 0 to 1, and its slope is the likelihood.
  @Test func predictionsAddUp() {
    func probability(_ measured: Double) -> (below: Double, density: Double) {
      var update = RangeUpdate(measured: measured, noise: 0.01, outliers: 0, outlierDensity: 0.04)
      let start = RangeHypothesis(weight: 1, state: SIMD3(5, 1, 0), covariance: .diagonal(0.03, 1, 0))
      let density = update.beginDetour(start, word: 1, mean: 0.4).weight
      return (update.innovation.probability, density)
    }
    #expect(probability(2).below < 1e-9 && probability(20).below > 1 - 1e-9)
    let step = 1e-4
    for index in 0..<200 {
      let x = 4 + 0.02 * Double(index)
      let (low, high) = (probability(x - step).below, probability(x + step).below)
      let slope = (high - low) / (2 * step)
      #expect(abs(slope - probability(x).density) < 1e-4 * (1 + slope), "\(x)")
    }
  }
}
