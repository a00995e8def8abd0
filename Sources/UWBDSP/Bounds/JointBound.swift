import Numerics

/// Joint Cramér–Rao bound of the delays and directions of several paths on the antennas × taps of one CIR.
///
/// Antenna m at p_m holds, in white noise of variance v_m a tap,
///
///     h_m[k] = Σ_i a_i·exp(+j·κ·p_m·u_i)·p(k − τ_i + p_m·u_i/(c·T)),   κ = 2π·f/c, T the tap spacing
///
/// with delays τ_i (taps, at the origin of the coordinates), directions u_i and complex a_i unknown. The Fisher information of
/// a complex Gaussian mean μ(θ) is J_ab = 2·Re Σ ∂μ*/∂θ_a·∂μ/∂θ_b / v (Kay, "Estimation Theory", 1993, equation 15.52); the
/// amplitudes are eliminated by projecting the derivatives off their columns (Stoica & Nehorai 1989; for delay and angle,
/// Wax & Leshem, "Joint estimation of time delays and directions of arrival of multiple reflections of a known signal",
/// 1997). Cost: O((antennas·taps)·(unknowns)²).
public struct JointBound: Sendable, Hashable {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// The pulse that one path leaves.
  public let pulse: PulseShape
  /// Seconds from tap to tap.
  public let tapSpacing: Double
  /// m/s
  public let propagationSpeed: Double

  /// Creates one with the given values.
  public init(
    array: AntennaArray, pulse: PulseShape = .standard, tapSpacing: Double = UWB.tap,
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) {
    self.array = array
    self.pulse = pulse
    self.tapSpacing = tapSpacing
    self.propagationSpeed = propagationSpeed
  }

  /// One path of the channel.
  public struct Wave: Sendable, Hashable {
    /// Where its pulse peaks at the origin of the antennas' coordinates, taps.
    public var delayTaps: Double
    /// rad
    public var azimuth: Double
    /// rad
    public var elevation: Double
    /// At the origin of the antennas' coordinates.
    public var amplitude: Complex<Double>

    /// Creates one with the given values.
    public init(delayTaps: Double, azimuth: Double, elevation: Double = 0, amplitude: Complex<Double>) {
      self.delayTaps = delayTaps
      self.azimuth = azimuth
      self.elevation = elevation
      self.amplitude = amplitude
    }
  }

  /// Which angles of the paths are unknown.
  public enum Unknown: Sendable, Hashable {
    /// Azimuth; elevation is given. For a row of antennas that is not along y.
    case azimuth
    /// Elevation; azimuth is given. For a row of antennas along y.
    case elevation
    /// Both angles.
    case azimuthAndElevation
  }

  /// Bounds on one path's variances.
  public struct Variances: Sendable, Hashable {
    /// taps²
    public var delay: Double
    /// rad²; 0 where it is given.
    public var azimuth: Double
    /// rad²; 0 where it is given.
    public var elevation: Double
  }

  /// Bounds for every path of a list.
  ///
  /// - Parameters:
  ///   - waves: the channel.
  ///   - unknown: angles to be estimated.
  ///   - taps: the window that an estimator sees, the same on all antennas.
  ///   - noiseVariances: of a tap, one for each antenna.
  /// - Returns: `nil` where the array or the window can't tell the unknowns apart.
  /// - Precondition: one positive variance for each antenna, at least one path.
  public func variances(
    of waves: [Wave], unknown: Unknown, taps: Range<Int>, noiseVariances: [Double]
  ) -> [Variances]? {
    guard let covariance = covariance(of: waves, unknown: unknown, taps: taps, noiseVariances: noiseVariances)
    else { return nil }
    let stride = unknown == .azimuthAndElevation ? 3 : 2
    let total = stride * waves.count
    func variance(_ index: Int) -> Double { covariance[index * total + index] }
    return waves.indices.map { path in
      let first = path * stride
      return Variances(
        delay: variance(first), azimuth: unknown == .elevation ? 0 : variance(first + 1),
        elevation: unknown == .azimuth ? 0 : variance(first + stride - 1))
    }
  }

  /// The whole covariance bound, by columns; unknowns path by path: delay (taps), azimuth, elevation (rad), those that are.
  public func covariance(
    of waves: [Wave], unknown: Unknown, taps: Range<Int>, noiseVariances: [Double]
  ) -> [Double]? {
    precondition(
      !waves.isEmpty && noiseVariances.count == array.positions.count && noiseVariances.allSatisfy { $0 > 0 },
      "\(waves.count) paths on \(array.positions.count) antennas with noise \(noiseVariances)")
    let columns = waves.map { column($0, taps, noiseVariances) { value, _, _ in Complex(value) } }
    guard let gram = HermitianCholesky(gramian(columns, columns), order: waves.count) else { return nil }
    var derivatives: [[Complex<Double>]] = waves.flatMap { slopes(of: $0, unknown, taps, noiseVariances) }
    for index in derivatives.indices {
      let taken = gram.solve(columns.map { inner($0, derivatives[index]) })
      for path in waves.indices {
        for sample in derivatives[index].indices { derivatives[index][sample] -= taken[path] * columns[path][sample] }
      }
    }
    // The Hermitian factor serves for the real matrix too.
    let information = gramian(derivatives, derivatives).map { Complex(2 * $0.real) }
    guard let factor = HermitianCholesky(information, order: derivatives.count) else { return nil }
    return derivatives.indices.flatMap { column -> [Double] in
      let unit: [Complex<Double>] = derivatives.indices.map { $0 == column ? .one : .zero }
      return factor.solve(unit).map(\.real)
    }
  }

  /// Columns of ∂μ/∂(delay, angles), whitened.
  private func slopes(
    of wave: Wave, _ unknown: Unknown, _ taps: Range<Int>, _ noise: [Double]
  ) -> [[Complex<Double>]] {
    let (a, e) = (wave.azimuth, wave.elevation)
    let byAzimuth = SIMD3(Double.cos(a) * Double.cos(e), 0, Double.sin(a) * Double.cos(e))
    let byElevation = SIMD3(-Double.sin(a) * Double.sin(e), Double.cos(e), Double.cos(a) * Double.sin(e))
    let wavenumber = 2 * Double.pi * array.carrier / propagationSpeed
    // d p(k − τ + travel)/dτ = −p'; a turn by ∂u moves the phase by κ·p·∂u and the pulse ahead by p·∂u/(c·T).
    func turned(_ change: SIMD3<Double>) -> [Complex<Double>] {
      self.column(wave, taps, noise) { value, slope, place in
        let along = (place * change).sum()
        return wave.amplitude * Complex(slope * along / (propagationSpeed * tapSpacing), wavenumber * along * value)
      }
    }
    var result = [self.column(wave, taps, noise) { _, slope, _ in wave.amplitude * Complex(-slope) }]
    if unknown != .elevation { result.append(turned(byAzimuth)) }
    if unknown != .azimuth { result.append(turned(byElevation)) }
    return result
  }

  /// `body` of pulse, its slope (per tap) and antenna position, times the antenna's answer, over the noise's deviation.
  private func column(
    _ wave: Wave, _ taps: Range<Int>, _ noise: [Double],
    _ body: (Double, Double, SIMD3<Double>) -> Complex<Double>
  ) -> [Complex<Double>] {
    let bound = DelayBound(pulse: pulse, tapSpacing: tapSpacing)
    let direction = Direction.unitVector(azimuth: wave.azimuth, elevation: wave.elevation)
    return zip(array.positions, noise).flatMap { position, variance in
      let along = (position * direction).sum()
      let answer = Complex<Double>(
        length: 1 / variance.squareRoot(), phase: 2 * .pi * array.carrier / propagationSpeed * along)
      let delay = wave.delayTaps - along / (propagationSpeed * tapSpacing)
      return taps.map { tap in
        let time = Double(tap) - delay
        return answer * body(bound.value(time), bound.slope(time), position)
      }
    }
  }

  private func inner(_ a: [Complex<Double>], _ b: [Complex<Double>]) -> Complex<Double> {
    zip(a, b).reduce(.zero) { $0 + $1.0.conjugate * $1.1 }
  }

  private func gramian(_ left: [[Complex<Double>]], _ right: [[Complex<Double>]]) -> [Complex<Double>] {
    right.flatMap { column in left.map { inner($0, column) } }
  }
}
