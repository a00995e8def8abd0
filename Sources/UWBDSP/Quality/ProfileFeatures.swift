import Numerics

/// The power delay profile's moments, P_k = max(|h_k|² − σ², 0), t_k = k − τ:
///
///     mean excess delay  m = Σ P t / Σ P,      delay spread  √(Σ P (t − m)² / Σ P)
///     kurtosis           ln( K Σ|h|⁴ / (Σ|h|²)² )    over the K taps of the window, uncentred
///
/// and the number of its maxima. One run over the window, O(taps).
enum ProfileFeatures {
  static func measure(_ window: FeatureWindow, _ sums: ProfileSums, into features: inout QualityFeatures) {
    if sums.energy > 0 {
      let mean = sums.first / sums.energy
      features[.delaySpread] = max(sums.second / sums.energy - mean * mean, 0).squareRoot()
      features[.meanExcessDelay] = mean - (window.origin - Double(window.wholeOrigin))
    }
    if sums.power > 0 {
      features[.kurtosis] = Double.log(max(Double(window.count) * sums.squares / (sums.power * sums.power), 1e-15))
    }
    features[.peakLag] = min(max(Double(window.peakTap) - window.origin, -20), 100)
    features[.pathCount] = Double(maxima(window))
  }

  private static func maxima(_ window: FeatureWindow) -> Int {
    let least = Float(max(0.09 * window.peakPower, 9 * window.noiseVariance))
    var count = 0
    var index = 1
    while index < window.count - 1 {
      // Most of the window is below the level.
      while index &+ 8 < window.count,
        !any((window.powers.load4(index) .> least) .| (window.powers.load4(index &+ 4) .> least))
      {
        index &+= 8
      }
      let end = min(index &+ 8, window.count - 1)
      while index < end {
        let value = window.powers[index]
        if value > least, value > window.powers[index &- 1], value >= window.powers[index &+ 1] { count &+= 1 }
        index &+= 1
      }
    }
    return count
  }
}

/// Sums over a window's taps, P = max(|h|² − σ², 0) and t the delay after the whole tap at the first path: small enough for
/// squares in single precision.
struct ProfileSums {
  /// Σ P, Σ P·t, Σ P·t²
  var energy: Double
  var first: Double
  var second: Double
  /// Σ |h|², Σ |h|⁴
  var power: Double
  var squares: Double

  init(_ window: FeatureWindow) {
    let noise = Float(window.noiseVariance)
    var (energy, first, second) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var (power, squares) = (SIMD4<Float>(), SIMD4<Float>())
    let origin = window.wholeOrigin
    var delay = SIMD4<Float>(0, 1, 2, 3) - Float(origin)
    var index = 0
    while index &+ 4 <= window.count {
      let value = window.powers.load4(index)
      let net = (value - noise).larger(.zero)
      energy += net
      let moment = net * delay
      first += moment
      second += moment * delay
      power += value
      squares += value * value
      delay += 4
      index &+= 4
    }
    self.energy = Double(energy.sum())
    self.first = Double(first.sum())
    self.second = Double(second.sum())
    self.power = Double(power.sum())
    self.squares = Double(squares.sum())
    while index < window.count {
      let value = Double(window.powers[index])
      let net = max(0, value - window.noiseVariance)
      let delay = Double(index - origin)
      self.energy += net
      self.first += net * delay
      self.second += net * delay * delay
      self.power += value
      self.squares += value * value
      index += 1
    }
  }
}
