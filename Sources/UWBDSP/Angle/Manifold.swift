import UWBPlatform

/// An array's steering vectors over the coordinates in which they are simplest, with derivatives: what estimators and
/// bounds search and differentiate.
///
/// | kind | coordinates q | which arrays |
/// |---|---|---|
/// | row | cosine to the row's axis | antennas in a row that share one pattern |
/// | plane | two direction cosines in the plane | antennas in a plane that share one pattern |
/// | sweep | azimuth | a measured manifold of one elevation, over antennas in a row along x |
/// | sphere | azimuth, elevation | everything else |
///
/// On a row and a plane phases are linear in q, and a shared pattern is a factor of the source's amplitude. The part of
/// the direction that these can't measure is taken on the side of −z (+y, +x where the plane holds the z axis).
package struct Manifold: Sendable {
  package enum Kind: Sendable { case row, plane, sweep, sphere }

  package let kind: Kind
  package let count: Int
  /// Coordinates of a direction: 1 or 2.
  package let dimensions: Int
  /// First and second axis of a row or plane.
  package let first: SIMD3<Double>
  package let second: SIMD3<Double>
  /// Where the unmeasured part of the direction points.
  package let outward: SIMD3<Double>
  /// k·(p − p̄), rad: in coordinates of (first, second, outward) for rows and planes, else along x, y, z.
  package let places: [SIMD3<Double>]
  /// |g| of each antenna; the phases of the gains are taken off the data.
  package let weights: [Double]
  package let areWeightsEqual: Bool
  package let patterns: [ElementPattern]
  package let grid: ManifoldGrid?
  /// k·d of a uniform row, rad from antenna to antenna in their order; 0 for other arrays.
  package let rowStep: Double
  /// Which antenna is each one's mirror image in the array's centre; empty where one has none.
  package let mirror: [Int]
  /// Largest extent, in rad of phase.
  package let aperture: Double

  package init(_ array: AntennaArray) {
    count = array.positions.count
    let wavenumber = 2 * Double.pi / array.wavelength
    let centre = array.positions.reduce(SIMD3()) { $0 + $1 } / Double(count)
    let offsets = array.positions.map { wavenumber * ($0 - centre) }
    let magnitudes = array.gains.map(\.length)
    let weights = magnitudes.isEmpty ? [Double](repeating: 1, count: array.positions.count) : magnitudes
    self.weights = weights
    areWeightsEqual = weights.allSatisfy { abs($0 - weights[0]) <= 1e-6 * weights[0] }
    grid = array.manifold
    let shared = array.patterns.count <= 1 || array.patterns.allSatisfy { $0 == array.patterns[0] }
    patterns = shared ? [] : array.patterns

    let axes = Self.axes(offsets)
    let isIdeal = shared && array.manifold == nil
    let kind: Kind
    if isIdeal && axes.rank <= 1 {
      kind = .row
    } else if isIdeal && axes.rank == 2 {
      kind = .plane
    } else if axes.rank <= 1 && array.manifold?.elevations.count == 1 && shared {
      kind = .sweep
    } else {
      kind = .sphere
    }
    self.kind = kind
    dimensions = kind == .row || kind == .sweep ? 1 : 2
    (first, second, outward) = (axes.first, axes.second, axes.outward)
    let turned = kind == .row || kind == .plane
    let places = offsets.map { offset in
      turned
        ? SIMD3((offset * axes.first).sum(), (offset * axes.second).sum(), (offset * axes.outward).sum()) : offset
    }
    self.places = places
    aperture = 2 * (offsets.map { ($0 * $0).sum().squareRoot() }.max() ?? 0)

    let step = kind == .row && count > 1 ? places[1].x - places[0].x : 0
    let isUniform = step != 0 && (1..<count).allSatisfy { abs(places[$0].x - places[$0 - 1].x - step) < 1e-6 }
    rowStep = isUniform && areWeightsEqual ? step : 0

    var images: [Int] = []
    if isIdeal && areWeightsEqual {
      for offset in offsets {
        let image = offsets.firstIndex { other in
          let sum = other + offset
          return (sum * sum).sum() < 1e-12
        }
        guard let image else { break }
        images.append(image)
      }
    }
    mirror = images.count == count ? images : []
  }

  /// The directions in which the antennas spread, 1 mrad of phase counting as none; and where the rest is taken.
  private static func axes(
    _ offsets: [SIMD3<Double>]
  ) -> (rank: Int, first: SIMD3<Double>, second: SIMD3<Double>, outward: SIMD3<Double>) {
    func size(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
    func without(_ vector: SIMD3<Double>, _ axis: SIMD3<Double>) -> SIMD3<Double> {
      vector - (vector * axis).sum() * axis
    }
    let small = 1e-3
    // From antenna 0, so that a row's axis runs exactly through its antennas.
    let spans = offsets.map { $0 - offsets[0] }
    guard let longest = spans.max(by: { size($0) < size($1) }), size(longest) > small else {
      return (0, SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, -1))
    }
    var e = longest / size(longest)
    // Towards +x, +y, +z: signs that read well.
    if (abs(e.x) > 1e-9 ? e.x : abs(e.y) > 1e-9 ? e.y : e.z) < 0 { e = -e }
    let across = spans.map { without($0, e) }.max { size($0) < size($1) } ?? SIMD3()
    guard size(across) > small else {
      let candidates: [SIMD3<Double>] = [SIMD3(0, 0, -1), SIMD3(1, 0, 0)]
      let out = candidates.map { without($0, e) }.first { size($0) > 0.1 } ?? SIMD3(0, 0, -1)
      let outward = out / size(out)
      return (1, e, cross(outward, e), outward)
    }
    let raw = across / size(across)
    var normal = cross(e, raw)
    let sign = abs(normal.z) > 1e-9 ? -normal.z : abs(normal.y) > 1e-9 ? normal.y : normal.x
    if sign < 0 { normal = -normal }
    let depth = spans.map { abs(($0 * normal).sum()) }.max() ?? 0
    guard depth <= small else { return (3, SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, -1)) }
    // A plane z = const gets the axes x and y.
    if abs(normal.z) > 1 - 1e-12 { return (2, SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, -1)) }
    return (2, e, cross(normal, e), normal)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  /// The direction at q; coordinates beyond the edge are pulled onto it.
  package func direction(_ q: SIMD2<Double>) -> SIMD3<Double> {
    switch kind {
    case .row:
      let cosine = min(max(q.x, -1), 1)
      return cosine * first + (1 - cosine * cosine).squareRoot() * outward
    case .plane:
      let size = (q * q).sum().squareRoot()
      let p = size > 1 ? q / size : q
      return p.x * first + p.y * second + max(0, 1 - (p * p).sum()).squareRoot() * outward
    case .sweep:
      return Direction.unitVector(azimuth: q.x, elevation: grid?.elevations.first ?? 0)
    case .sphere:
      return Direction.unitVector(azimuth: q.x, elevation: q.y)
    }
  }

  /// The coordinates of a direction, the inverse of `direction(_:)` on the side where it looks.
  package func coordinates(_ direction: SIMD3<Double>) -> SIMD2<Double> {
    switch kind {
    case .row: return SIMD2((direction * first).sum(), 0)
    case .plane: return SIMD2((direction * first).sum(), (direction * second).sum())
    case .sweep: return SIMD2(Direction.angles(of: direction).azimuth, 0)
    case .sphere:
      let angles = Direction.angles(of: direction)
      return SIMD2(angles.azimuth, angles.elevation)
    }
  }

  /// Writes a(q), interleaved by part: real parts, then imaginary parts, `count` each.
  package func fill(_ q: SIMD2<Double>, _ value: UnsafeMutablePointer<Double>) {
    fill(q, value, nil)
  }

  /// Writes a(q) and, where asked for, its derivatives by the coordinates (each real parts, then imaginary parts).
  package func fill(_ q: SIMD2<Double>, _ value: UnsafeMutablePointer<Double>, _ slopes: UnsafeMutablePointer<Double>?)
  {
    switch kind {
    case .row, .plane: fillFlat(q, value, slopes)
    case .sweep, .sphere: fillRound(q, value, slopes)
    }
  }

  private func fillFlat(
    _ q: SIMD2<Double>, _ value: UnsafeMutablePointer<Double>, _ slopes: UnsafeMutablePointer<Double>?
  ) {
    places.withUnsafeBufferPointer { places in
      weights.withUnsafeBufferPointer { weights in
        if rowStep != 0 {
          // One step's rotation, multiplied up: rounding grows by one unit an antenna.
          let (stepX, stepY) = (cos(rowStep * q.x), sin(rowStep * q.x))
          let start = places[0].x * q.x
          var (x, y) = (weights[0] * cos(start), weights[0] * sin(start))
          for antenna in 0..<count {
            value[antenna] = x
            value[count + antenna] = y
            (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
          }
        } else {
          for antenna in 0..<count {
            let phase = places[antenna].x * q.x + places[antenna].y * q.y
            value[antenna] = weights[antenna] * cos(phase)
            value[count + antenna] = weights[antenna] * sin(phase)
          }
        }
        guard let slopes else { return }
        for antenna in 0..<count {
          let (x, y) = (value[antenna], value[count + antenna])
          slopes[antenna] = -places[antenna].x * y
          slopes[count + antenna] = places[antenna].x * x
          if dimensions == 2 {
            slopes[2 * count + antenna] = -places[antenna].y * y
            slopes[3 * count + antenna] = places[antenna].y * x
          }
        }
      }
    }
  }

  private func fillRound(
    _ q: SIMD2<Double>, _ value: UnsafeMutablePointer<Double>, _ slopes: UnsafeMutablePointer<Double>?
  ) {
    let azimuth = q.x
    let elevation = kind == .sweep ? grid?.elevations.first ?? 0 : q.y
    let (ca, sa) = (cos(azimuth), sin(azimuth))
    let (ce, se) = (cos(elevation), sin(elevation))
    let direction = SIMD3(sa * ce, se, -ca * ce)
    let byAzimuth = SIMD3(ca * ce, 0, sa * ce)
    let byElevation = SIMD3(-sa * se, ce, ca * se)
    for antenna in 0..<count {
      let phase = (places[antenna] * direction).sum()
      var (x, y) = (weights[antenna] * cos(phase), weights[antenna] * sin(phase))
      // The derivative is j·phaseSlope·a, plus what the pattern and the measured factor add.
      let slopeA = (places[antenna] * byAzimuth).sum()
      let slopeE = (places[antenna] * byElevation).sum()
      var (aX, aY) = (-slopeA * y, slopeA * x)
      var (eX, eY) = (-slopeE * y, slopeE * x)
      if !patterns.isEmpty {
        let (level, slope) = patterns[antenna].amplitudeAndSlope(towards: direction)
        let boresight = patterns[antenna].boresight
        let turnA = slope * (boresight * byAzimuth).sum()
        let turnE = slope * (boresight * byElevation).sum()
        (aX, aY) = (level * aX + turnA * x, level * aY + turnA * y)
        (eX, eY) = (level * eX + turnE * x, level * eY + turnE * y)
        (x, y) = (level * x, level * y)
      }
      if let grid {
        let factor = grid.response(antenna: antenna, azimuth: azimuth, elevation: elevation)
        let g = factor.value.rawStorage
        let gA = factor.byAzimuth.rawStorage
        let gE = factor.byElevation.rawStorage
        (aX, aY) = (aX * g.x - aY * g.y + x * gA.x - y * gA.y, aX * g.y + aY * g.x + x * gA.y + y * gA.x)
        (eX, eY) = (eX * g.x - eY * g.y + x * gE.x - y * gE.y, eX * g.y + eY * g.x + x * gE.y + y * gE.x)
        (x, y) = (x * g.x - y * g.y, x * g.y + y * g.x)
      }
      value[antenna] = x
      value[count + antenna] = y
      guard let slopes else { continue }
      slopes[antenna] = aX
      slopes[count + antenna] = aY
      if dimensions == 2 {
        slopes[2 * count + antenna] = eX
        slopes[3 * count + antenna] = eY
      }
    }
  }

  /// Whether q lies beyond the end of what the coordinates can hold.
  package func isBeyondEdge(_ q: SIMD2<Double>) -> Bool {
    switch kind {
    case .row: abs(q.x) > 1
    case .plane: (q * q).sum() > 1
    case .sweep, .sphere: false
    }
  }

  /// The direction at q as a result, its deviations from the variances of q by the first derivative.
  ///
  /// At the very edge of a row's or plane's range the derivative is infinite; the angle is then as uncertain as a step of
  /// one deviation makes it. Nothing is more uncertain than π.
  package func source(_ q: SIMD2<Double>, xx: Double, yy: Double, xy: Double) -> SourceDirection {
    let u = direction(q)
    var byX = SIMD3<Double>()
    var byY = SIMD3<Double>()
    switch kind {
    case .row:
      let cosine = min(max(q.x, -1), 1)
      let depth = max((1 - cosine * cosine).squareRoot(), xx.squareRoot())
      byX = first - cosine / depth * outward
    case .plane:
      let p = SIMD2((u * first).sum(), (u * second).sum())
      let depth = max((u * outward).sum(), xx.squareRoot(), yy.squareRoot())
      byX = first - p.x / depth * outward
      byY = second - p.y / depth * outward
    case .sweep:
      return SourceDirection(
        direction: u, azimuth: q.x, azimuthDeviation: Self.deviation(xx), elevation: nil, elevationDeviation: nil)
    case .sphere:
      return SourceDirection(
        direction: u, azimuth: q.x, azimuthDeviation: Self.deviation(xx), elevation: q.y,
        elevationDeviation: Self.deviation(yy))
    }
    let angles = Direction.angles(of: u)
    // azimuth = atan2(x, −z), elevation = asin(y)
    let across = u.x * u.x + u.z * u.z
    // Towards a pole azimuth loses its meaning.
    let floor = max(across, xx, 1e-12)
    let azimuthX = (u.x * byX.z - u.z * byX.x) / floor
    let azimuthY = (u.x * byY.z - u.z * byY.x) / floor
    let upright = max(across, yy, kind == .row ? xx : 0, 1e-12).squareRoot()
    let elevationX = byX.y / upright
    let elevationY = byY.y / upright
    var result = SourceDirection(direction: u)
    if kind == .plane || abs(first.y) < 1 - 1e-9 {
      result.azimuth = angles.azimuth
      result.azimuthDeviation = Self.deviation(
        azimuthX * azimuthX * xx + azimuthY * azimuthY * yy + 2 * azimuthX * azimuthY * xy)
    }
    if kind == .plane || abs(first.y) >= 1 - 1e-9 {
      result.elevation = angles.elevation
      result.elevationDeviation = Self.deviation(
        elevationX * elevationX * xx + elevationY * elevationY * yy + 2 * elevationX * elevationY * xy)
    }
    return result
  }

  private static func deviation(_ variance: Double) -> Double {
    SourceDirection.stated(variance < 0 ? 0 : variance.squareRoot())
  }
}
