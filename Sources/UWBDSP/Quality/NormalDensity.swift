import Numerics

/// Logarithms of normal densities, and their sums.
package enum NormalDensity {
  package static func logDensity(_ value: Double, mean: Double, deviation: Double) -> Double {
    let scaled = (value - mean) / deviation
    return -0.5 * scaled * scaled - Double.log(deviation * (2 * Double.pi).squareRoot())
  }

  /// ln(eᵃ + eᵇ)
  package static func logSum(_ a: Double, _ b: Double) -> Double {
    max(a, b) + Double.log(onePlus: Double.exp(-abs(a - b)))
  }
}
