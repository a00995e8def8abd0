import Numerics

/// Direction from the phases of one path across antennas: a weighted least-squares fit of the plane wave.
///
///     minimise over (u_x, u_y):  Σ_m w_m · (wrap(φ_m − φ̄ − k·(p_m − p̄)·u))²,   k = 2π f/c,  u_z = −√(1 − u_x² − u_y²)
///
/// with φ_m = arg(a_m), w_m the inverse variance of φ_m, 1/(2·SNR_m), and the common phase eliminated. The antennas
/// are taken to lie in a plane z = const, and the peer in front of it (−z): a plane can't tell front from back. Where
/// all antennas stand in one row, only the direction cosine along the row is measured: the peer is taken to be in the
/// plane through the row and the −z axis, and elevation is `nil`. A row along y measures elevation whatever the azimuth
/// is, which is `nil` then.
///
/// `estimate(amplitudes:deviations:)` unwraps phases from neighbour to neighbour along the shortest tree through all
/// antennas, which is right where neighbours are at most λ/2 apart: O(antennas), one 2 × 2 solve. Sparser arrays need the
/// search over whole turns of `estimate(amplitudes:deviations:into:)`, which also says where the answer is ambiguous.
public struct PhaseFit: Sendable, Hashable {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// Half-angle round broadside in which the search over turns looks, rad.
  public let fieldOfView: Double
  /// A direction whose likelihood is at least that of the best over this number makes the answer `.ambiguous`.
  public let likelihoodRatio: Double
  let resolver: PhaseResolver
  /// Antennas in the order in which they join the tree, and the one that each joins.
  private let order: [Int]
  private let neighbours: [Int]

  public static func == (a: Self, b: Self) -> Bool {
    a.array == b.array && a.fieldOfView == b.fieldOfView && a.likelihoodRatio == b.likelihoodRatio
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(array)
    hasher.combine(fieldOfView)
    hasher.combine(likelihoodRatio)
  }

  /// A fit with a field of view of π/2 from broadside.
  public init(array: AntennaArray) {
    self.init(array: array, fieldOfView: .pi / 2)
  }

  /// A fit with this field of view, rad from broadside.
  public init(array: AntennaArray, fieldOfView: Double, likelihoodRatio: Double = 100) {
    self.array = array
    self.fieldOfView = fieldOfView
    self.likelihoodRatio = likelihoodRatio
    resolver = PhaseResolver(Manifold(array), fieldOfView: fieldOfView)
    // Prim's algorithm from antenna 0.
    var order = [0]
    var neighbours = [0]
    while order.count < array.positions.count {
      var best = (antenna: 0, neighbour: 0, distance: Double.infinity)
      for antenna in array.positions.indices where !order.contains(antenna) {
        for neighbour in order {
          let apart = array.positions[antenna] - array.positions[neighbour]
          let distance = (apart * apart).sum()
          if distance < best.distance { best = (antenna, neighbour, distance) }
        }
      }
      // Positions that are not finite compare with nothing; their phases mean nothing either.
      guard best.distance < .infinity else { break }
      order.append(best.antenna)
      neighbours.append(best.neighbour)
    }
    self.order = order
    self.neighbours = neighbours
  }

  /// A direction with its deviations. Angles in radians.
  public struct Estimate: Sendable, Hashable {
    /// Unit vector to the peer.
    public var direction: SIMD3<Double>
    /// `nil` for a row of antennas along y.
    public var azimuth: Double?
    /// Standard deviation of the azimuth, rad; `nil` for a row of antennas along y.
    public var azimuthDeviation: Double?
    /// `nil` for a row of antennas that is not along y.
    public var elevation: Double?
    /// Standard deviation of the elevation, rad; `nil` for a row that is not along y.
    public var elevationDeviation: Double?
    /// Whether the phases ask for more than 1 for a direction cosine; the direction is then clamped to the edge.
    public var isBeyondEdge: Bool
  }

  /// - Parameters:
  ///   - amplitudes: of the path, one for each antenna.
  ///   - deviations: of each amplitude's phase, rad; positive.
  /// - Returns: `nil` for fewer than two antennas, or where an amplitude is zero or not finite.
  /// - Precondition: one amplitude and one deviation for each antenna.
  public func estimate(amplitudes: [Complex<Double>], deviations: [Double]) -> Estimate? {
    let count = array.positions.count
    precondition(
      amplitudes.count == count && deviations.count == count,
      "\(count) antennas got \(amplitudes.count) amplitudes and \(deviations.count) deviations")
    guard count >= 2, order.count == count else { return nil }
    for index in 0..<count {
      guard deviations[index] > 0, amplitudes[index].isFinite, amplitudes[index] != .zero else { return nil }
    }
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: count) { phases in
      // Relative to antenna 0.
      phases[0] = 0
      for step in 1..<count {
        let (antenna, neighbour) = (order[step], neighbours[step])
        phases[antenna] = phases[neighbour] + (amplitudes[antenna] * amplitudes[neighbour].conjugate).phase
      }
      return fit(UnsafePointer(phases.baseAddress), deviations)
    }
  }

  private func fit(_ phases: UnsafePointer<Double>?, _ deviations: [Double]) -> Estimate? {
    guard let phases else { return nil }
    let count = deviations.count
    let wavenumber = 2 * Double.pi / array.wavelength

    // Weighted means, to be taken out.
    var weightSum = 0.0
    var meanPhase = 0.0
    var meanPosition = SIMD3<Double>()
    for index in 0..<count {
      let weight = 1 / (deviations[index] * deviations[index])
      weightSum += weight
      meanPhase += weight * phases[index]
      meanPosition += weight * array.positions[index]
    }
    guard weightSum > 0 else { return nil }
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
      let phase = phases[index] - meanPhase
      xx += weight * place.x * place.x
      xy += weight * place.x * place.y
      yy += weight * place.y * place.y
      xPhase += weight * place.x * phase
      yPhase += weight * place.y * phase
    }
    let determinant = xx * yy - xy * xy
    let trace = xx + yy
    // Antennas in one place, up to rounding: less than a millionth of a radian of phase between them.
    guard trace > 1e-12 * weightSum else { return nil }
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
      azimuthDeviation: SourceDirection.stated(azimuthVariance.squareRoot()),
      elevation: Double.asin(uy), elevationDeviation: SourceDirection.stated((variances.y / upright).squareRoot()),
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
    let angleDeviation = SourceDirection.stated(variance.squareRoot() / depth)
    let direction = SIMD3(ex * clamped, ey * clamped, -forward)
    guard abs(ex) > 1e-9 else {
      return Estimate(
        direction: direction, azimuth: nil, azimuthDeviation: nil, elevation: Double.asin(direction.y),
        elevationDeviation: angleDeviation, isBeyondEdge: isBeyondEdge)
    }
    return Estimate(
      direction: direction, azimuth: Double.atan2(y: direction.x, x: forward),
      azimuthDeviation: angleDeviation * abs(ex), elevation: nil, elevationDeviation: nil,
      isBeyondEdge: isBeyondEdge)
  }
}
