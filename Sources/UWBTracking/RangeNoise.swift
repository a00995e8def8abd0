import UWBPlatform
import UWBTypes

/// Noise of a series of distances over the stated one: the median of second differences, which steps, outliers and motion hardly move.
///
/// The difference of a measurement from the straight line through the two before it has the variance
///
///     σ²·(1 + (1 + ρ)² + ρ²),   ρ = last interval over the one before
///
/// for white noise of variance σ². The median follows by steps of a fixed part, up or down (stochastic approximation: Robbins & Monro,
/// Ann. Math. Stat. 22, 1951). Noise that lasts longer than an interval looks like motion and is not seen.
struct RangeNoise: Sendable, Hashable {
  private struct Point: Sendable, Hashable {
    var value: Double
    var time: Double
  }

  /// Median of the magnitude of a standard normal variable.
  private static let median = 0.67449
  /// Logarithms of the least and the greatest ratio of deviations.
  private static let bounds = -0.7...2.3
  /// Longest time that three measurements may span, s.
  private static let span = 2.0

  private var logarithm = 0.0
  private var count = 0.0
  private var last: Point?
  private var before: Point?

  /// What a stated variance is multiplied by.
  var factor: Double { exp(2 * logarithm) }

  /// - Parameter deviation: stated, m, greater than 0
  mutating func add(_ value: Double, deviation: Double, time: Double) {
    defer { (before, last) = (last, Point(value: value, time: time)) }
    guard let last, let before, last.time > before.time, time > last.time, time - before.time < Self.span else {
      return
    }
    let ratio = (time - last.time) / (last.time - before.time)
    let expected = deviation * (1 + (1 + ratio) * (1 + ratio) + ratio * ratio).squareRoot()
    let difference = abs(value - last.value - ratio * (last.value - before.value))
    let step = max(0.02, 0.35 / (1 + count / 6))
    count += 1
    logarithm += difference > Self.median * expected * exp(logarithm) ? step : -step
    logarithm = min(max(logarithm, Self.bounds.lowerBound), Self.bounds.upperBound)
  }
}
