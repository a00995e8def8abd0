import Numerics

/// A direction as an array measures it, in direction cosines, and how well it explains what was seen.
struct DirectionCandidate: BitwiseCopyable {
  /// (x, y); for a row of antennas the point on the row's own axis.
  var cosines: SIMD2<Double>
  /// Covariance of the cosines: xx, xy, yy.
  var covariance: SIMD3<Double>
  /// −ln of the likelihood, to a constant.
  var cost: Double
  /// Whether the antennas asked for more than 1 for a direction cosine.
  var isBeyondEdge: Bool

  static let none = DirectionCandidate(cosines: .zero, covariance: .zero, cost: .infinity, isBeyondEdge: false)
  /// What is less likely than the best by e^(−7), a thousandth, is no alternative.
  static let ambiguity = 7.0

  /// Angles and their deviations, by the first derivative at the cosines.
  func source(_ geometry: SteeringGrid.Geometry) -> SourceDirection? {
    switch geometry {
    case .point: nil
    case .row(let axis): row(axis)
    case .plane: planar()
    }
  }

  private func planar() -> SourceDirection {
    let (ux, uy) = (cosines.x, cosines.y)
    let forward = max(0, 1 - ux * ux - uy * uy).squareRoot()
    // At the very edge the derivative is infinite; the angle is then as uncertain as a step of one deviation makes it.
    let depth = max(forward, covariance.x.squareRoot(), covariance.z.squareRoot())
    // azimuth = atan2(x, z): ∂/∂x = (z + x²/z)/(x² + z²), ∂/∂y = x·y/z/(x² + z²), with z = √(1 − x² − y²).
    let across = ux * ux + depth * depth
    let byX = (depth + ux * ux / depth) / across
    let byY = ux * uy / depth / across
    let azimuth = byX * byX * covariance.x + 2 * byX * byY * covariance.y + byY * byY * covariance.z
    let upright = max(1 - uy * uy, covariance.z)
    return SourceDirection(
      direction: SIMD3(ux, uy, -forward), azimuth: Double.atan2(y: ux, x: forward),
      azimuthDeviation: SourceDirection.stated(azimuth.squareRoot()), elevation: Double.asin(min(max(uy, -1), 1)),
      elevationDeviation: SourceDirection.stated((covariance.z / upright).squareRoot()))
  }

  private func row(_ axis: SIMD2<Double>) -> SourceDirection {
    let cosine = min(max((cosines * axis).sum(), -1), 1)
    let variance = along(axis)
    let forward = (1 - cosine * cosine).squareRoot()
    let deviation = SourceDirection.stated(variance.squareRoot() / max(forward, variance.squareRoot()))
    let direction = SIMD3(axis.x * cosine, axis.y * cosine, -forward)
    guard abs(axis.x) > 1e-9 else {
      return SourceDirection(
        direction: direction, elevation: Double.asin(direction.y), elevationDeviation: deviation)
    }
    return SourceDirection(
      direction: direction, azimuth: Double.atan2(y: direction.x, x: forward),
      azimuthDeviation: deviation * abs(axis.x))
  }

  /// Variance along a unit vector.
  private func along(_ axis: SIMD2<Double>) -> Double {
    axis.x * axis.x * covariance.x + 2 * axis.x * axis.y * covariance.y + axis.y * axis.y * covariance.z
  }

  /// What two independent looks at one direction say together: the mean by information, with half the squared distance of
  /// the two, in deviations, added to their costs.
  func joined(with other: DirectionCandidate, _ geometry: SteeringGrid.Geometry) -> DirectionCandidate {
    let apart = other.cosines - cosines
    var result = self
    result.isBeyondEdge = isBeyondEdge && other.isBeyondEdge
    let misfit: Double
    switch geometry {
    case .point: return self
    case .row(let axis):
      let (own, theirs) = (along(axis), other.along(axis))
      let distance = (apart * axis).sum()
      let sum = max(own + theirs, .leastNormalMagnitude)
      result.cosines += distance * own / sum * axis
      let variance = own * theirs / sum
      result.covariance = variance * SIMD3(axis.x * axis.x, axis.x * axis.y, axis.y * axis.y)
      misfit = distance * distance / sum
    case .plane:
      let sum = covariance + other.covariance
      let determinant = max(sum.x * sum.z - sum.y * sum.y, .leastNormalMagnitude)
      let pulled =
        SIMD2(sum.z * apart.x - sum.y * apart.y, sum.x * apart.y - sum.y * apart.x) / determinant
      result.cosines +=
        SIMD2(covariance.x * pulled.x + covariance.y * pulled.y, covariance.y * pulled.x + covariance.z * pulled.y)
      misfit = (apart * pulled).sum()
      // Σ₁·(Σ₁ + Σ₂)⁻¹·Σ₂
      let (a, b) = (covariance, other.covariance)
      let first = SIMD2(sum.z * b.x - sum.y * b.y, sum.x * b.y - sum.y * b.x) / determinant
      let second = SIMD2(sum.z * b.y - sum.y * b.z, sum.x * b.z - sum.y * b.y) / determinant
      result.covariance = SIMD3(
        a.x * first.x + a.y * first.y, a.x * second.x + a.y * second.y, a.y * second.x + a.z * second.y)
    }
    result.cost = cost + other.cost + misfit / 2
    let length = (result.cosines * result.cosines).sum().squareRoot()
    if length > 1 { result.cosines /= length }
    return result
  }
}

extension DirectionEstimate {
  /// Sets status, first source and alternatives from `candidates`, whatever their order; allocates nothing once the arrays
  /// hold room.
  mutating func set(
    _ candidates: UnsafePointer<DirectionCandidate>, count: Int, _ geometry: SteeringGrid.Geometry
  ) {
    reset(.unusable)
    var best: Int?
    for index in 0..<count where candidates[index].cost < best.map({ candidates[$0].cost }) ?? .infinity {
      best = index
    }
    guard let best, let source = candidates[best].source(geometry) else { return }
    sources.append(source)
    status = candidates[best].isBeyondEdge ? .outsideFieldOfView : .ok
    var last = candidates[best].cost
    var lastIndex = best
    // By increasing cost; ties by place.
    while true {
      var next: Int?
      for index in 0..<count where index != best {
        let cost = candidates[index].cost
        guard cost > last || (cost == last && index > lastIndex) else { continue }
        if cost < next.map({ candidates[$0].cost }) ?? .infinity { next = index }
      }
      guard let next, candidates[next].cost < candidates[best].cost + DirectionCandidate.ambiguity else { return }
      last = candidates[next].cost
      lastIndex = next
      guard let other = candidates[next].source(geometry) else { continue }
      alternatives.append(other)
      status = .ambiguous
    }
  }
}
