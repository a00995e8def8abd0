import Numerics
import TestSupport
import Testing

@testable import UWBDSP

/// What a track learns of the rates that it starts from.
@Suite struct RangeHabitsTests {
  private static func update(
    _ measured: Double, variance: Double = 0.01, noise: Double = 0.0025, outliers: Double = 0.04
  ) -> RangeUpdate {
    var update = RangeUpdate(measured: measured, noise: noise, outliers: outliers, outlierDensity: 0.04)
    let one = RangeHypothesis(weight: 1, state: SIMD3(10, 0, 0), covariance: .diagonal(variance - noise, 1, 0))
    _ = update.apply(to: one, word: 0.5, isMotion: true)
    return update
  }

  /// One in ten far off: the share goes from 4 % to 10 %, within the deviation of a binomial count; none: to the floor.
  @Test func theShareOfOutliersIsLearned() {
    let c = PeerTracker.Configuration()
    var random = StatisticsRandom(seed: 2530)
    var (habits, good) = (RangeHabits(), RangeHabits())
    #expect(habits.outliers(c) == c.outliers)
    let count = 800
    for _ in 0..<count {
      let isOutlier = random.uniform() < 0.1
      habits.learn(
        from: Self.update(10 + (isOutlier ? 5 : 0.1 * random.gaussian()), outliers: habits.outliers(c)), returned: 0,
        clearTime: 0)
      good.learn(from: Self.update(10 + 0.1 * random.gaussian(), outliers: good.outliers(c)), returned: 0, clearTime: 0)
    }
    let off = StatisticsLimits.mean(deviation: (0.1 * 0.9 as Double).squareRoot(), trials: count)
    #expect(abs(habits.outliers(c) - 0.1) < off + 0.003, "\(habits.outliers(c))")
    #expect(good.outliers(c) <= 0.2 * c.outliers + 1e-12)
    #expect(RangeHabits().outliers(PeerTracker.Configuration(outliers: 0)) == 0)
  }

  /// Innovations twice as large as predicted raise the acceleration, half as large lower it, and those that are as predicted leave it;
  /// never beyond the range of what people do.
  @Test func theAccelerationFollowsTheInnovations() {
    let c = PeerTracker.Configuration()
    for (scale, range) in [(1.0, 0.7...1.4), (2, 2.0...4.1), (0.3, 0.49...0.6)] as [(Double, ClosedRange<Double>)] {
      var random = StatisticsRandom(seed: 2531)
      var habits = RangeHabits()
      for _ in 0..<500 {
        habits.learn(from: Self.update(10 + 0.1 * scale * random.gaussian(), outliers: 0), returned: 0, clearTime: 0)
      }
      let factor = habits.acceleration(c) / c.acceleration
      #expect(range.contains(factor), "\(scale): \(factor)")
    }
  }

  /// A peer that never loses line of sight is suspected less and less; hours of it are forgotten in minutes.
  @Test func lossesAreLearnedAndForgotten() {
    let c = PeerTracker.Configuration()
    var habits = RangeHabits()
    #expect(abs(habits.lossRate(c, obstructed: 0) - 1 / c.clearTime) < 1e-12)
    for _ in 0..<36_000 { habits.learn(from: Self.update(10), returned: 0, clearTime: 0.1) }
    let rare = habits.lossRate(c, obstructed: 0)
    #expect(rare < 0.05 / c.clearTime && rare > 0)
    // Line of sight lost every ten seconds from now on.
    for index in 0..<6000 {
      habits.learn(from: Self.update(10), returned: index % 100 == 0 ? Self.update(10).weight : 0, clearTime: 0.1)
    }
    #expect(habits.lossRate(c, obstructed: 0) > 0.08)
  }

  /// Nothing that a measurement can be makes a rate that is none.
  @Test func extremesAreNoLesson() {
    let c = PeerTracker.Configuration()
    var habits = RangeHabits()
    for measured in [10, 1e150, -1e150, 1e300] {
      for outliers in [0, 0.04] {
        habits.learn(from: Self.update(measured, outliers: outliers), returned: 0, clearTime: 1)
        habits.learn(
          from: Self.update(measured, variance: 1e-300, noise: 0, outliers: outliers), returned: 0, clearTime: 1)
      }
    }
    #expect(habits.acceleration(c).isFinite && habits.acceleration(c) > 0)
    #expect(habits.outliers(c).isFinite && habits.lossRate(c, obstructed: 0).isFinite)
  }
}
