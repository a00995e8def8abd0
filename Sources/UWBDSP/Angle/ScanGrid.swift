import UWBPlatform

/// A quadratic form over the steering vectors of any array, a(q)ᴴ·W·a(q)/a(q)ᴴa(q): its minima on a grid of coordinates,
/// refined off it by Newton's method.
///
/// The grid has four points for each half turn of the antennas farthest apart, so that no minimum of a form of that
/// bandwidth hides between them, and at least 24 across; sparser where it would hold more than 2²⁴ numbers. Steering vectors are kept for all points. The gradient is exact, the
/// Hessian its central difference; steps are halved until the form falls. Cost: M² products a point (8 points at once)
/// and (1 + 2·dimensions)·M² for a Newton step.
package final class ScanGrid {
  let manifold: Manifold
  /// Minima found, lowest first.
  struct Minimum {
    var q = SIMD2<Double>()
    var value = 0.0
  }
  /// On the grid, candidates above factor · lowest + offset are left out: nowhere near as good once refined.
  package struct Margin {
    let factor: Double
    let offset: Double

    package init(factor: Double, offset: Double) {
      self.factor = factor
      self.offset = offset
    }
  }

  let minima: AlignedBuffer<Minimum>
  private(set) var minimumCount = 0
  private(set) var hasSettled = true
  let fieldOfView: Double

  /// Grid points along each coordinate; a multiple of 8 in all, with those outside of the field of view masked.
  let columns: Int
  let rows: Int
  let padded: Int
  private let start: SIMD2<Double>
  let step: SIMD2<Double>
  private let isClosed: Bool
  /// Real parts of all antennas' responses, antenna by antenna over points, then imaginary parts.
  private let table: AlignedBuffer<Double>
  /// 1/aᴴa; 0 outside of the field of view.
  private let inverseNorms: AlignedBuffer<Double>
  let values: AlignedBuffer<Double>
  private let candidates: AlignedBuffer<Int32>
  private let vector: AlignedBuffer<Double>
  private let slopes: AlignedBuffer<Double>

  init(manifold: Manifold, fieldOfView: Double, minimumLimit: Int) {
    self.manifold = manifold
    self.fieldOfView = fieldOfView
    let half = sin(min(fieldOfView, .pi / 2))
    // Coordinates change phases by the aperture per unit (cosine or radian).
    let fine = min(1 / 12.0, Double.pi / 4 / max(manifold.aperture, 1e-9))
    let points = (1 << 24) / manifold.count
    let most = manifold.dimensions == 1 ? points / 2 : Int(Double(points).squareRoot() / 2, within: 24...points)
    var closed = false
    switch manifold.kind {
    case .row:
      columns = 2 * Int(half / fine, rounded: .up, within: 1...most) + 1
      rows = 1
      step = SIMD2(2 * half / Double(columns - 1), 1)
      start = SIMD2(-half, 0)
    case .plane:
      columns = 2 * Int(half / fine, rounded: .up, within: 1...most) + 1
      rows = columns
      step = SIMD2(repeating: 2 * half / Double(columns - 1))
      start = SIMD2(repeating: -half)
    case .sweep, .sphere:
      let reach = manifold.grid.map { ($0.azimuths.first, $0.azimuths.last) } ?? (-Double.pi, Double.pi)
      let low = max(reach.0, -fieldOfView * (fieldOfView < .pi / 2 ? 1 : 2))
      let high = min(reach.1, fieldOfView * (fieldOfView < .pi / 2 ? 1 : 2))
      closed = high - low >= 2 * Double.pi - 1e-9
      let wide = max(high - low, 1e-6)
      columns = Int(wide / fine, rounded: .up, within: (closed ? 2 : 1)...most) + (closed ? 0 : 1)
      let span = manifold.grid.map { ($0.elevations.first, $0.elevations.last) } ?? (-Double.pi / 2, .pi / 2)
      let below = max(span.0, -fieldOfView)
      let above = min(span.1, fieldOfView)
      rows = manifold.kind == .sweep ? 1 : Int(max(above - below, 1e-6) / fine, rounded: .up, within: 1...most) + 1
      step = SIMD2(
        wide / Double(closed ? columns : columns - 1), rows > 1 ? (above - below) / Double(rows - 1) : 1)
      start = SIMD2(low, below)
    }
    isClosed = closed
    padded = (columns * rows + 7) / 8 * 8
    minima = AlignedBuffer(count: minimumLimit + 1, zero: Minimum())
    table = AlignedBuffer(count: 2 * manifold.count * padded, zero: 0)
    inverseNorms = AlignedBuffer(count: padded, zero: 0)
    values = AlignedBuffer(count: padded, zero: 0)
    candidates = AlignedBuffer(count: padded, zero: 0)
    vector = AlignedBuffer(count: 2 * manifold.count, zero: 0)
    slopes = AlignedBuffer(count: 4 * manifold.count, zero: 0)
    tabulate()
  }

  private func tabulate() {
    let count = manifold.count
    for point in 0..<columns * rows {
      let q = coordinates(point)
      guard isInside(q, slack: 1e-9) else { continue }
      manifold.fill(q, vector.pointer)
      var norm = 0.0
      for antenna in 0..<2 * count {
        table.pointer[antenna * padded + point] = vector.pointer[antenna]
        norm += vector.pointer[antenna] * vector.pointer[antenna]
      }
      inverseNorms.pointer[point] = norm > 1e-12 ? 1 / norm : 0
    }
  }

  func coordinates(_ point: Int) -> SIMD2<Double> {
    start + step * SIMD2(Double(point % columns), Double(point / columns))
  }

  private func isInside(_ q: SIMD2<Double>, slack: Double) -> Bool {
    let half = sin(min(fieldOfView, .pi / 2)) + slack
    switch manifold.kind {
    case .row: return abs(q.x) <= half
    case .plane: return (q * q).sum() <= half * half
    case .sweep, .sphere: return true
    }
  }

  /// Pulls coordinates back into the field of view.
  func clamped(_ q: SIMD2<Double>) -> SIMD2<Double> {
    let half = sin(min(fieldOfView, .pi / 2))
    switch manifold.kind {
    case .row: return SIMD2(min(max(q.x, -half), half), 0)
    case .plane:
      let size = (q * q).sum().squareRoot()
      return size > half ? q * (half / size) : q
    case .sweep: return SIMD2(isClosed ? q.x : min(max(q.x, start.x), start.x + step.x * Double(columns - 1)), 0)
    case .sphere:
      return SIMD2(
        isClosed ? q.x : min(max(q.x, start.x), start.x + step.x * Double(columns - 1)),
        min(max(q.y, start.y), start.y + step.y * Double(rows - 1)))
    }
  }

  /// Whether q lies at the edge of the field of view.
  func isAtEdge(_ q: SIMD2<Double>) -> Bool {
    let half = sin(min(fieldOfView, .pi / 2)) - 1e-9
    switch manifold.kind {
    case .row: return abs(q.x) >= half
    case .plane: return (q * q).sum() >= half * half
    case .sweep, .sphere: return false
    }
  }

  /// a(q)ᴴ·W·a(q) over the grid, times `scale`, over `inverseNorms` unless `isRaw`; masked points get `masked`.
  func scan(_ matrix: UnsafePointer<Double>, scale: Double, into target: UnsafeMutablePointer<Double>, isRaw: Bool) {
    let count = manifold.count
    let square = count * count
    var point = 0
    while point < padded {
      var sum = SIMD8<Double>(repeating: 0)
      for m in 0..<count {
        let (mx, my) = (load(m, point), load(count + m, point))
        // Twice the part above the diagonal.
        var (x, y) = (0.5 * matrix[m * count + m] * mx, 0.5 * matrix[m * count + m] * my)
        for n in (m + 1)..<max(count, m + 1) {
          let (nx, ny) = (load(n, point), load(count + n, point))
          let (re, im) = (matrix[n * count + m], matrix[square + n * count + m])
          x += re * nx - im * ny
          y += re * ny + im * nx
        }
        sum += mx * x + my * y
      }
      let norms = UnsafeRawPointer(inverseNorms.pointer + point).loadUnaligned(as: SIMD8<Double>.self)
      let form = 2 * scale * sum * (isRaw ? SIMD8(repeating: 1) : norms)
      let result = form.replacing(with: .infinity, where: norms .== 0)
      UnsafeMutableRawPointer(target + point).storeBytes(of: result, as: SIMD8<Double>.self)
      point += 8
    }
  }

  private func load(_ row: Int, _ point: Int) -> SIMD8<Double> {
    UnsafeRawPointer(table.pointer + row * padded + point).loadUnaligned(as: SIMD8<Double>.self)
  }

  /// The form at q with its gradient.
  private func evaluate(
    _ matrix: UnsafePointer<Double>, _ scale: Double, _ q: SIMD2<Double>
  ) -> (value: Double, gradient: SIMD2<Double>) {
    let count = manifold.count
    let square = count * count
    let a = vector.pointer
    let d = slopes.pointer
    manifold.fill(q, a, d)
    var form = 0.0
    var norm = 0.0
    var formSlope = SIMD2<Double>()
    var normSlope = SIMD2<Double>()
    let two = manifold.dimensions == 2
    for m in 0..<count {
      var x = 0.0
      var y = 0.0
      for n in 0..<count {
        let (re, im) = (matrix[n * count + m], matrix[square + n * count + m])
        x += re * a[n] - im * a[count + n]
        y += re * a[count + n] + im * a[n]
      }
      form += a[m] * x + a[count + m] * y
      norm += a[m] * a[m] + a[count + m] * a[count + m]
      formSlope.x += 2 * (d[m] * x + d[count + m] * y)
      normSlope.x += 2 * (d[m] * a[m] + d[count + m] * a[count + m])
      if two {
        formSlope.y += 2 * (d[2 * count + m] * x + d[3 * count + m] * y)
        normSlope.y += 2 * (d[2 * count + m] * a[m] + d[3 * count + m] * a[count + m])
      }
    }
    guard norm > 1e-12 else { return (.infinity, SIMD2()) }
    let value = form / norm
    return (scale * value, scale * (formSlope - value * normSlope) / norm)
  }

  /// The form at q.
  func value(_ matrix: UnsafePointer<Double>, scale: Double, at q: SIMD2<Double>) -> Double {
    evaluate(matrix, scale, q).value
  }

  /// Finds the `count` lowest minima of scale·aᴴWa/aᴴa in the field of view, refined.
  ///
  /// - Parameter matrix: W by columns, Hermitian: real parts, then imaginary parts.
  func findMinima(_ matrix: UnsafePointer<Double>, scale: Double, count: Int, margin: Margin? = nil) {
    scan(matrix, scale: scale, into: values.pointer, isRaw: false)
    let found = gatherCandidates()
    let kept = min(found, count + 1, minima.count)
    let f = values.pointer
    moveLowestFirst(candidates.pointer, found, kept: kept) { f[Int($0)] }
    hasSettled = true
    minimumCount = 0
    for place in 0..<kept {
      let point = Int(candidates.pointer[place])
      if let margin, place > 0, f[point] > margin.factor * f[Int(candidates.pointer[0])] + margin.offset { break }
      insert(refine(matrix, scale, from: coordinates(point)))
    }
    minimumCount = min(minimumCount, count)
  }

  private func insert(_ minimum: Minimum) {
    for index in 0..<minimumCount {
      // Two starts may run into one minimum.
      let apart = (minima.pointer[index].q - minimum.q) / step
      if (apart * apart).sum() < 1e-4 { return }
    }
    var index = minimumCount
    while index > 0, minima.pointer[index - 1].value > minimum.value {
      minima.pointer[index] = minima.pointer[index - 1]
      index -= 1
    }
    minima.pointer[index] = minimum
    minimumCount += 1
  }

  /// Points of the grid no higher than their eight neighbours.
  private func gatherCandidates() -> Int {
    let f = values.pointer
    var found = 0
    for row in 0..<rows {
      for column in 0..<columns {
        let point = row * columns + column
        guard f[point] < .infinity else { continue }
        var isLowest = true
        for down in max(row - 1, 0)...min(row + 1, rows - 1) {
          for across in (column - 1)...(column + 1) {
            guard isClosed || (across >= 0 && across < columns) else { continue }
            let other = down * columns + (across + columns) % columns
            // Of equal neighbours the first counts.
            if f[other] < f[point] || (f[other] == f[point] && other < point) { isLowest = false }
          }
        }
        if isLowest {
          candidates.pointer[found] = Int32(point)
          found += 1
        }
      }
    }
    return found
  }

  private func refine(_ matrix: UnsafePointer<Double>, _ scale: Double, from q: SIMD2<Double>) -> Minimum {
    var q = q
    var here = evaluate(matrix, scale, q)
    let difference = 1e-4 * step
    for _ in 0..<30 {
      var hxx: Double
      var hxy = 0.0
      var hyy = 0.0
      do {
        let right = evaluate(matrix, scale, q + SIMD2(difference.x, 0)).gradient
        let left = evaluate(matrix, scale, q - SIMD2(difference.x, 0)).gradient
        hxx = (right.x - left.x) / (2 * difference.x)
        hxy = (right.y - left.y) / (2 * difference.x)
      }
      if manifold.dimensions == 2 {
        let up = evaluate(matrix, scale, q + SIMD2(0, difference.y)).gradient
        let down = evaluate(matrix, scale, q - SIMD2(0, difference.y)).gradient
        hyy = (up.y - down.y) / (2 * difference.y)
        hxy = 0.5 * (hxy + (up.x - down.x) / (2 * difference.y))
      }
      var move = newtonStep(hxx, hxy, hyy, here.gradient, is2D: manifold.dimensions == 2)
      if move == nil {
        // Not convex here: downhill by half a grid step.
        let slope = here.gradient * step
        let size = (slope * slope).sum().squareRoot()
        move = size > 0 ? -0.5 * step * slope / size : SIMD2()
      }
      var shift = alongRim(q, move ?? SIMD2(), here.gradient, hxx, hxy, hyy)
      let length = max(abs(shift.x / step.x), abs(shift.y / step.y))
      if length > 1 { shift /= length }
      var accepted = false
      for _ in 0..<12 {
        let next = clamped(q + shift)
        let there = evaluate(matrix, scale, next)
        if there.value <= here.value {
          let moved = (next - q) / step
          q = next
          here = there
          accepted = true
          if (moved * moved).sum() < 1e-16 { return Minimum(q: q, value: here.value) }
          break
        }
        shift *= 0.5
      }
      // No step falls: this is the minimum, to rounding.
      guard accepted else { return Minimum(q: q, value: here.value) }
    }
    hasSettled = false
    return Minimum(q: q, value: here.value)
  }

  /// At a plane's edge a step outwards becomes Newton's step along the rim, where the form's second derivative is
  /// tᵀHt − g·q/|q|².
  private func alongRim(
    _ q: SIMD2<Double>, _ move: SIMD2<Double>, _ gradient: SIMD2<Double>, _ hxx: Double, _ hxy: Double, _ hyy: Double
  ) -> SIMD2<Double> {
    guard manifold.kind == .plane, isAtEdge(q), (move * q).sum() > 0 else { return move }
    let size = (q * q).sum().squareRoot()
    let t = SIMD2(-q.y, q.x) / size
    let slope = (gradient * t).sum()
    let bend =
      hxx * t.x * t.x + 2 * hxy * t.x * t.y + hyy * t.y * t.y - (gradient * q).sum() / (size * size)
    return bend > 0 ? t * (-slope / bend) : t * (slope > 0 ? -0.5 : 0.5) * step.x
  }
}
