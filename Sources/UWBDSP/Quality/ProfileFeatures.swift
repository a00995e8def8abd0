import Numerics

/// The power delay profile's moments, P_k = max(|h_k|² − σ², 0), t_k = k − τ:
///
///     mean excess delay  m = Σ P t / Σ P,      delay spread  √(Σ P (t − m)² / Σ P)
///     kurtosis           ln( K Σ|h|⁴ / (Σ|h|²)² )    over the K taps of the window, uncentred
///
/// and the number of its maxima. One run over the window, O(taps).
enum ProfileFeatures {
  static func measure(_ window: FeatureWindow, into features: inout QualityFeatures) {
    let noise = Float(window.noiseVariance)
    let unlimited = SIMD8<Float>(repeating: .infinity)
    var (energy, first, second) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
    var (power, squared) = (SIMD8<Float>(), SIMD8<Float>())
    // Delays count from the whole tap at the first path, so that their squares stay small in single precision.
    let origin = Int(window.origin)
    var delay = SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7) - Float(origin)
    var index = 0
    while index + 8 <= window.count {
      let value = window.load8(index)
      let net = (value - noise).clamped(lowerBound: .zero, upperBound: unlimited)
      energy += net
      let moment = net * delay
      first += moment
      second += moment * delay
      power += value
      squared += value * value
      delay += 8
      index += 8
    }
    var (sum, mean, square) = (Double(energy.sum()), Double(first.sum()), Double(second.sum()))
    var (all, fourth) = (Double(power.sum()), Double(squared.sum()))
    while index < window.count {
      let value = Double(window.powers[index])
      let net = max(0, value - window.noiseVariance)
      let delay = Double(index - origin)
      sum += net
      mean += net * delay
      square += net * delay * delay
      all += value
      fourth += value * value
      index += 1
    }
    if sum > 0 {
      mean /= sum
      features[.delaySpread] = max(square / sum - mean * mean, 0).squareRoot()
      features[.meanExcessDelay] = mean - (window.origin - Double(origin))
    }
    if all > 0 { features[.kurtosis] = Double.log(max(Double(window.count) * fourth / (all * all), 1e-15)) }
    features[.peakLag] = min(max(Double(window.peakTap) - window.origin, -20), 100)
    features[.pathCount] = Double(maxima(window))
  }

  private static func maxima(_ window: FeatureWindow) -> Int {
    let least = Float(max(0.09 * window.peakPower, 9 * window.noiseVariance))
    var count = 0
    var index = 1
    while index < window.count - 1 {
      let value = window.powers[index]
      if value > least, value > window.powers[index - 1], value >= window.powers[index + 1] { count += 1 }
      index += 1
    }
    return count
  }
}
