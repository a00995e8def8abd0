import CUWBKernels

/// Several sources over one array: what their steering matrix A says of the data: amplitudes, noise, the gradient of the likelihood and the
/// Fisher information. Everything in a workspace.
///
/// `SteeringBasis` holds A = Q·T, P⊥ = I − Q·Qᴴ and P⊥·D, with D the derivatives ∂a_k/∂q of each source's coordinates. Covariance matrices
/// lie by columns, real parts and then imaginary parts. Cost: O(M²·K + M·K²).
package final class SourceGeometry {
  let manifold: Manifold
  package let limit: Int
  /// Coordinates of the sources; set before `load`.
  let q: AlignedBuffer<SIMD2<Double>>
  private(set) var count = 0

  private let antennas: Int
  private let dimensions: Int
  private let basis: SteeringBasis
  /// R·v, real parts and then imaginary parts.
  private let image: AlignedBuffer<Double>
  /// Sample covariance of the sources' amplitudes plus noise, A†·R·A†ᴴ; limit × limit.
  let amplitudes: AlignedBuffer<SIMD2<Double>>
  /// The sources' covariance P, noise taken off; limit × limit.
  let powers: AlignedBuffer<SIMD2<Double>>
  /// (AᴴA)⁻¹
  private let gram: AlignedBuffer<SIMD2<Double>>
  private let scratch: AlignedBuffer<SIMD2<Double>>
  private let column: AlignedBuffer<SIMD2<Double>>
  private let factor: HermitianCholesky
  /// Fisher information, and after `makeVariances` variances, of all coordinates: source by source.
  let information: SmallCholesky
  let variances: AlignedBuffer<Double>
  let gradient: AlignedBuffer<Double>
  /// Noise variance of an element.
  private(set) var noise = 0.0
  /// tr(P⊥·R): what the sources leave of the data's power.
  private(set) var residual = 0.0

  init(manifold: Manifold, limit: Int) {
    self.manifold = manifold
    self.limit = limit
    antennas = manifold.count
    dimensions = manifold.dimensions
    q = AlignedBuffer(count: limit, zero: SIMD2())
    basis = SteeringBasis(manifold, limit: limit)
    image = AlignedBuffer(count: 2 * antennas, zero: 0)
    amplitudes = AlignedBuffer(count: limit * limit, zero: SIMD2())
    powers = AlignedBuffer(count: limit * limit, zero: SIMD2())
    gram = AlignedBuffer(count: limit * limit, zero: SIMD2())
    scratch = AlignedBuffer(count: 2 * limit * limit, zero: SIMD2())
    column = AlignedBuffer(count: limit, zero: SIMD2())
    factor = HermitianCholesky(order: limit)
    information = SmallCholesky(order: limit * dimensions)
    variances = AlignedBuffer(count: limit * dimensions * limit * dimensions, zero: 0)
    gradient = AlignedBuffer(count: limit * dimensions, zero: 0)
  }

  /// Forms Q, T and P⊥D of the first `count` sources.
  ///
  /// - Returns: `false` where two sources coincide.
  func load(count: Int) -> Bool {
    precondition(count <= limit, "\(count) sources in room for \(limit)")
    self.count = count
    return basis.load(q.pointer, count: count)
  }

  /// P⊥·v in place, of a vector with real parts and then imaginary parts.
  func project(_ v: UnsafeMutablePointer<Double>) { basis.project(v, count: count) }

  /// T⁻¹·x in place, `stride` apart.
  private func solve(_ x: UnsafeMutablePointer<SIMD2<Double>>, stride: Int) {
    basis.solve(x, stride: stride, count: count)
  }

  /// What the sources leave of R: tr(P⊥·R). The maximum-likelihood criterion.
  func residualPower(_ matrix: UnsafePointer<Double>, trace: Double) -> Double {
    var captured = 0.0
    for source in 0..<count {
      multiply(matrix, basis.vector(source))
      captured += basis.inner(basis.vector(source), image.pointer).x
    }
    residual = max(trace - captured, 0)
    return residual
  }

  private func multiply(_ matrix: UnsafePointer<Double>, _ v: UnsafePointer<Double>) {
    uwb_hermitian_product(matrix, antennas, v, image.pointer)
  }

  /// A†RA†ᴴ, (AᴴA)⁻¹, the noise (as given, or what is left over the degrees of freedom that are left) and P.
  ///
  /// - Returns: `false` where nothing is left to tell the noise from.
  @discardableResult
  func analyse(_ matrix: UnsafePointer<Double>, trace: Double, snapshots: Int, noise given: Double?) -> Bool {
    let s = amplitudes.pointer
    var captured = 0.0
    // Qᴴ·R·Q
    for right in 0..<count {
      multiply(matrix, basis.vector(right))
      for left in 0..<count { s[right * limit + left] = basis.inner(basis.vector(left), image.pointer) }
      captured += s[right * limit + right].x
    }
    residual = max(trace - captured, 0)
    for right in 0..<count { solve(s + right * limit, stride: 1) }
    // Rows from the right by T⁻ᴴ: the conjugate of T⁻¹ on the conjugated row.
    conjugate(s)
    for left in 0..<count { solve(s + left, stride: limit) }
    conjugate(s)
    let g = gram.pointer
    invertGram()
    // Real numbers: 2·M·N of data, 2·K·N amplitudes, the coordinates.
    let free = 2 * Double((antennas - count) * snapshots) - Double(count * dimensions)
    if let given { noise = given } else { noise = free > 0 ? residual * 2 * Double(snapshots) / free : 0 }
    for right in 0..<count {
      for left in 0..<count {
        powers.pointer[right * limit + left] = s[right * limit + left] - noise * g[right * limit + left]
      }
    }
    for source in 0..<count where powers.pointer[source * (limit + 1)].x <= 0 {
      // Weaker than its noise: what there is, noise and all.
      powers.pointer[source * (limit + 1)].x = s[source * (limit + 1)].x
    }
    return given != nil || free > 0
  }

  /// Takes powers and variances that are known otherwise, of sources with one coordinate each.
  func take(_ known: RowSources.Result, count: Int) {
    self.count = count
    for source in 0..<count {
      powers.pointer[source * (limit + 1)] = SIMD2(known.powers[source], 0)
      variances.pointer[source * (count + 1)] = known.variances?[source] ?? .infinity
    }
  }

  /// Takes what is true of the sources in place of what `analyse` finds: their covariance (by columns) and the noise.
  func assume(powers known: [SIMD2<Double>], noise variance: Double) {
    precondition(known.count == count * count, "\(count) sources got a covariance of \(known.count) numbers")
    for right in 0..<count {
      for left in 0..<count { powers.pointer[right * limit + left] = known[right * count + left] }
    }
    invertGram()
    noise = variance
  }

  /// (AᴴA)⁻¹ = T⁻¹·T⁻ᴴ
  private func invertGram() {
    let g = gram.pointer
    for right in 0..<count {
      for left in 0..<count { g[right * limit + left] = SIMD2(left == right ? 1 : 0, 0) }
    }
    for right in 0..<count { solve(g + right * limit, stride: 1) }
    let inverse = scratch.pointer
    for index in 0..<limit * limit { inverse[index] = g[index] }
    for right in 0..<count {
      for left in 0..<count {
        var sum = SIMD2<Double>()
        for k in 0..<count { sum += inverse[k * limit + left].times(conjugateOf: inverse[k * limit + right]) }
        g[right * limit + left] = sum
      }
    }
  }

  private func conjugate(_ matrix: UnsafeMutablePointer<SIMD2<Double>>) {
    for right in 0..<count {
      for left in 0..<count { matrix[right * limit + left].y = -matrix[right * limit + left].y }
    }
  }

  /// ∂ tr(P⊥R)/∂q = −2·Re(A†·R·P⊥·D) at each source's own coordinates, and the Gauss–Newton Hessian
  /// 2·Re[(Dᴴ·P⊥·D) ⊙ (A†·R·A†ᴴ)ᵀ] (Viberg, Ottersten & Kailath 1991) in `information`.
  func makeNewtonStep(_ matrix: UnsafePointer<Double>) {
    for source in 0..<count {
      for coordinate in 0..<dimensions {
        multiply(matrix, basis.slope(source * dimensions + coordinate))
        for other in 0..<count { column.pointer[other] = basis.inner(basis.vector(other), image.pointer) }
        solve(column.pointer, stride: 1)
        gradient.pointer[source * dimensions + coordinate] = -2 * column.pointer[source].x
      }
    }
    fillInformation(amplitudes.pointer, scale: 2)
  }

  /// scale·Re[(Dᴴ·P⊥·D) ⊙ Wᵀ]
  private func fillInformation(_ weight: UnsafePointer<SIMD2<Double>>, scale: Double) {
    let size = count * dimensions
    for row in 0..<size {
      for column in 0...row {
        let h = basis.inner(basis.slope(row), basis.slope(column))
        // (W^T)_{ij} = W_ji
        let w = weight[(row / dimensions) * limit + column / dimensions]
        information[row, column] = scale * (h.x * w.x - h.y * w.y)
      }
    }
  }

  /// How much a covariance of the directions is worth.
  package enum Bound { case deterministic, stochastic, subspace }

  /// The Cramér–Rao bound at the sources as analysed, into `variances` (K·dimensions square, by columns): deterministic
  /// or stochastic (Stoica & Nehorai 1989, 1990), or the asymptotic covariance of MUSIC (1989, theorem 3.1) where that
  /// is more; coordinates of different sources are then taken as uncorrelated.
  ///
  /// - Returns: `false` where the sources' coordinates can't be told apart.
  func makeVariances(_ bound: Bound, snapshots: Int) -> Bool {
    let size = count * dimensions
    // Without noise all is known, to what a double holds.
    let noise = max(noise, 1e-26 * powers.pointer[0].x, 1e-200)
    let scale = 2 * Double(snapshots) / noise
    let w = scratch.pointer
    switch bound {
    case .deterministic:
      fillInformation(powers.pointer, scale: scale)
    case .stochastic, .subspace:
      // P·AᴴR⁻¹A·P = P·S⁻¹·P with S = P + σ²·(AᴴA)⁻¹.
      if makeStochasticWeight() {
        fillInformation(w, scale: scale)
      } else {
        fillInformation(powers.pointer, scale: scale)
      }
    }
    guard information.factorise(order: size) else { return false }
    for row in 0..<size {
      let unit = variances.pointer + row * size
      for index in 0..<size { unit[index] = index == row ? 1 : 0 }
      information.solve(unit, order: size)
    }
    if bound == .subspace && count > 1 { raiseToSubspaceVariance(snapshots: snapshots) }
    return true
  }

  /// Into scratch: P·S⁻¹·P. `false` where S is not positive definite.
  private func makeStochasticWeight() -> Bool {
    let w = scratch.pointer
    let lower = scratch.pointer + limit * limit
    for right in 0..<count {
      for left in right..<count {
        factor[left, right] = powers.pointer[right * limit + left] + noise * gram.pointer[right * limit + left]
      }
    }
    guard factor.factorise(order: count) else { return false }
    // L⁻¹·P, then its Gram matrix.
    for right in 0..<count {
      for left in 0..<count { w[right * limit + left] = powers.pointer[right * limit + left] }
      factor.solveLower(w + right * limit, order: count)
    }
    for right in 0..<count {
      for left in 0...right {
        var sum = SIMD2<Double>()
        for k in 0..<count { sum += w[right * limit + k].times(conjugateOf: w[left * limit + k]) }
        // Σ conj(w_kl)·w_kr
        lower[right * limit + left] = sum
        lower[left * limit + right] = SIMD2(sum.x, -sum.y)
      }
    }
    for right in 0..<count {
      for left in 0..<count { w[right * limit + left] = lower[right * limit + left] }
    }
    return true
  }

  /// Raises each source's block to MUSIC's asymptotic one: σ²/(2N)·([P⁻¹]_kk + σ²·[P⁻¹(AᴴA)⁻¹P⁻¹]_kk)·Re(D_kᴴP⊥D_k)⁻¹.
  private func raiseToSubspaceVariance(snapshots: Int) {
    let size = count * dimensions
    for right in 0..<count {
      for left in right..<count { factor[left, right] = powers.pointer[right * limit + left] }
    }
    guard factor.factorise(order: count) else { return }
    for source in 0..<count {
      for other in 0..<count { column.pointer[other] = SIMD2(other == source ? 1 : 0, 0) }
      factor.solve(column.pointer, order: count)
      // column = P⁻¹·e_k, and P⁻¹ is Hermitian.
      var quadratic = column.pointer[source].x
      for right in 0..<count {
        for left in 0..<count {
          let product = gram.pointer[right * limit + left].times(column.pointer[right])
          quadratic += noise * product.times(conjugateOf: column.pointer[left]).x
        }
      }
      let level = noise / (2 * Double(snapshots)) * quadratic
      let place = source * dimensions
      let first = basis.slope(place)
      let xx = basis.inner(first, first).x
      if dimensions == 1 {
        variances.pointer[place * size + place] = max(variances.pointer[place * size + place], level / xx)
      } else {
        let second = basis.slope(place + 1)
        let yy = basis.inner(second, second).x
        let xy = basis.inner(first, second).x
        let determinant = xx * yy - xy * xy
        guard determinant > 0 else { continue }
        let (vx, vy) = (level * yy / determinant, level * xx / determinant)
        if vx > variances.pointer[place * size + place] {
          variances.pointer[place * size + place] = vx
          variances.pointer[(place + 1) * size + place + 1] = max(vy, variances.pointer[(place + 1) * size + place + 1])
          variances.pointer[place * size + place + 1] = -level * xy / determinant
          variances.pointer[(place + 1) * size + place] = -level * xy / determinant
        }
      }
    }
  }
}
