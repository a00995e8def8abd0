import UWBPlatform

/// What the paths of a list cost in evidence: how much less likely than their best fit a list is for not being known beforehand.
///
/// Laplace's approximation (MacKay 1992, "Bayesian interpolation", Neural Computation 4) for amplitudes that are a priori complex Gaussian
/// of the power found, and delays that lie anywhere in `delayRange`.
enum PathEvidence {
  /// Taps.
  static let delayRange = 12.0

  /// ln of what an amplitude costs: 1.75 is the pulse's energy in taps.
  ///
  /// - Parameter power: over the noise variance of a tap.
  static func amplitudeCost(power: Double) -> Double { max(0, log(1.75 * power)) }

  /// ln of what a delay costs, √(2π) ≈ 2.5.
  ///
  /// - Parameter deviation: Cramér–Rao, taps.
  static func delayCost(deviation: Double) -> Double { max(0, log(delayRange / (2.5 * deviation))) }
}
