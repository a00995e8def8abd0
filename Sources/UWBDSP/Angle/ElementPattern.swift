import UWBPlatform

/// How strongly one antenna responds to each direction: a real amplitude, 1 at its strongest.
public enum ElementPattern: Sendable, Hashable {
  /// The same from all directions.
  case isotropic
  /// max(0, cos θ)^exponent, θ the angle to `boresight` (a unit vector): an amplitude, so that an exponent of 1 is a
  /// power of cos²θ, about that of a patch. Nothing is heard from behind.
  case cosine(exponent: Double, boresight: SIMD3<Double>)

  /// Amplitude from `direction`, a unit vector.
  public func amplitude(towards direction: SIMD3<Double>) -> Double {
    amplitudeAndSlope(towards: direction).value
  }

  /// The amplitude, and its derivative by the cosine to the boresight.
  func amplitudeAndSlope(towards direction: SIMD3<Double>) -> (value: Double, slope: Double) {
    guard case .cosine(let exponent, let boresight) = self else { return (1, 0) }
    let cosine = (direction * boresight).sum()
    guard cosine > 0 else { return (0, 0) }
    return (pow(cosine, exponent), exponent * pow(cosine, exponent - 1))
  }

  /// Where it is strongest; zero for an isotropic element.
  var boresight: SIMD3<Double> {
    if case .cosine(_, let boresight) = self { return boresight }
    return SIMD3()
  }
}
