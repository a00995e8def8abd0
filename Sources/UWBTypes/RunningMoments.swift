/// Mean and spread of a stream of numbers (B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
/// Technometrics 4, 1962).
package struct RunningMoments: Sendable {
  package private(set) var count = 0
  package private(set) var mean = 0.0
  /// Σ(x − mean)²
  private var squares = 0.0

  package init() {}

  /// Takes a number; what is `nil` or not finite counts nothing.
  package mutating func add(_ value: Double?) {
    guard let value, value.isFinite else { return }
    count += 1
    let step = value - mean
    mean += step / Double(count)
    squares += step * (value - mean)
  }

  package var meanIfAny: Double? { count > 0 ? mean : nil }
  /// Of the numbers' source: Σ(x − mean)²/(count − 1).
  package var variance: Double? { count > 1 ? squares / Double(count - 1) : nil }
  /// The variance's root.
  package var deviation: Double? { variance?.squareRoot() }
  /// Root of the mean square about the mean.
  package var spread: Double { count > 0 ? (squares / Double(count)).squareRoot() : 0 }
  /// Root of the mean square about zero.
  package var rms: Double { (mean * mean + spread * spread).squareRoot() }
}
