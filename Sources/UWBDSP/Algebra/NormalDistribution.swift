import UWBPlatform

/// The standard normal distribution.
package enum NormalDistribution {
  /// How likely a standard normal variable is below `x`: erfc(−x/√2)/2.
  package static func probability(below x: Double) -> Double {
    0.5 * erfc(-x / 2.0.squareRoot())
  }

  /// The x that a standard normal variable is below with probability `p`; infinite at 0 and 1.
  ///
  /// Abramowitz & Stegun, "Handbook of Mathematical Functions", 1964, 26.2.23 (to 4.5·10⁻⁴), then two of Halley's steps.
  package static func quantile(_ p: Double) -> Double {
    guard p > 0 else { return p < 0 || p.isNaN ? .nan : -.infinity }
    guard p <= 0.5 else { return p > 1 ? .nan : -quantile(1 - p) }
    let t = (-2 * log(p)).squareRoot()
    let over = 2.515517 + t * (0.802853 + t * 0.010328)
    let under = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    var x = over / under - t
    for _ in 0..<2 {
      let step = (probability(below: x) - p) * (2 * Double.pi).squareRoot() * exp(x * x / 2)
      x -= step / (1 + x * step / 2)
    }
    return x
  }
}
