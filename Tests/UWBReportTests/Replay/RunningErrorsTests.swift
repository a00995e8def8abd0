import Foundation
import Testing
import UWBTypes

@testable import UWBReport

@Suite struct RunningErrorsTests {
  @Test func quantilesAreNeverUnderstatedAndCloseToExact() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var statistics = RunningErrors()
    let errors = (0..<5000).map { _ in
      pow(10, Double.random(in: -3...1, using: &random)) * (Bool.random(using: &random) ? 1 : -1)
    }
    for error in errors { statistics.add(error) }
    let sorted = errors.map(abs).sorted()
    for fraction in [0.01, 0.1, 0.5, 0.9, 0.99, 1] {
      let exact = sorted[Int((fraction * 5000).rounded(.up)) - 1]
      let found = statistics.quantile(fraction) ?? .nan
      #expect(
        found >= exact * (1 - 1e-12) && found <= exact * 1.0234, "seed \(seed), \(fraction): \(found) for \(exact)")
    }
    let mean = errors.reduce(0, +) / 5000
    #expect(abs(statistics.mean - mean) < 1e-9, "seed \(seed)")
    let square = errors.map { $0 * $0 }.reduce(0, +) / 5000
    #expect(abs((statistics.rootMeanSquare ?? 0) - square.squareRoot()) < 1e-9, "seed \(seed)")
  }

  @Test func oddErrorsAreCountedSomewhere() {
    var statistics = RunningErrors()
    #expect(statistics.quantile(0.5) == nil && statistics.rootMeanSquare == nil && statistics.distribution.isEmpty)
    for error in [0, -1e-300, 1e300, .nan, .infinity] as [Double] { statistics.add(error) }
    #expect(statistics.count == 3 && statistics.largest == 1e300)
    #expect(statistics.distribution.last?.fraction == 1 && statistics.distribution.last?.error == 1e300)
  }

  @Test func honestDeviationsGiveVarianceOne() {
    var random = SeededRandom(seed: 11)
    var errors = NormalisedErrors()
    for _ in 0..<20_000 {
      // Twelve uniform draws make a normal one, near enough.
      let normal = (0..<12).map { _ in Double.random(in: 0...1, using: &random) }.reduce(-6, +)
      errors.add(error: 0.3 * normal, deviation: 0.3)
    }
    #expect(abs((errors.variance ?? 0) - 1) < 0.05 && abs(errors.mean) < 0.03)
    // Between −1 and 1.
    #expect(abs(Double(errors.bins[16..<24].reduce(0, +)) / 20_000 - 0.683) < 0.02)
    #expect(errors.bins.reduce(0, +) == 20_000)
  }

  @Test func unusableDeviationsAreLeftOut() {
    var errors = NormalisedErrors()
    for deviation in [0, -1, .nan, .infinity] as [Double] { errors.add(error: 1, deviation: deviation) }
    // An infinite deviation states no error at all: 0.
    #expect(errors.count == 1 && errors.variance == nil)
    errors.add(error: 1e9, deviation: 1e-3)
    #expect(errors.bins.last == 1)
  }

  @Test func momentsKnownAnswer() {
    var moments = RunningMoments()
    #expect(moments.meanIfAny == nil && moments.deviation == nil)
    for value in [2, 4, nil, .nan, 6] as [Double?] { moments.add(value) }
    #expect(moments.mean == 4 && moments.deviation == 2 && moments.count == 3)
  }
}
