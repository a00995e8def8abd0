import UWBTypes

/// Errors of any number in bounded memory: exact moments, and quantiles of the absolute error to 2.4 %.
///
/// The absolute errors are counted in bins of a hundredth of a decade between 10⁻⁵ and 10⁴. A quantile is the upper border of its
/// bin, so that it is never understated.
struct RunningErrors: Sendable {
  private static let binsPerDecade = 100.0
  private static let smallest = 1e-5
  private static let binCount = 900

  private(set) var count = 0
  private(set) var mean = 0.0
  private(set) var largest = 0.0
  private var sumOfSquares = 0.0
  private var bins: [Int] = []

  mutating func add(_ error: Double) {
    guard error.isFinite else { return }
    count += 1
    mean += (error - mean) / Double(count)
    sumOfSquares += error * error
    largest = max(largest, abs(error))
    if bins.isEmpty { bins = [Int](repeating: 0, count: Self.binCount) }
    let place = abs(error) <= Self.smallest ? 0 : commonLogarithm(abs(error) / Self.smallest) * Self.binsPerDecade
    bins[min(max(Int(min(place, 1e6)), 0), Self.binCount - 1)] += 1
  }

  var rootMeanSquare: Double? { count > 0 ? (sumOfSquares / Double(count)).squareRoot() : nil }

  /// Of the absolute error.
  func quantile(_ fraction: Double) -> Double? {
    distribution.first { $0.fraction >= fraction - 1e-12 }?.error
  }

  /// Part of the errors up to each value.
  var distribution: [(error: Double, fraction: Double)] {
    var below = 0
    return bins.indices.compactMap { index in
      guard bins[index] > 0 else { return nil }
      below += bins[index]
      let border = Self.smallest * powerOfTen(Double(index + 1) / Self.binsPerDecade)
      return (below == count ? largest : min(border, largest), Double(below) / Double(count))
    }
  }
}

/// Errors over their stated deviations: their spread tells whether the deviations are honest.
struct NormalisedErrors: Sendable {
  /// Bins of a quarter between −5 and 5; the outermost two hold everything beyond.
  static let width = 0.25
  static let limit = 5.0

  private(set) var bins = [Int](repeating: 0, count: Int(2 * limit / width))
  private var moments = RunningMoments()

  mutating func add(error: Double, deviation: Double) {
    let value = error / deviation
    guard deviation > 0, value.isFinite else { return }
    moments.add(value)
    let place = (min(max(value, -Self.limit), Self.limit) + Self.limit) / Self.width
    bins[min(Int(place), bins.count - 1)] += 1
  }

  var count: Int { moments.count }
  var mean: Double { moments.mean }
  /// About the mean; 1 where deviations are honest.
  var variance: Double? { moments.variance }
}
