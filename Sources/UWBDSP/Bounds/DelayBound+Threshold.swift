import Numerics

extension DelayBound {
  /// The Ziv–Zakai bound on the mean square error of one path's delay, taps²: valid at any SNR, close to the
  /// Cramér–Rao bound above the threshold, and D²/12 (a guess) far below it.
  ///
  ///     E[ε²] ≥ ∫₀^D h·(1 − h/D)·P(h) dh
  ///
  /// for a delay that is uniform over D taps, P(h) the least probability of error in telling a path at τ from one at
  /// τ + h (Chazan, Zakai & Ziv, "Improved lower bounds on signal parameter estimation", IEEE Trans. Inf. Theory 21,
  /// 1975; in this form without valley-filling: Bell, Steinberg, Ephraim & Van Trees, ibid. 43, 1997). With the phase
  /// unknown, and whatever the amplitude, the best test compares the two matched filters' magnitudes, and
  ///
  ///     P = Q₁(a, b) − ½·exp(−(a² + b²)/2)·I₀(a·b) = 1/(2π) ∫₀^π exp(−γ·(1 − r²)/(2·(1 + r·cos v))) dv
  ///
  /// with a², b² = γ/2·(1 ∓ √(1 − r²)), γ = SNR·Σ p(k)² and r = |φ(h)|/φ(0) (first form: Proakis, "Digital
  /// Communications", 4th edition, section 5.4.4, envelope detection of correlated binary signals; the second follows
  /// from it by the integral forms of Q₁ and I₀ and the substitution tan(v/2) = (b + a)/(b − a)·tan(u/2)).
  ///
  /// - Parameters:
  ///   - snr: |a|²/σ².
  ///   - intervalTaps: D, the taps that the delay may lie in.
  public func zivZakaiTapsSquared(snr: Double, intervalTaps: Double) -> Double {
    precondition(snr > 0 && intervalTaps > 0, "an SNR of \(snr) over \(intervalTaps) taps has no bound")
    let energy = correlation(0)
    // Panels that double from well below the Cramér–Rao deviation up to half a tap, then stay: P(h) falls on the
    // first scale, and wiggles with the pulse on the second.
    var start = 0.0
    var width = min(0.25 * onePathTapsSquared(snr: snr).squareRoot(), 0.5, intervalTaps)
    var sum = 0.0
    while start < intervalTaps {
      let end = min(start + width, intervalTaps)
      sum += GaussLegendre.integrate(from: start, to: end) { lag in
        let likeness = min(abs(correlation(lag)) / energy, 1)
        return lag * (1 - lag / intervalTaps)
          * Self.confusionProbability(matchedSNR: snr * energy, likeness: likeness)
      }
      start = end
      width = min(2 * width, 0.5)
    }
    return sum
  }

  /// P above: the chance of taking one of two equally strong signals of unknown phase for the other.
  ///
  /// - Parameters:
  ///   - matchedSNR: γ, after the matched filter.
  ///   - likeness: r, the magnitude of their normalised correlation.
  static func confusionProbability(matchedSNR: Double, likeness: Double) -> Double {
    let contrast = matchedSNR * (1 - likeness * likeness) / 2
    guard contrast > 0 else { return 0.5 }
    // The integrand is even and periodic in v, so the trapezoidal rule converges exponentially.
    let steps = 128
    var sum = 0.0
    for step in 0...steps {
      let angle = Double.pi * Double(step) / Double(steps)
      let term = Double.exp(-contrast / (1 + likeness * Double.cos(angle)))
      sum += step == 0 || step == steps ? term / 2 : term
    }
    return sum / Double(2 * steps)
  }
}

/// Gauss–Legendre quadrature with eight points: exact for polynomials of degree 15 (Abramowitz & Stegun 1964, table
/// 25.4).
enum GaussLegendre {
  private static let points: [(node: Double, weight: Double)] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362_0), (0.525_532_409_916_329_0, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5), (0.960_289_856_497_536_2, 0.101_228_536_290_376_3),
  ]

  static func integrate(from start: Double, to end: Double, _ function: (Double) -> Double) -> Double {
    let middle = (start + end) / 2
    let half = (end - start) / 2
    return half
      * points.reduce(0) { $0 + $1.weight * (function(middle - half * $1.node) + function(middle + half * $1.node)) }
  }
}
