import CUWBKernels
import UWBPlatform

/// Powers of one or two sources on a uniform row and the variances of their cosines, as `SourceGeometry` finds them for any.
///
/// In the covariance's real form, R = Q·C·Qᴴ (`SampleCovariance`), steering vectors are real. As both are equally long, a₁ + a₂ and a₁ − a₂ are
/// orthogonal, and all that follows are real matrices of order 2. Variances: the stochastic bound, of two sources MUSIC's asymptotic variance
/// where that is more (Stoica & Nehorai 1989, 1990). Cost O(M²·K), without a complex matrix.
struct RowSources {
  static let limit = 2

  struct Result {
    /// Noise taken off, each antenna's gain taken as 1.
    var powers: SIMD2<Double>
    /// Of the cosines; `nil` where they can't be told.
    var variances: SIMD2<Double>?
  }

  private let order: Int
  /// k·d, rad
  private let step: Double
  private let turns: AlignedBuffer<Double>
  private let forms: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>

  init(order: Int, step: Double) {
    self.order = order
    self.step = step
    turns = AlignedBuffer(count: 2 * Self.limit, zero: 0)
    forms = AlignedBuffer(count: 8, zero: 0)
    scratch = AlignedBuffer(count: 4 * padded(order), zero: 0)
  }

  /// - Parameter cosines: of the sources to the row's axis, each the first number of its pair.
  /// - Returns: `nil` where two sources coincide.
  func measure(_ covariance: SampleCovariance, cosines: UnsafePointer<SIMD2<Double>>, count: Int) -> Result? {
    precondition((1...Self.limit).contains(count), "\(count) sources, not one or two")
    for source in 0..<count {
      let half = 0.5 * step * cosines[source].x
      (turns.pointer[2 * source], turns.pointer[2 * source + 1]) = (cos(half), sin(half))
    }
    uwb_row_sources(covariance.real.pointer, order, turns.pointer, count, scratch.pointer, forms.pointer)
    return count == 1 ? measureOne(covariance) : measureTwo(covariance)
  }

  private func measureOne(_ covariance: SampleCovariance) -> Result {
    let (square, captured) = (forms.pointer[0], forms.pointer[2])
    let noise = noise(covariance, captured: captured / square, count: 1)
    let seen = captured / (square * square)
    let level = (noise ?? 0) / square
    // Weaker than its noise: what there is, noise and all.
    let power = seen > level ? seen - level : seen
    guard let noise else { return Result(powers: SIMD2(power, 0)) }
    let weight = power + level > 0 ? power * power / (power + level) : power
    let information = scale(covariance, noise, power) * weight * forms.pointer[5]
    return Result(powers: SIMD2(power, 0), variances: information > 0 ? SIMD2(1 / information, 0) : nil)
  }

  private func measureTwo(_ covariance: SampleCovariance) -> Result? {
    let (sum, difference) = (forms.pointer[0], forms.pointer[1])
    let whole = Double(order)
    guard sum * difference > 4e-12 * whole * whole else { return nil }
    // A†·C·A†ᵀ and (AᵀA)⁻¹: each amplitude is the sum or the difference of those along the orthogonal vectors.
    let s = forms.pointer[2] / (sum * sum)
    let c = forms.pointer[3] / (sum * difference)
    let d = forms.pointer[4] / (difference * difference)
    let seen = SymmetricPair(xx: s + 2 * c + d, xy: s - d, yy: s - 2 * c + d)
    let (x, y) = (1 / sum, 1 / difference)
    let inverse = SymmetricPair(xx: x + y, xy: x - y, yy: x + y)
    let noise = noise(covariance, captured: s * sum + d * difference, count: 2)
    var powers = seen - (noise ?? 0) * inverse
    if powers.xx <= 0 { powers.xx = seen.xx }
    if powers.yy <= 0 { powers.yy = seen.yy }
    var result = Result(powers: SIMD2(powers.xx, powers.yy))
    guard let noise else { return result }
    let slopes = SymmetricPair(xx: forms.pointer[5], xy: forms.pointer[6], yy: forms.pointer[7])
    let weight = (powers + noise * inverse).inverseForm(powers) ?? powers
    let product = SymmetricPair(xx: weight.xx * slopes.xx, xy: weight.xy * slopes.xy, yy: weight.yy * slopes.yy)
    let information = scale(covariance, noise, powers.xx) * product
    guard let bound = information.inverse else { return result }
    var variances = SIMD2(bound.xx, bound.yy)
    if let p = powers.inverse {
      // σ²/(2N)·([P⁻¹]_kk + σ²·[P⁻¹(AᴴA)⁻¹P⁻¹]_kk)/(D_kᴴP⊥D_k)
      let level = noise / (2 * Double(covariance.snapshotCount) * step * step)
      let excess = SIMD2(inverse.form(p.xx, p.xy), inverse.form(p.xy, p.yy))
      let asymptotic = level * (SIMD2(p.xx, p.yy) + noise * excess) / SIMD2(slopes.xx, slopes.yy)
      variances = pointwiseMax(variances, asymptotic)
    }
    result.variances = variances
    return result
  }

  /// Noise variance of an element: as given, or what the sources leave over the degrees of freedom that are left. `nil` where none are.
  private func noise(_ covariance: SampleCovariance, captured: Double, count: Int) -> Double? {
    if let given = covariance.noiseVariance { return given }
    // Real numbers: 2·M·N of data, 2·K·N amplitudes, the coordinates.
    let snapshots = 2 * Double(covariance.snapshotCount)
    let free = Double(order - count) * snapshots - Double(count)
    return free > 0 ? max(covariance.trace - captured, 0) * snapshots / free : nil
  }

  /// 2·N/σ²·(∂μ/∂q)². Without noise all is known, to what a double holds.
  private func scale(_ covariance: SampleCovariance, _ noise: Double, _ power: Double) -> Double {
    2 * Double(covariance.snapshotCount) * step * step / max(noise, 1e-26 * power, 1e-200)
  }
}

/// A symmetric matrix of order 2.
private struct SymmetricPair {
  var xx: Double
  var xy: Double
  var yy: Double

  static func + (a: Self, b: Self) -> Self { Self(xx: a.xx + b.xx, xy: a.xy + b.xy, yy: a.yy + b.yy) }
  static func - (a: Self, b: Self) -> Self { Self(xx: a.xx - b.xx, xy: a.xy - b.xy, yy: a.yy - b.yy) }
  static func * (factor: Double, a: Self) -> Self { Self(xx: factor * a.xx, xy: factor * a.xy, yy: factor * a.yy) }

  /// What elimination leaves of yy; `nil` where the matrix is not positive definite to working precision.
  private var rest: Double? {
    let left = yy - xy * xy / xx
    return xx > 0 && left > 0 && left > 1e-13 * yy && left.isFinite ? left : nil
  }

  var inverse: Self? {
    guard let rest else { return nil }
    let (ratio, y) = (xy / xx, 1 / rest)
    return Self(xx: 1 / xx + ratio * ratio * y, xy: -ratio * y, yy: y)
  }

  /// xᵀ·A·x
  func form(_ x: Double, _ y: Double) -> Double { xx * x * x + 2 * xy * x * y + yy * y * y }

  /// B·A⁻¹·B of a symmetric B, as a sum of squares.
  func inverseForm(_ b: Self) -> Self? {
    guard let rest else { return nil }
    let ratio = xy / xx
    let (x, y) = (b.xy - ratio * b.xx, b.yy - ratio * b.xy)
    return Self(
      xx: b.xx * b.xx / xx + x * x / rest, xy: b.xx * b.xy / xx + x * y / rest, yy: b.xy * b.xy / xx + y * y / rest)
  }
}
