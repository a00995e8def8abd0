import UWBPlatform

/// The roots inside the unit circle of a real trigonometric polynomial, Σ_{|d|<M} c_d·z^d with c_{−d} = c_d*.
///
/// Its roots come in pairs z and 1/z*, so that only M − 1 of them are moved by the Ehrlich–Aberth iteration
/// (`PolynomialRoots`), their images repelling with them: half the work of 2M − 2 roots. Cost O(M²) a sweep, some 6–10
/// sweeps.
final class SelfInverseRoots {
  let order: Int
  /// M − 1 roots, none outside of the circle.
  let roots: AlignedBuffer<SIMD2<Double>>
  private let settled: AlignedBuffer<Bool>
  private let starts: [SIMD2<Double>]
  /// Coefficients of z^{M−1}·Σ c_d·z^d, from the highest power.
  private let polynomial: AlignedBuffer<SIMD2<Double>>

  init(order: Int) {
    self.order = order
    let count = max(order - 1, 1)
    roots = AlignedBuffer(count: count, zero: SIMD2())
    settled = AlignedBuffer(count: count, zero: false)
    polynomial = AlignedBuffer(count: 2 * order - 1, zero: SIMD2())
    // An odd angle, so that no symmetry of the polynomial holds the iteration on an axis.
    starts = (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) + 0.37) / Double(count)
      return SIMD2(0.8 * cos(angle), 0.8 * sin(angle))
    }
  }

  /// - Parameter coefficients: c_0 … c_{M−1}, real parts and then imaginary parts.
  /// - Returns: whether all have settled.
  func find(_ coefficients: UnsafePointer<Double>) -> Bool {
    let p = polynomial.pointer
    for d in 0..<order {
      p[order - 1 - d] = SIMD2(coefficients[d], coefficients[order + d])
      p[order - 1 + d] = SIMD2(coefficients[d], -coefficients[order + d])
    }
    let count = order - 1
    let z = roots.pointer
    for index in 0..<count {
      z[index] = starts[index]
      settled.pointer[index] = false
    }
    return PolynomialRoots.sweep(settled, count: count, improve)
  }

  /// One step of one root; `true` where it moved by no more than 10⁻¹¹.
  private func improve(_ index: Int) -> Bool {
    let z = roots.pointer[index]
    var value = polynomial.pointer[0]
    var slope = SIMD2<Double>()
    var magnitude = abs(value.x) + abs(value.y)
    let radius = (z * z).sum().squareRoot()
    for power in 1..<2 * order - 1 {
      slope = slope.times(z) + value
      value = value.times(z) + polynomial.pointer[power]
      magnitude = magnitude * radius + abs(polynomial.pointer[power].x) + abs(polynomial.pointer[power].y)
    }
    // No more than its own rounding error.
    if (value * value).sum() <= 1e-29 * magnitude * magnitude { return true }
    var repulsion = SIMD2<Double>()
    for other in 0..<order - 1 {
      let w = roots.pointer[other]
      let square = max((w * w).sum(), 1e-30)
      let mirrored = z - w / square
      repulsion += SIMD2(mirrored.x, -mirrored.y) / max((mirrored * mirrored).sum(), 1e-30)
      if other != index {
        let apart = z - w
        repulsion += SIMD2(apart.x, -apart.y) / max((apart * apart).sum(), 1e-30)
      }
    }
    // p/(p' − p·Σ)
    let bottom = slope - value.times(repulsion)
    let size = (bottom * bottom).sum()
    guard size > 0 else { return true }
    let step = value.times(conjugateOf: bottom) / size
    guard step.x.isFinite, step.y.isFinite else { return true }
    var next = z - step
    let square = (next * next).sum()
    if square > 1 { next /= square }
    roots.pointer[index] = next
    return (step * step).sum() <= 1e-22
  }
}
