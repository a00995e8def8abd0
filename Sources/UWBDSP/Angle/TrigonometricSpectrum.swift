import CUWBKernels
import UWBPlatform

/// A quadratic form over the steering vectors of a uniform row, a(μ)ᴴ·W·a(μ) with a_m = exp(jmμ): a trigonometric
/// polynomial of M coefficients, whose minima are found on a grid and refined off it.
///
///     f(μ) = c_0 + 2·Re Σ_{d=1}^{M−1} c_d·exp(jdμ),    c_d = Σ_m W_{m, m+d}
///
/// (Barabell 1983.) Cost: M²/2 additions for the coefficients, M products a grid point of 16·M, then some 3–5 Newton
/// steps of M products and one sine and cosine for each minimum.
package final class TrigonometricSpectrum {
  let order: Int
  /// μ at the field of view's end.
  let limit: Double
  /// c_0 … c_{M−1}: real parts, then imaginary parts.
  let coefficients: AlignedBuffer<Double>
  /// Minima found, as pairs (μ, f), lowest first.
  let minima: AlignedBuffer<SIMD2<Double>>
  private(set) var minimumCount = 0
  /// Whether all minima's refinements settled.
  private(set) var hasSettled = true

  private let gridCount: Int
  private let gridStep: Double
  /// Whether the grid closes upon itself: the row sees all of the circle.
  private let isClosed: Bool
  private let values: AlignedBuffer<Double>
  /// cos(d·μ_g), then sin(d·μ_g), d by d from 1.
  private let table: AlignedBuffer<Double>
  private let candidates: AlignedBuffer<SIMD2<Double>>
  private let places: AlignedBuffer<Int>

  /// - Parameter extent: |μ| at the end of the field of view, k·d·sin(field of view).
  init(order: Int, extent: Double, minimumLimit: Int) {
    self.order = order
    isClosed = extent >= .pi * (1 - 1e-9)
    limit = isClosed ? .pi : extent
    let wanted = Double(16 * order) * limit / .pi
    gridCount = max(16, (Int(wanted, within: 0...16 * order) + 7) / 8 * 8)
    gridStep = isClosed ? 2 * limit / Double(gridCount) : 2 * limit / Double(gridCount - 1)
    coefficients = AlignedBuffer(count: 2 * order, zero: 0)
    minima = AlignedBuffer(count: minimumLimit, zero: SIMD2())
    candidates = AlignedBuffer(count: gridCount, zero: SIMD2())
    places = AlignedBuffer(count: gridCount, zero: 0)
    values = AlignedBuffer(count: gridCount, zero: 0)
    table = AlignedBuffer(count: 2 * max(order - 1, 1) * gridCount, zero: 0)
    for d in 1..<max(order, 2) {
      for g in 0..<gridCount {
        let angle = Double(d) * (gridStep * Double(g) - limit)
        table.pointer[2 * (d - 1) * gridCount + g] = cos(angle)
        table.pointer[(2 * (d - 1) + 1) * gridCount + g] = sin(angle)
      }
    }
  }

  /// Takes W by columns, real parts and then imaginary parts; only its upper triangle is read.
  func load(_ matrix: UnsafePointer<Double>, scale: Double) {
    let c = coefficients.pointer
    let square = order * order
    for d in 0..<order {
      var re = 0.0
      var im = 0.0
      for m in 0..<order - d {
        re += matrix[(m + d) * order + m]
        im += matrix[square + (m + d) * order + m]
      }
      c[d] = scale * re
      c[order + d] = scale * im
    }
  }

  /// Takes W = I − Σ e·eᴴ from the vectors e, each real parts and then imaginary parts.
  func loadComplement(_ signals: UnsafePointer<Double>, count: Int) {
    uwb_complement_diagonals(signals, order, count, coefficients.pointer)
  }

  /// f and its first two derivatives where exp(jμ) is `step`.
  private func evaluate(_ step: SIMD2<Double>) -> (value: Double, slope: Double, bend: Double) {
    let c = coefficients.pointer
    let (stepX, stepY) = (step.x, step.y)
    var (x, y) = (stepX, stepY)
    var value = 0.0
    var slope = 0.0
    var bend = 0.0
    var lag = 1.0
    for d in 1..<max(order, 1) {
      let re = c[d] * x - c[order + d] * y
      let im = c[d] * y + c[order + d] * x
      value += re
      slope -= lag * im
      bend -= lag * lag * re
      (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
      lag += 1
    }
    return (c[0] + 2 * value, 2 * slope, 2 * bend)
  }

  /// Finds the `count` lowest minima inside the field of view, refined. The field's ends count where f falls towards them.
  func findMinima(_ count: Int) {
    scan()
    let f = values.pointer
    let last = gridCount - 1
    var found = 0
    func add(_ point: Int) {
      candidates.pointer[found] = SIMD2(Double(point), f[point])
      found += 1
    }
    if f[0] < (isClosed ? f[last] : .infinity) && f[0] <= f[1] { add(0) }
    for index in 0..<uwb_local_minima(f, gridCount, places.pointer) { add(places.pointer[index]) }
    if f[last] < f[last - 1] && f[last] <= (isClosed ? f[0] : .infinity) { add(last) }
    // The lowest candidates on the grid; one more than asked for, as refinement may change their order.
    let kept = min(found, count + 1, minima.count)
    moveLowestFirst(candidates.pointer, found, kept: kept) { $0.y }
    hasSettled = true
    minimumCount = 0
    for place in 0..<kept {
      let refined = refine(Int(candidates.pointer[place].x, within: 0...gridCount - 1))
      var index = minimumCount
      while index > 0, minima.pointer[index - 1].y > refined.y {
        minima.pointer[index] = minima.pointer[index - 1]
        index -= 1
      }
      minima.pointer[index] = refined
      minimumCount += 1
    }
    minimumCount = min(minimumCount, count)
  }

  private func scan() {
    uwb_trigonometric_scan(coefficients.pointer, order, table.pointer, gridCount, values.pointer)
  }

  /// Newton's steps from a grid point, held between its neighbours by bisection.
  private func refine(_ point: Int) -> SIMD2<Double> {
    var low = gridStep * Double(point - 1) - limit
    var high = gridStep * Double(point + 1) - limit
    if !isClosed {
      low = max(low, -limit)
      high = min(high, limit)
    }
    let f = values.pointer
    var angle = gridStep * Double(point) - limit
    if point > 0 && point < gridCount - 1 {
      let (a, b, c) = (f[point - 1], f[point], f[point + 1])
      let curvature = a - 2 * b + c
      if curvature > 0 { angle += gridStep * min(max(0.5 * (a - c) / curvature, -0.5), 0.5) }
    }
    let start = angle - (gridStep * Double(point) - limit)
    var step = SIMD2(table.pointer[point], table.pointer[gridCount + point]).times(Self.turn(start))
    var value = 0.0
    for _ in 0..<40 {
      let here = evaluate(step)
      value = here.value
      if here.slope > 0 { high = angle } else { low = angle }
      var next = angle - here.slope / here.bend
      if !(here.bend > 0 && next > low && next < high) { next = 0.5 * (low + high) }
      let move = next - angle
      angle = next
      // The next Newton step would be of the order of this one's square.
      if abs(move) < 1e-6 * gridStep || high - low < 1e-14 { return SIMD2(wrapped(angle), value) }
      step = step.times(Self.turn(move))
    }
    hasSettled = false
    return SIMD2(wrapped(angle), value)
  }

  /// exp(j·angle), by its series where few terms are enough.
  @inline(__always)
  private static func turn(_ angle: Double) -> SIMD2<Double> {
    guard abs(angle) < 0.06 else { return SIMD2(cos(angle), sin(angle)) }
    let square = angle * angle
    let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
    let sine = angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
    return SIMD2(cosine, sine)
  }

  private func wrapped(_ angle: Double) -> Double {
    angle > .pi ? angle - 2 * .pi : angle < -.pi ? angle + 2 * .pi : angle
  }
}

/// Moves the `kept` lowest of the first `count` candidates to the front, lowest first.
@inline(__always)
func moveLowestFirst<Candidate>(
  _ candidates: UnsafeMutablePointer<Candidate>, _ count: Int, kept: Int, by value: (Candidate) -> Double
) {
  for place in 0..<kept {
    var best = place
    for other in place..<count where value(candidates[other]) < value(candidates[best]) { best = other }
    let lowest = candidates[best]
    candidates[best] = candidates[place]
    candidates[place] = lowest
  }
}
