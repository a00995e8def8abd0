import Numerics

/// Cramér–Rao bounds on the directions of any number of sources, for any array, from N snapshots in white noise.
///
///     deterministic: (2N/σ²)·Re[(Dᴴ·P⊥·D) ⊙ P̂ᵀ]⁻¹,                P̂ = Σ_t s(t)·s(t)ᴴ/N as it was
///     stochastic:    (2N/σ²)·Re[(Dᴴ·P⊥·D) ⊙ (P·Aᴴ·R⁻¹·A·P)ᵀ]⁻¹,     s ~ CN(0, P), R = A·P·Aᴴ + σ²·I
///
/// (Stoica & Nehorai, "MUSIC, maximum likelihood, and Cramér–Rao bound", 1989; "Performance study of conditional and
/// unconditional direction-of-arrival estimation", 1990.) The first is for amplitudes that are what they are, one snapshot
/// included; it can't be reached with few antennas at low SNR and many snapshots, the second can. A row of antennas bounds
/// the angle in the plane through its axis, a plane of antennas both angles.
public struct SourcesBound: Sendable, Hashable {
  /// The antennas: positions and patterns.
  public let array: AntennaArray

  /// A bound for this array.
  public init(array: AntennaArray) {
    self.array = array
  }

  /// What is assumed of the amplitudes.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// Unknown numbers.
    case deterministic
    /// Circular Gaussian with an unknown covariance.
    case stochastic
  }

  /// The sources with their bounds as deviations, rad; `nil` where the array can't tell their directions apart.
  ///
  /// - Parameters:
  ///   - directions: unit vectors to the sources, on the side on which the array looks.
  ///   - covariance: of their amplitudes as an isotropic antenna at the origin sees them, K × K by columns, Hermitian.
  ///   - noiseVariance: complex noise variance of an antenna.
  ///   - snapshots: N.
  /// - Precondition: fewer sources than antennas; K² numbers; positive noise; at least one snapshot.
  public func bound(
    _ kind: Kind, directions: [SIMD3<Double>], covariance: [Complex<Double>], noiseVariance: Double, snapshots: Int
  ) -> [SourceDirection]? {
    let manifold = Manifold(array)
    let count = directions.count
    precondition(
      count >= 1 && count < manifold.count && covariance.count == count * count && noiseVariance > 0 && snapshots >= 1,
      "\(count) sources over \(manifold.count) antennas, a covariance of \(covariance.count), noise \(noiseVariance)")
    let geometry = SourceGeometry(manifold: manifold, limit: count)
    for (index, direction) in directions.enumerated() {
      geometry.q.pointer[index] = manifold.coordinates(direction)
    }
    guard geometry.load(count: count) else { return nil }
    let factors = directions.map { factor(manifold, $0) }
    let powers = covariance.indices.map { index -> SIMD2<Double> in
      let value = factors[index % count] * covariance[index] * factors[index / count].conjugate
      return SIMD2(value.real, value.imaginary)
    }
    geometry.assume(powers: powers, noise: noiseVariance)
    guard geometry.makeVariances(kind == .deterministic ? .deterministic : .stochastic, snapshots: snapshots) else {
      return nil
    }
    let dimensions = manifold.dimensions
    let size = count * dimensions
    let v = geometry.variances.pointer
    return (0..<count).map { index in
      let place = index * dimensions
      return manifold.source(
        geometry.q.pointer[index], xx: v[place * size + place],
        yy: dimensions == 2 ? v[(place + 1) * size + place + 1] : 0,
        xy: dimensions == 2 ? v[place * size + place + 1] : 0)
    }
  }

  /// What an amplitude at the origin is in the manifold's terms: seen at the array's centre, a shared pattern included.
  private func factor(_ manifold: Manifold, _ direction: SIMD3<Double>) -> Complex<Double> {
    let wave = AlignedBuffer(count: 2 * manifold.count, zero: 0.0)
    manifold.fill(manifold.coordinates(direction), wave.pointer)
    let response = array.response(to: direction)
    var largest = 0
    for antenna in response.indices where response[antenna].length > response[largest].length { largest = antenna }
    let own = Complex(wave.pointer[largest], wave.pointer[manifold.count + largest])
    let gain = array.gains.isEmpty ? .one : array.gains[largest] / Complex(array.gains[largest].length)
    return response[largest] / (gain * own)
  }
}
