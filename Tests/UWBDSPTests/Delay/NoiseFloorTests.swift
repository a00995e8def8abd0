import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct NoiseFloorTests {
  private func estimate(_ powers: [Float], before end: Int, using floor: NoiseFloor = NoiseFloor()) -> Double {
    powers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .nan }
      return floor.estimate(base, count: buffer.count, before: end)
    }
  }

  private func noise(_ count: Int, variance: Double = 1, _ random: inout StatisticsRandom) -> [Float] {
    (0..<count).map { _ in Float(random.complexGaussian(variance: variance).lengthSquared) }
  }

  /// P(X ≤ x) for the mean X of 16 exponential variables of mean 1: 1 − e^(−16x)·Σ_{k<16} (16x)^k/k!.
  private func blockMeanProbability(_ x: Double) -> Double {
    var term = Double.exp(-16 * x)
    var sum = 0.0
    for k in 0..<16 {
      sum += term
      term *= 16 * x / Double(k + 1)
    }
    return 1 - sum
  }

  private func blockMeanQuantile(_ probability: Double) -> Double {
    var (low, high) = (0.0, 8.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if blockMeanProbability(middle) < probability { low = middle } else { high = middle }
    }
    return low
  }

  @Test func statedMedianIsTheMedian() {
    #expect(abs(blockMeanQuantile(0.5) - NoiseFloor.medianOfBlockMean) < 1e-4)
  }

  /// The median of n block means of deviation ¼ has a relative deviation of about √(π/2)·¼/√n, and a bias below
  /// 0.1/n of what skewness leaves.
  @Test(arguments: [(128, 8), (640, 40), (1024, 64), (4096, 64)])
  func isConsistentOnNoise(count: Int, blocks: Int) {
    var random = StatisticsRandom(seed: UInt64(600 + count))
    let floor = NoiseFloor()
    let deviation = (Double.pi / 2).squareRoot() / 4 / Double(blocks).squareRoot()
    var errors = StatisticsErrors()
    let trials = 400
    for _ in 0..<trials {
      errors.add(estimate(noise(count, variance: 0.04, &random), before: count, using: floor) / 0.04 - 1)
    }
    #expect(abs(errors.mean) < StatisticsLimits.mean(deviation: deviation, trials: trials) + 0.1 / Double(blocks))
    #expect(abs(errors.rootMeanSquare / deviation - 1) < 0.25)
  }

  /// With a fraction f of blocks spoilt, the median is the clean blocks' quantile 0.5/(1 − f).
  @Test(arguments: [0.1, 0.25, 0.4])
  func pathsInSomeBlocksMoveItLittle(fraction: Double) {
    var random = StatisticsRandom(seed: 610)
    let spoilt = Int(64 * fraction)
    var errors = StatisticsErrors()
    for _ in 0..<100 {
      var powers = noise(1024, &random)
      for block in 0..<spoilt { powers[16 * (2 * block) % 1024 + 5] += 1e6 }
      errors.add(estimate(powers, before: 1024))
    }
    let expected = blockMeanQuantile(0.5 / (1 - Double(spoilt) / 64)) / NoiseFloor.medianOfBlockMean
    #expect(abs(errors.mean / expected - 1) < 0.05)
    #expect(errors.mean < 2)
  }

  @Test func looksOnlyBeforeTheSignal() {
    var random = StatisticsRandom(seed: 620)
    let quiet = noise(400, &random)
    let spoilt = quiet + [Float](repeating: 1e9, count: 600)
    #expect(estimate(spoilt, before: 400) == estimate(quiet, before: 400))
    // Fewer than eight blocks before the signal: all taps.
    #expect(estimate(quiet, before: 127) == estimate(quiet, before: 400))
    #expect(estimate(quiet, before: -50) == estimate(quiet, before: 400))
  }

  @Test func fewTapsStillGiveAnOrderOfMagnitude() {
    var random = StatisticsRandom(seed: 630)
    let trials = 300
    for count in [1, 2, 3, 7, 15, 16, 17, 31] {
      var errors = StatisticsErrors()
      for _ in 0..<trials { errors.add(estimate(noise(count, &random), before: count)) }
      #expect(errors.mean > 0.7 && errors.mean < 1.6)
    }
  }

  /// The median by sorting, of blocks' means that occur several times, too.
  @Test func isTheMedianOfTheBlocks() {
    var random = StatisticsRandom(seed: 640)
    for count in 8...64 {
      for kinds in [3.0, 1e6] {
        let means = (0..<count).map { _ in Float(1 + random.uniform(0...kinds).rounded()) }
        let sorted = means.sorted()
        let expected = Double(sorted[(count - 1) / 2] + sorted[count / 2]) / 2 / NoiseFloor.medianOfBlockMean
        let powers = means.flatMap { [Float](repeating: $0, count: NoiseFloor.blockTaps) }
        #expect(abs(estimate(powers, before: powers.count) / expected - 1) < 1e-6)
      }
    }
  }

  /// A window that begins some taps before the signal, as radios hand them over: what is before the signal counts.
  @Test(arguments: [16, 32, 64, 128, 192, 400])
  func shortWindowsAreMostlySignal(count: Int) {
    var random = StatisticsRandom(seed: UInt64(650 + count))
    var estimates: [Double] = []
    for _ in 0..<300 {
      let quiet = noise(count / 4, &random)
      let signal = noise(count - quiet.count, variance: 1e4, &random)
      estimates.append(estimate(quiet + signal, before: -50))
    }
    let sorted = estimates.sorted()
    // Nineteen in twenty means of three taps or more are below 2.1, times the factor of at most 2.49 that so few are raised by.
    #expect(sorted[15] > 1.0 / 3 && sorted[285] < 5.3)
    #expect(sorted[299] < 100)
  }

  /// Eight taps of noise, of which the last two may be the rise of the signal: 12/(6·ln(1 + 12/6)) of their mean. Where there is no signal,
  /// the median over blocks is lower.
  @Test func whatFewTapsLeaveOpenRaisesTheNoise() {
    let quiet = [Float](repeating: 0.5, count: 8)
    let window = quiet + [Float](repeating: 1e4, count: 24)
    #expect(abs(estimate(window, before: -50) - 0.5 * 2 / Double.log(3)) < 1e-6)
    #expect(abs(estimate(quiet + quiet, before: -50) - 0.5 / NoiseFloor.medianOfBlockMean) < 1e-6)
  }

  /// One strong tap that a quiet one follows is noise's: its share of the mean is counted, and so is what follows.
  @Test func aLoneSpikeIsNoSignal() {
    let quiet = [Float](repeating: 0.5, count: 12)
    let spiked = quiet[..<6] + [5] + quiet[7...]
    let window = spiked + [Float](repeating: 1e4, count: 20)
    let mean = (9 * 0.5 + 5) / 10
    #expect(abs(estimate(Array(window), before: -50) - mean * 12 / (10 * Double.log(1 + 12.0 / 10))) < 1e-6)
  }

  /// The quiet taps' own mean, not the least of many: below a quarter of the variance lies one mean of eight in 2·10⁻³, before it is raised.
  @Test func shortWindowsHardlyUnderestimateTheNoise() {
    var random = StatisticsRandom(seed: 660)
    var low = 0
    let trials = 2000
    for _ in 0..<trials {
      let window = noise(12, &random) + noise(20, variance: 1e4, &random)
      if estimate(window, before: -50) < 0.25 { low += 1 }
    }
    #expect(low <= StatisticsLimits.binomial(probability: 2e-3, trials: trials).upperBound)
  }

  /// First taps that are weak by chance make no signal of the noise behind them, unless that is strong.
  @Test func firstTapsThatAreWeakByChanceDoNotCount() {
    let weak = [Float](repeating: 0.1, count: 5)
    let signal = [Float](repeating: 1e4, count: 20)
    // 5·ln(1 + 1/0.5) + 6·ln(1 + 1/1.5): strange beside the first taps, and not as strange as a path this early has to be.
    let window = weak + [Float](repeating: 1, count: 7) + signal
    let mean = (5 * 0.1 + 5) / 10
    #expect(abs(estimate(window, before: -50) - mean * 12 / (10 * Double.log(1 + 12.0 / 10))) < 1e-6)
    let early = weak + [1, 1, 400] + signal
    #expect(estimate(early, before: -50) < 0.3)
  }

  @Test func zeroesAreNoNoise() {
    #expect(estimate([Float](repeating: 0, count: 100), before: 100) == 0)
    #expect(estimate([Float](repeating: 0, count: 5), before: 5) == 0)
  }
}
