import CUWBKernels

/// The steering matrix of several sources, A = Q·T by Gram–Schmidt, and the derivatives of its columns with A's space projected out.
///
/// Each vector: real parts, then imaginary parts, of all antennas. D holds the derivatives ∂a_k/∂q of each source's coordinates,
/// P⊥ = I − Q·Qᴴ. Cost: O(M·K²).
struct SteeringBasis {
  private let manifold: Manifold
  private let limit: Int
  private let antennas: Int
  private let vectors: AlignedBuffer<Double>
  private let slopes: AlignedBuffer<Double>
  /// T, upper triangular, limit × limit by columns.
  private let triangle: AlignedBuffer<SIMD2<Double>>

  /// - Parameter limit: most sources.
  init(_ manifold: Manifold, limit: Int) {
    self.manifold = manifold
    self.limit = limit
    antennas = manifold.count
    vectors = AlignedBuffer(count: 2 * antennas * limit, zero: 0)
    slopes = AlignedBuffer(count: 2 * antennas * limit * manifold.dimensions, zero: 0)
    triangle = AlignedBuffer(count: limit * limit, zero: SIMD2())
  }

  /// Column `index` of Q.
  func vector(_ index: Int) -> UnsafeMutablePointer<Double> { vectors.pointer + 2 * antennas * index }

  /// Column `index` of P⊥·D: source by source, coordinate by coordinate.
  func slope(_ index: Int) -> UnsafeMutablePointer<Double> { slopes.pointer + 2 * antennas * index }

  /// aᴴ·b
  func inner(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>) -> SIMD2<Double> {
    var (real, imaginary) = (SIMD4<Double>(), SIMD4<Double>())
    let end = antennas & ~3
    for m in stride(from: 0, to: end, by: 4) {
      let (x, y) = (loadFour(a + m), loadFour(a + (antennas + m)))
      let (u, v) = (loadFour(b + m), loadFour(b + (antennas + m)))
      real += x * u + y * v
      imaginary += x * v - y * u
    }
    var (re, im) = (real.sum(), imaginary.sum())
    for m in end..<antennas {
      re += a[m] * b[m] + a[antennas + m] * b[antennas + m]
      im += a[m] * b[antennas + m] - a[antennas + m] * b[m]
    }
    return SIMD2(re, im)
  }

  /// b ← b − factor·a
  private func subtract(_ a: UnsafePointer<Double>, times factor: SIMD2<Double>, from b: UnsafeMutablePointer<Double>) {
    let end = antennas & ~3
    for m in stride(from: 0, to: end, by: 4) {
      let (x, y) = (loadFour(a + m), loadFour(a + (antennas + m)))
      storeFour(loadFour(b + m) - (factor.x * x - factor.y * y), to: b + m)
      storeFour(loadFour(b + (antennas + m)) - (factor.x * y + factor.y * x), to: b + (antennas + m))
    }
    for m in end..<antennas {
      b[m] -= factor.x * a[m] - factor.y * a[antennas + m]
      b[antennas + m] -= factor.x * a[antennas + m] + factor.y * a[m]
    }
  }

  /// Forms Q, T and P⊥·D of the first `count` sources with the coordinates `q`.
  ///
  /// - Returns: `false` where two sources coincide.
  func load(_ q: UnsafePointer<SIMD2<Double>>, count: Int) -> Bool {
    let t = triangle.pointer
    for source in 0..<count {
      let a = vector(source)
      manifold.fill(q[source], a, slope(source * manifold.dimensions))
      let whole = inner(a, a).x
      for other in 0..<source {
        let factor = inner(vector(other), a)
        t[source * limit + other] = factor
        subtract(vector(other), times: factor, from: a)
      }
      let size = inner(a, a).x
      guard size > 1e-12 * whole, size > 0 else { return false }
      let root = size.squareRoot()
      t[source * limit + source] = SIMD2(root, 0)
      for m in 0..<2 * antennas { a[m] /= root }
    }
    for index in 0..<count * manifold.dimensions { project(slope(index), count: count) }
    return true
  }

  /// P⊥·v in place.
  func project(_ v: UnsafeMutablePointer<Double>, count: Int) {
    for source in 0..<count { uwb_project_out(vector(source), antennas, v) }
  }

  /// T⁻¹·x in place, `stride` apart.
  func solve(_ x: UnsafeMutablePointer<SIMD2<Double>>, stride: Int, count: Int) {
    for row in Swift.stride(from: count - 1, through: 0, by: -1) {
      var value = x[row * stride]
      for other in (row + 1)..<max(count, row + 1) {
        value -= triangle.pointer[other * limit + row].times(x[other * stride])
      }
      x[row * stride] = value / triangle.pointer[row * limit + row].x
    }
  }
}
