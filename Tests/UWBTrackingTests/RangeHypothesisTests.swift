import Numerics
import TestSupport
import Testing
import UWBTypes

@testable import UWBTracking

/// Filters by scalars against the same by matrices; mergers and offsets.
@Suite struct RangeHypothesisTests {
  private typealias Matrix = [[Double]]

  private static func product(_ a: Matrix, _ b: Matrix) -> Matrix {
    a.map { row in b[0].indices.map { column in zip(row, b).reduce(0) { $0 + $1.0 * $1.1[column] } } }
  }

  private static func transposed(_ a: Matrix) -> Matrix { a[0].indices.map { column in a.map { $0[column] } } }

  private static func covariance(_ one: RangeHypothesis) -> Matrix {
    [[one.dd, one.dr, one.db], [one.dr, one.rr, one.rb], [one.db, one.rb, one.bb]]
  }

  private static func isNear(_ one: Matrix, _ other: Matrix) -> Bool {
    zip(one.joined(), other.joined()).allSatisfy { abs($0 - $1) < 1e-9 * (1 + abs($1)) }
  }

  private static func drawn(_ random: inout StatisticsRandom, isOffset: Bool) -> RangeHypothesis {
    let root: Matrix = (0..<3).map { _ in (0..<3).map { _ in random.uniform(-1...1) } }
    let p = product(root, transposed(root))
    var one = RangeHypothesis(
      weight: random.uniform(0.1...1), distance: 5, variance: p[0][0] + 0.1, rateVariance: p[1][1] + 0.1)
    (one.rate, one.dr) = (random.uniform(-2...2), p[0][1])
    if isOffset {
      (one.offset, one.db, one.rb, one.bb, one.age) = (random.uniform(-3...3), p[0][2], p[1][2], p[2][2] + 0.1, 3)
    }
    return one
  }

  @Test(arguments: [false, true]) func stepsAreThoseOfTheMatrices(isOffset: Bool) {
    var random = StatisticsRandom(seed: 2541)
    for _ in 0..<50 {
      var one = Self.drawn(&random, isOffset: isOffset)
      let (step, acceleration, noise) = (random.uniform(0...2), random.uniform(0...1), random.uniform(0.01...1))
      let f: Matrix = [[1, step, 0], [0, 1, 0], [0, 0, 1]]
      var state: Matrix = [[one.distance], [one.rate], [one.offset]]
      var p = Self.product(Self.product(f, Self.covariance(one)), Self.transposed(f))
      state = Self.product(f, state)
      p[0][0] += acceleration * step * step * step / 3
      p[0][1] += acceleration * step * step / 2
      p[1][0] += acceleration * step * step / 2
      p[1][1] += acceleration * step
      one.predict(step, acceleration: acceleration)
      #expect(Self.isNear(Self.covariance(one), p))
      let h: Matrix = [[1, 0, isOffset ? 1 : 0]]
      let measured = 5 + random.uniform(-2...2)
      let s = Self.product(Self.product(h, p), Self.transposed(h))[0][0] + noise
      let innovation = measured - Self.product(h, state)[0][0]
      let gain = Self.product(p, Self.transposed(h)).map { $0.map { $0 / s } }
      let after = (0..<3).map { [state[$0][0] + gain[$0][0] * innovation] }
      let less = Self.product(Self.product(gain, h), p)
      let weight = one.weight
      one.correct(measured, noise: noise)
      #expect(Self.isNear([[one.distance], [one.rate], [one.offset]], after))
      #expect(Self.isNear(Self.covariance(one), (0..<3).map { r in (0..<3).map { p[r][$0] - less[r][$0] } }))
      let likelihood = Double.exp(-innovation * innovation / (2 * s)) / (2 * Double.pi * s).squareRoot()
      #expect(abs(one.weight - weight * likelihood) < 1e-12)
    }
  }

  /// A corner at a uniform time of the step: mean and covariance against drawn ones.
  @Test func cornersAreThoseThatAreDrawn() {
    var random = StatisticsRandom(seed: 2543)
    let (step, speed, count) = (1.5, 1.2, 200_000)
    var one = RangeHypothesis(weight: 1, distance: 5, variance: 0.04, rateVariance: 0.25)
    (one.rate, one.dr) = (0.8, 0.05)
    let begin = one
    one.predict(step, acceleration: 0)
    one.turn(step, acceleration: 0, speed: speed)
    var (mean, square, product) = (0.0, 0.0, 0.0)
    for _ in 0..<count {
      // Distance and rate with covariance 0.05.
      let (x, y) = (random.gaussian(), random.gaussian())
      let (distance, rate) = (5 + 0.2 * x, 0.8 + 0.25 * x + (0.25 - 0.0625 as Double).squareRoot() * y)
      let (time, turned) = (step * random.uniform(0...1), speed * random.gaussian())
      let end = distance + time * rate + (step - time) * turned
      mean += end
      square += (end - one.distance) * (end - one.distance)
      product += (end - one.distance) * turned
    }
    let trials = Double(count)
    // Five deviations of a mean, and of a mean square.
    #expect(abs(mean / trials - one.distance) < 5 * (one.dd / trials).squareRoot())
    #expect(abs(square / trials - one.dd) < 5 * one.dd * (3 / trials).squareRoot())
    #expect(abs(product / trials - one.dr) < 5 * (3 * one.dd * one.rr / trials).squareRoot())
    #expect(one.rate == 0 && one.rr == speed * speed && begin.rate == 0.8)
  }

  /// Mean and second moments of the two together.
  @Test func mergersKeepTheMoments() {
    var random = StatisticsRandom(seed: 2542)
    for _ in 0..<50 {
      let (a, b) = (Self.drawn(&random, isOffset: true), Self.drawn(&random, isOffset: true))
      func second(_ one: RangeHypothesis) -> Matrix {
        let state: Matrix = [[one.distance], [one.rate], [one.offset]]
        let outer = Self.product(state, Self.transposed(state))
        return (0..<3).map { r in (0..<3).map { one.weight * (Self.covariance(one)[r][$0] + outer[r][$0]) } }
      }
      var both = a
      both.merge(b)
      #expect(abs(both.weight - a.weight - b.weight) < 1e-12)
      #expect(abs(both.weight * both.distance - a.weight * a.distance - b.weight * b.distance) < 1e-9)
      #expect(Self.isNear(second(both), (0..<3).map { r in (0..<3).map { second(a)[r][$0] + second(b)[r][$0] } }))
    }
  }

  /// An offset that was begun by a measurement and is taken for the distance puts the distance there, no surer than it.
  @Test func offsetsBecomeDistances() {
    var one = RangeHypothesis(weight: 1, distance: 5, variance: 0.04, rateVariance: 1)
    one.beginOffset(7.5, noise: 0.01, time: 3, burst: 0.25)
    #expect(one.predicted.value == 7.5 && abs(one.predicted.variance - 0.01) < 1e-12 && one.obstructed == 0.75)
    one.adoptOffset()
    #expect(one.distance == 7.5 && abs(one.dd - 0.01) < 1e-12 && !one.isOffset)
  }
}
