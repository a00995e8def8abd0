import UWBPlatform

/// Deterministic Cramér–Rao bounds on direction, from one snapshot of one path.
///
/// Antenna m holds g·exp(j·k·p_m·u) + noise, the complex g unknown, its SNR_m = |amplitude|²/variance given. With g
/// eliminated (Stoica & Nehorai, "MUSIC, maximum likelihood, and Cramér–Rao bound", 1989, theorem 4.1, for one source
/// and one snapshot, here with unequal noise):
///
///     J_ab = 2·k²·Σ_m SNR_m·(∂u/∂a·q_m)·(∂u/∂b·q_m),   q_m = p_m − Σ SNR_l·p_l / Σ SNR_l,   k = 2π·f/c
///
/// for a, b out of azimuth and elevation, u = (sin α·cos ε, sin ε, −cos α·cos ε). An amplitude that was fitted to the
/// pulse has its own SNR, |a|²·Σ p(k)²/σ², not that of a tap.
public struct DirectionBound: Sendable, Hashable {
  /// The antennas: positions and patterns.
  public let array: AntennaArray

  /// A bound for this array.
  public init(array: AntennaArray) {
    self.array = array
  }

  /// Fisher information of azimuth and elevation, rad⁻².
  public struct Information: Sendable, Hashable {
    /// Information of the azimuth, rad⁻².
    public var azimuth: Double
    /// Information of the elevation, rad⁻².
    public var elevation: Double
    /// Information that azimuth and elevation share, rad⁻².
    public var cross: Double

    /// Bound on the variance of azimuth where elevation is known, rad²; infinite where nothing is learnt.
    public var azimuthVarianceAtKnownElevation: Double { 1 / azimuth }
    /// Bound on the variance of elevation where azimuth is known, rad²; infinite where nothing is learnt.
    public var elevationVarianceAtKnownAzimuth: Double { 1 / elevation }

    /// Bounds where both are unknown, rad²; `nil` where the array can't tell them apart (a single row of antennas, or
    /// a direction in which a planar array sees no change).
    public var variances: (azimuth: Double, elevation: Double, covariance: Double)? {
      let determinant = azimuth * elevation - cross * cross
      guard determinant > 1e-12 * azimuth * elevation, determinant > 0 else { return nil }
      return (elevation / determinant, azimuth / determinant, -cross / determinant)
    }
  }

  /// - Parameters:
  ///   - azimuth: true azimuth, rad.
  ///   - elevation: true elevation, rad.
  ///   - snrs: power of the path's amplitude over its noise variance, one for each antenna.
  /// - Precondition: as many SNRs as antennas; none negative, not all zero.
  public func information(azimuth: Double, elevation: Double, snrs: [Double]) -> Information {
    let total = snrs.reduce(0, +)
    precondition(
      snrs.count == array.positions.count && snrs.allSatisfy { $0 >= 0 } && total > 0,
      "\(array.positions.count) antennas got the signal-to-noise ratios \(snrs)")
    let byAzimuth = SIMD3(cos(azimuth) * cos(elevation), 0, sin(azimuth) * cos(elevation))
    let byElevation = SIMD3(-sin(azimuth) * sin(elevation), cos(elevation), cos(azimuth) * sin(elevation))
    let mean = zip(snrs, array.positions).reduce(SIMD3<Double>()) { $0 + $1.0 / total * $1.1 }
    let wavenumber = 2 * Double.pi / array.wavelength
    var result = Information(azimuth: 0, elevation: 0, cross: 0)
    for (snr, position) in zip(snrs, array.positions) {
      let place = wavenumber * (position - mean)
      let across = (byAzimuth * place).sum()
      let upwards = (byElevation * place).sum()
      result.azimuth += 2 * snr * across * across
      result.elevation += 2 * snr * upwards * upwards
      result.cross += 2 * snr * across * upwards
    }
    return result
  }
}
