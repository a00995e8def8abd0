import UWBPlatform

/// What is told of many errors: of an estimator's delays, in any unit.
public struct ErrorStatistics: Sendable, Hashable {
  /// Trials that gave an answer.
  public let count: Int
  /// Root of the mean square.
  public let rms: Double
  /// Mean error.
  public let bias: Double
  /// Median error.
  public let median: Double
  /// Median of the magnitude.
  public let medianMagnitude: Double
  /// 90th percentile of the magnitude.
  public let p90: Double
  /// The same of what is left once the median is taken off.
  public let p90Unbiased: Double

  /// `nil` where there are no errors.
  public init?(_ errors: [Double]) {
    guard !errors.isEmpty else { return nil }
    let sorted = errors.sorted()
    let middle = Self.quantile(sorted, 0.5)
    count = errors.count
    rms = (errors.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    bias = errors.reduce(0, +) / Double(count)
    median = middle
    let magnitudes = errors.map(abs).sorted()
    medianMagnitude = Self.quantile(magnitudes, 0.5)
    p90 = Self.quantile(magnitudes, 0.9)
    p90Unbiased = Self.quantile(errors.map { abs($0 - middle) }.sorted(), 0.9)
  }

  /// Linear between order statistics, the first at 0 and the last at 1.
  static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    let position = share * Double(sorted.count - 1)
    let lower = Int(position, within: 0...max(0, sorted.count - 1))
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (position - Double(lower)) * (sorted[upper] - sorted[lower])
  }
}
