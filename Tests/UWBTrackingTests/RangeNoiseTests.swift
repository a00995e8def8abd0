import TestSupport
import Testing
import UWBTypes

@testable import UWBTracking

@Suite struct RangeNoiseTests {
  /// Noise from a half to four times what is stated, on walks with corners and a tenth of outliers, at irregular times: found within a third.
  @Test(arguments: [0.013, 0.026, 0.1]) func theNoiseIsThatOfTheSeries(deviation: Double) {
    var random = StatisticsRandom(seed: 2551)
    var ratios = StatisticsErrors()
    for _ in 0..<50 {
      var noise = RangeNoise()
      var (distance, rate, time) = (5.0, 1.0, 0.0)
      for _ in 0..<150 {
        let step = 0.1 * random.uniform(0.7...1.3)
        time += step
        distance += rate * step
        if random.uniform() < step / 3 { rate = 1.5 * random.gaussian() }
        let off = random.uniform() < 0.1 ? random.uniform(-5...5) : 0
        noise.add(distance + off + deviation * random.gaussian(), deviation: 0.026, time: time)
      }
      ratios.add(noise.factor.squareRoot() * 0.026 / deviation)
    }
    #expect(ratios.mean > 0.8 && ratios.mean < 1.6, "\(ratios.mean)")
  }

  /// Times that repeat, go back or pause tell nothing of the noise.
  @Test func oddTimesAreLeftOut() {
    var noise = RangeNoise()
    for (index, time) in [0.0, 0, 0, -1, 5, 4, 100, 1e300].enumerated() {
      noise.add(Double(index * index), deviation: 0.05, time: time)
    }
    #expect(noise.factor == 1)
  }
}
