import UWBTypes

/// A Kalman filter on one number and its rate: state (x, v), white acceleration between measurements of x.
struct ScalarTrack: Sendable, Hashable {
  /// Rates are unknown at birth, to this many units a second.
  private static let initialRate = 3.0

  private(set) var value: Double
  private(set) var rate = 0.0
  private(set) var time: Double
  private var variance: Double
  private var covariance = 0.0
  private var rateVariance = initialRate * initialRate

  init(_ value: Double, deviation: Double, time: Double) {
    self.value = value
    self.time = time
    variance = deviation * deviation
  }

  var deviation: Double { variance.squareRoot() }

  /// Moves the state to `later`, with process noise q·[[Δ³/3, Δ²/2], [Δ²/2, Δ]], q = acceleration²·1 s.
  mutating func predict(to later: Double, acceleration: Double) {
    let step = max(0, later - time)
    let density = acceleration * acceleration
    value += rate * step
    variance += step * (2 * covariance + step * (rateVariance + density * step / 3))
    covariance += step * (rateVariance + density * step / 2)
    rateVariance += density * step
    time = later
  }

  /// How many deviations a measurement lies from what is predicted.
  func distance(of measured: Double, deviation: Double) -> Double {
    abs(measured - value) / (variance + deviation * deviation).squareRoot()
  }

  /// Widens what is predicted until the measurement lies at most `limit` deviations from it: a turn faster than the model's. All of the covariance
  /// by one factor (the fading of Xia, Rao, Ying & Shen, "Adaptive fading Kalman filter with an application", Automatica 30(8), 1994).
  mutating func widen(towards measured: Double, deviation: Double, limit: Double) {
    let innovation = measured - value
    let needed = innovation * innovation / (limit * limit) - deviation * deviation
    guard variance > 0, needed > variance else { return }
    let factor = needed / variance
    variance *= factor
    covariance *= factor
    rateVariance *= factor
  }

  mutating func correct(_ measured: Double, deviation: Double) {
    let innovation = measured - value
    let total = variance + deviation * deviation
    guard total > 0 else { return }
    let gain = variance / total
    let rateGain = covariance / total
    value += gain * innovation
    rate += rateGain * innovation
    rateVariance -= rateGain * covariance
    covariance *= 1 - gain
    variance *= 1 - gain
  }
}
