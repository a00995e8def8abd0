import Numerics
import Testing
import UWBPlatform

@testable import UWBSimulation

/// Sample moments against the distributions' own, within five standard deviations of each sample moment.
@Suite struct VariatesTests {
  static let seed: UInt64 = 20_040_914
  static let count = 100_000

  /// Checks the sample mean of `draw` against `mean`, given the variate's variance.
  private func expectMean(
    _ mean: Double, variance: Double, count: Int = count, sourceLocation: SourceLocation = #_sourceLocation,
    _ draw: (inout SeededGenerator) -> Double
  ) {
    var generator = SeededGenerator(seed: Self.seed)
    var sum = 0.0
    for _ in 0..<count { sum += draw(&generator) }
    let error = abs(sum / Double(count) - mean)
    let bound = 5 * (variance / Double(count)).squareRoot()
    #expect(error < bound, "seed \(Self.seed): off by \(error)", sourceLocation: sourceLocation)
  }

  @Test func normalMoments() {
    expectMean(0, variance: 1) { $0.normal() }
    expectMean(1, variance: 2) { pow($0.normal(), 2) }
    expectMean(0, variance: 15) { pow($0.normal(), 3) }
    expectMean(3, variance: 96) { pow($0.normal(), 4) }
  }

  @Test(arguments: [0.1, 0.5, 1.0, 2.0, 3.0, 3.6, 3.8])
  func normalTails(_ x: Double) {
    let probability = erfc(x / 2.0.squareRoot())
    expectMean(probability, variance: probability * (1 - probability)) { abs($0.normal()) > x ? 1 : 0 }
  }

  @Test func tailBeyondTheZiggurat() {
    // The layers end at 3.65: these come from the tail's own draw, on either side.
    let count = 500_000
    var generator = SeededGenerator(seed: Self.seed)
    var beyond = (negative: 0.0, positive: 0.0)
    for _ in 0..<count {
      let x = generator.normal()
      if x > 3.75 { beyond.positive += 1 }
      if x < -3.75 { beyond.negative += 1 }
    }
    let expected = Double(count) * erfc(3.75 / 2.0.squareRoot()) / 2
    #expect(abs(beyond.negative - expected) < 5 * expected.squareRoot(), "seed \(Self.seed)")
    #expect(abs(beyond.positive - expected) < 5 * expected.squareRoot(), "seed \(Self.seed)")
  }

  @Test func zigguratClosesAtTheTop() {
    let table = NormalZiggurat.shared
    #expect(table.edges.count == 257)
    // The layer below the top has the same area as the others: x₂₅₅ · (1 − f(x₂₅₅)) = V.
    #expect(abs(table.edges[255] * (1 - table.heights[255]) - 0.00492867323399) < 1e-9)
    #expect(zip(table.edges, table.edges.dropFirst()).allSatisfy { $0 > $1 })
  }

  @Test func complexNormalMoments() {
    expectMean(2.5, variance: 2.5 * 2.5) { $0.complexNormal(variance: 2.5).lengthSquared }
    expectMean(0, variance: 0.25) {
      let z = $0.complexNormal()
      return z.real * z.imaginary
    }
  }

  @Test func exponentialMoments() {
    expectMean(3, variance: 9) { $0.exponential(mean: 3) }
    expectMean(18, variance: 20 * 81) { pow($0.exponential(mean: 3), 2) }
  }

  @Test(arguments: [0.3, 1.0, 2.7, 40])
  func gammaMoments(_ shape: Double) {
    let scale = 0.7
    expectMean(shape * scale, variance: shape * scale * scale) { $0.gamma(shape: shape, scale: scale) }
    // E[x²] = k(k+1)θ², E[x⁴] = k(k+1)(k+2)(k+3)θ⁴.
    let second = shape * (shape + 1) * scale * scale
    let fourth = second * (shape + 2) * (shape + 3) * scale * scale
    expectMean(second, variance: fourth - second * second) { pow($0.gamma(shape: shape, scale: scale), 2) }
  }

  @Test func lognormalPowerMoments() {
    expectMean(-2, variance: 9) { 10 * log10($0.lognormalPower(meandB: -2, deviationdB: 3)) }
  }

  @Test(arguments: [0.2, 3, 16, 45.5])
  func poissonMoments(_ mean: Double) {
    let count = 20_000
    expectMean(mean, variance: mean, count: count) { Double($0.poisson(mean: mean)) }
    // The fourth central moment is μ + 3μ².
    expectMean(mean, variance: mean + 2 * mean * mean, count: count) {
      pow(Double($0.poisson(mean: mean)) - mean, 2)
    }
  }

  @Test func poissonOfNothingIsZero() {
    var generator = SeededGenerator(seed: 1)
    #expect(generator.poisson(mean: 0) == 0)
  }

  @Test func phaseIsUniform() {
    expectMean(.pi, variance: 4 * .pi * .pi / 12) { $0.phase() }
    expectMean(0, variance: 0.5) { $0.unitPhasor().real }
    expectMean(1, variance: 1e-12, count: 1000) { $0.unitPhasor().length }
  }
}
