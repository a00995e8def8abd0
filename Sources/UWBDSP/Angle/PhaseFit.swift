import Numerics

/// Direction from the phases of one path across antennas: a weighted least-squares fit of the plane wave.
///
///     minimise over (u_x, u_y):  Σ_m w_m · (wrap(φ_m − φ̄ − k·(p_m − p̄)·u))²,   k = 2π f/c,  u_z = −√(1 − u_x² − u_y²)
///
/// with φ_m = arg(a_m), w_m the inverse variance of φ_m, 1/(2·SNR_m), and the common phase eliminated. The antennas
/// are taken to lie in a plane z = const, and the peer in front of it (−z): a plane can't tell front from back. Where
/// all antennas stand in one row, only the direction cosine along the row is measured: the peer is taken to be in the
/// plane through the row and the −z axis, and elevation is `nil`.
///
/// Phases are unwrapped from pair to pair, which is right for antennas at most λ/2 apart; wider arrays need an
/// ambiguity search. Cost: O(antennas), one 2 × 2 solve.
public struct PhaseFit: Sendable, Hashable {
  public let array: AntennaArray

  public init(array: AntennaArray) {
    self.array = array
  }

  /// A direction with its deviations. Angles in radians.
  public struct Estimate: Sendable, Hashable {
    /// Unit vector to the peer.
    public var direction: SIMD3<Double>
    public var azimuth: Double
    public var azimuthDeviation: Double
    /// `nil` for a single row of antennas.
    public var elevation: Double?
    public var elevationDeviation: Double?
    /// Whether the phases ask for more than 1 for a direction cosine; the direction is then clamped to the edge.
    public var isBeyondEdge: Bool
  }

  /// - Parameters:
  ///   - amplitudes: of the path, one for each antenna.
  ///   - deviations: of each amplitude's phase, rad; positive.
  /// - Returns: `nil` for fewer than two antennas, or where an amplitude is zero.
  /// - Precondition: one amplitude and one deviation for each antenna.
  public func estimate(amplitudes: [Complex<Double>], deviations: [Double]) -> Estimate? {
    let count = array.positions.count
    precondition(
      amplitudes.count == count && deviations.count == count,
      "\(count) antennas got \(amplitudes.count) amplitudes and \(deviations.count) deviations")
    guard count >= 2 else { return nil }
    let wavenumber = 2 * Double.pi / array.wavelength

    // Phases relative to the first antenna, weighted means taken out.
    var weightSum = 0.0
    var meanPhase = 0.0
    var meanPosition = SIMD3<Double>()
    let reference = amplitudes[0].conjugate
    for index in 0..<count {
      guard deviations[index] > 0, amplitudes[index] != .zero else { return nil }
      let weight = 1 / (deviations[index] * deviations[index])
      weightSum += weight
      meanPhase += weight * (amplitudes[index] * reference).phase
      meanPosition += weight * array.positions[index]
    }
    meanPhase /= weightSum
    meanPosition /= weightSum

    var xx = 0.0
    var xy = 0.0
    var yy = 0.0
    var xPhase = 0.0
    var yPhase = 0.0
    for index in 0..<count {
      let weight = 1 / (deviations[index] * deviations[index])
      let place = wavenumber * (array.positions[index] - meanPosition)
      let phase = (amplitudes[index] * reference).phase - meanPhase
      xx += weight * place.x * place.x
      xy += weight * place.x * place.y
      yy += weight * place.y * place.y
      xPhase += weight * place.x * phase
      yPhase += weight * place.y * phase
    }
    let determinant = xx * yy - xy * xy
    let trace = xx + yy
    guard trace > 0 else { return nil }
    if determinant > 1e-9 * trace * trace {
      return planar(
        (yy * xPhase - xy * yPhase) / determinant, (xx * yPhase - xy * xPhase) / determinant,
        variances: (yy / determinant, xx / determinant, -xy / determinant))
    }
    return row(xx: xx, xy: xy, yy: yy, xPhase: xPhase, yPhase: yPhase)
  }

  /// Direction cosines to angles; deviations by the first derivative.
  private func planar(
    _ x: Double, _ y: Double, variances: (x: Double, y: Double, xy: Double)
  ) -> Estimate {
    let length = (x * x + y * y).squareRoot()
    let isBeyondEdge = length >= 1
    let shrink = isBeyondEdge ? 1 / length : 1
    let (ux, uy) = (x * shrink, y * shrink)
    let forward = max(0, 1 - ux * ux - uy * uy).squareRoot()
    // At the very edge the derivative is infinite; the angle is then as uncertain as a step of one deviation makes it.
    let depth = max(forward, variances.x.squareRoot(), variances.y.squareRoot())
    // azimuth = atan2(x, z): ∂/∂x = (z + x²/z)/(x² + z²), ∂/∂y = x·y/z/(x² + z²), with z = √(1 − x² − y²).
    let across = ux * ux + depth * depth
    let byX = (depth + ux * ux / depth) / across
    let byY = ux * uy / depth / across
    let azimuthVariance =
      byX * byX * variances.x + byY * byY * variances.y + 2 * byX * byY * variances.xy
    let upright = max(1 - uy * uy, variances.y)
    return Estimate(
      direction: SIMD3(ux, uy, -forward), azimuth: Double.atan2(y: ux, x: forward),
      azimuthDeviation: min(azimuthVariance.squareRoot(), .pi),
      elevation: Double.asin(uy), elevationDeviation: min((variances.y / upright).squareRoot(), .pi),
      isBeyondEdge: isBeyondEdge)
  }

  /// One row of antennas: the cosine along it, and the direction in the plane through it and −z.
  private func row(xx: Double, xy: Double, yy: Double, xPhase: Double, yPhase: Double) -> Estimate {
    // The row's own direction (its sign does not matter: the cosine's changes with it).
    let alongX = xx >= yy ? 1 : xy / yy
    let alongY = xx >= yy ? xy / xx : 1
    let scale = 1 / (alongX * alongX + alongY * alongY).squareRoot()
    let (ex, ey) = (alongX * scale, alongY * scale)
    let information = xx + yy
    let cosine = (ex * xPhase + ey * yPhase) / information
    let variance = 1 / information
    let isBeyondEdge = abs(cosine) >= 1
    let clamped = min(max(cosine, -1), 1)
    let forward = (1 - clamped * clamped).squareRoot()
    let depth = max(forward, variance.squareRoot())
    let angleDeviation = min((variance).squareRoot() / depth, .pi)
    let direction = SIMD3(ex * clamped, ey * clamped, -forward)
    return Estimate(
      direction: direction, azimuth: Double.atan2(y: direction.x, x: forward),
      azimuthDeviation: angleDeviation * abs(ex) + (abs(ex) < 1e-9 ? .pi : 0), elevation: nil,
      elevationDeviation: nil, isBeyondEdge: isBeyondEdge)
  }
}
