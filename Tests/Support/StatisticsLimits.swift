import Numerics

/// Limits that a right implementation keeps with a stated confidence, from the sampling distribution.
public enum StatisticsLimits {
  /// Deviations that a Gaussian exceeds, either way, once in 100,000.
  public static let deviations = 4.417

  /// How far the mean of `trials` independent numbers of deviation `deviation` may lie from its expectation:
  /// the mean's own deviation is `deviation`/√trials.
  public static func mean(deviation: Double, trials: Int) -> Double {
    deviations * deviation / Double(trials).squareRoot()
  }

  /// Where the mean square of `trials` standard Gaussians lies: χ²_n/n has mean 1 and deviation √(2/n).
  public static func normalisedVariance(trials: Int) -> ClosedRange<Double> {
    let spread = deviations * (2 / Double(trials)).squareRoot()
    return max(0, 1 - spread)...(1 + spread)
  }

  /// Where the ratio of a sampled root mean square to its deviation lies: the square root of the above.
  public static func rootMeanSquareRatio(trials: Int) -> ClosedRange<Double> {
    let range = normalisedVariance(trials: trials)
    return range.lowerBound.squareRoot()...range.upperBound.squareRoot()
  }

  /// Counts of successes in `trials` with `probability` each, outside which either tail holds less than 10⁻⁵: exact,
  /// from the binomial distribution.
  public static func binomial(probability: Double, trials: Int) -> ClosedRange<Int> {
    precondition(probability > 0 && probability < 1, "a probability of \(probability)")
    let odds = Double.log(probability / (1 - probability))
    var logTerm = Double(trials) * Double.log(onePlus: -probability)
    var sum = 0.0
    var lowest: Int?
    for count in 0...trials {
      sum += Double.exp(logTerm)
      if lowest == nil, sum > 1e-5 { lowest = count }
      if sum >= 1 - 1e-5 { return (lowest ?? count)...count }
      logTerm += Double.log(Double(trials - count) / Double(count + 1)) + odds
    }
    return (lowest ?? 0)...trials
  }
}

/// Errors gathered over trials.
public struct StatisticsErrors: Sendable {
  public private(set) var count = 0
  private var sum = 0.0
  private var squares = 0.0

  public init() {}

  public mutating func add(_ error: Double) {
    count += 1
    sum += error
    squares += error * error
  }

  public var mean: Double { sum / Double(count) }
  public var meanSquare: Double { squares / Double(count) }
  public var rootMeanSquare: Double { meanSquare.squareRoot() }
  public var variance: Double { meanSquare - mean * mean }
}
