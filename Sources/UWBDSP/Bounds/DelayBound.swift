import Numerics

/// Cramér–Rao bounds on path delays: the least variance that any unbiased estimator can have.
///
/// The model is y[k] = Σ_i a_i·p(k − τ_i) + n[k], taps k, complex amplitudes a_i unknown, the pulse p known and real.
/// With the amplitudes eliminated, the Fisher information of the delays is
///
///     J_ij = (2/σ²)·Re(a_i*·a_j)·s̃_iᵀs̃_j,    s̃_i = s_i − B·(BᵀB)⁻¹·Bᵀs_i
///
/// where column i of B is p(k − τ_i) and s_i = dp(k − τ_i)/dτ_i (Kay, "Estimation Theory", 1993, equation 15.52, and
/// the Schur complement of its amplitude block). Here are the closed forms for one and two paths; `DelayBound+Paths`
/// takes any list, any window and coloured noise; `DelayBound+Threshold` goes below the threshold SNR, where these
/// bounds promise too much.
///
/// The closed forms put sums over all taps in the place of integrals, which is exact for pulses whose spectrum ends
/// below half the tap rate, as the standard's does (0.375 cycles a tap).
public struct DelayBound: Sendable, Hashable {
  /// The pulse that one path leaves.
  public let pulse: PulseShape
  /// Seconds from tap to tap.
  public let tapSpacing: Double

  /// Creates one with the given values.
  public init(pulse: PulseShape = .standard, tapSpacing: Double = UWB.tap) {
    self.pulse = pulse
    self.tapSpacing = tapSpacing
  }

  /// A variance in seconds², from one in taps².
  public func secondsSquared(tapsSquared: Double) -> Double { tapsSquared * tapSpacing * tapSpacing }

  /// One path: σ_τ² ≥ 1/(2·SNR·Σ p'(k)²), taps².
  ///
  /// - Parameter snr: |a|²/σ², the peak of the path's pulse over the noise variance of a tap.
  public func onePathTapsSquared(snr: Double) -> Double {
    1 / (2 * snr * slopeCorrelation(0))
  }

  /// The first of two paths, taps²; infinite where the paths coincide. By symmetry, also that of the second, with its
  /// own SNR.
  ///
  /// With φ(δ) = Σ p(k)·p(k − δ), E = φ(0), A = −φ''(0) − E·φ'²/(E² − φ²), B = −φ'' − φ·φ'²/(E² − φ²):
  /// σ_τ² ≥ A/(2·SNR·(A² − B²·cos²ψ)). The other path's strength does not matter.
  ///
  /// - Parameters:
  ///   - snr: of the path whose delay is bounded.
  ///   - separationTaps: between the two.
  ///   - relativePhase: ψ, between the amplitudes, rad.
  public func ofTwoPathsTapsSquared(snr: Double, separationTaps: Double, relativePhase: Double) -> Double {
    guard let (own, cross) = twoPathInformation(separationTaps) else { return .infinity }
    let coherence = cross * Double.cos(relativePhase)
    let determinant = own * own - coherence * coherence
    return determinant > 0 ? own / (2 * snr * determinant) : .infinity
  }

  /// The mean of `ofTwoPathsTapsSquared` over a uniform relative phase, 1/(2·SNR·√(A² − B²)), taps²: what the mean
  /// square error over trials with random phases can reach at best.
  public func ofTwoPathsTapsSquared(snr: Double, separationTaps: Double) -> Double {
    guard let (own, cross) = twoPathInformation(separationTaps) else { return .infinity }
    let determinant = own * own - cross * cross
    return determinant > 0 ? 1 / (2 * snr * determinant.squareRoot()) : .infinity
  }

  /// A and B above.
  private func twoPathInformation(_ separation: Double) -> (own: Double, cross: Double)? {
    let energy = correlation(0)
    let overlap = correlation(separation)
    let tilt = correlationSlope(separation)
    let determinant = energy * energy - overlap * overlap
    guard determinant > 1e-12 * energy * energy else { return nil }
    return (
      slopeCorrelation(0) - energy * tilt * tilt / determinant,
      slopeCorrelation(separation) - overlap * tilt * tilt / determinant
    )
  }

  // MARK: The pulse's sums

  /// Taps on either side of the pulse's peak that count; beyond them even a root-raised cosine's slope is below 10⁻³.
  static let reach = 64

  func value(_ taps: Double) -> Double { pulse(taps * tapSpacing) }

  /// dp/dt, per tap. The step suits double precision: error below 10⁻⁹ for smooth pulses.
  func slope(_ taps: Double) -> Double {
    let step = 1.0 / 256
    let near = value(taps + step) - value(taps - step)
    let far = value(taps + 2 * step) - value(taps - 2 * step)
    return (8 * near - far) / (12 * step)
  }

  /// φ(δ) = Σ p(k)·p(k − δ)
  func correlation(_ lag: Double) -> Double {
    sum { value($0) * value($0 - lag) }
  }

  /// φ'(δ) = −Σ p(k)·p'(k − δ)
  private func correlationSlope(_ lag: Double) -> Double {
    -sum { value($0) * slope($0 - lag) }
  }

  /// −φ''(δ) = Σ p'(k)·p'(k − δ)
  func slopeCorrelation(_ lag: Double) -> Double {
    sum { slope($0) * slope($0 - lag) }
  }

  private func sum(_ term: (Double) -> Double) -> Double {
    (-Self.reach...Self.reach).reduce(0) { $0 + term(Double($1)) }
  }
}
