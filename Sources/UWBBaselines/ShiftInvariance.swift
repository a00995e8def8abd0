import CUWBKernels
import UWBDSP
import UWBPlatform

/// How a signal space turns from one row to the next: the eigenvalues of Ψ in X₁·Ψ = X₂.
///
/// Total least squares on real matrices for unitary ESPRIT: Ψᵀ = U₂·U₁⁻¹ (Roy & Kailath 1989, by the complement of their noise space). U₁ and U₂
/// are the halves of the K strongest eigenvectors of [X₁ X₂]ᵀ[X₁ X₂]. Least squares on complex matrices for the matrix pencil:
/// Ψ = (X₁ᴴX₁)⁻¹·X₁ᴴX₂. One and two sources by closed forms, more by LAPACK. Cost O(m·K² + K³) for X of m rows.
struct ShiftInvariance {
  /// Most sources K.
  let limit: Int
  /// From one column to the next: m rounded up to whole vectors of the machine. Rows behind m stay zero.
  let stride: Int
  /// K eigenvalues.
  let values: AlignedBuffer<SIMD2<Double>>
  private let isComplex: Bool
  private let columns: AlignedBuffer<Double>
  private let gram: AlignedBuffer<Double>
  private let vectors: AlignedBuffer<Double>
  private let scratch: AlignedBuffer<Double>
  private let symmetric: SymmetricEigenvectors
  private let factor: HermitianCholesky
  private let equations: LinearEquations
  private let general: GeneralEigenvalues

  init(rows: Int, limit: Int, isComplex: Bool) {
    self.limit = limit
    self.isComplex = isComplex
    stride = padded(rows)
    let order = padded(2 * limit)
    values = AlignedBuffer(count: limit, zero: SIMD2())
    columns = AlignedBuffer(count: (isComplex ? 4 * limit : order) * stride, zero: 0)
    gram = AlignedBuffer(count: isComplex ? 0 : order * order, zero: 0)
    vectors = AlignedBuffer(count: isComplex ? 0 : order * limit, zero: 0)
    scratch = AlignedBuffer(count: isComplex ? 0 : order * (limit + 1), zero: 0)
    symmetric = SymmetricEigenvectors(capacity: isComplex ? 0 : order)
    factor = HermitianCholesky(order: isComplex ? limit : 0)
    equations = LinearEquations(capacity: isComplex ? 0 : limit)
    general = GeneralEigenvalues(capacity: limit)
    guard limit > 2 else { return }
    // The first call of a LAPACK routine costs a hundred times the second.
    general.matrix.pointer[0] = 1
    if isComplex {
      _ = general.runComplex(order: 1)
    } else {
      _ = general.runReal(order: 1)
      equations.matrix.pointer[0] = 1
      _ = equations.solve(order: 1, sideCount: 1)
    }
  }

  /// Column `index` of X₁, for `count` sources; the imaginary part of a complex one follows `stride` behind.
  func first(_ index: Int, count: Int) -> UnsafeMutablePointer<Double> {
    columns.pointer + (isComplex ? 2 : 1) * index * stride
  }

  /// Column `index` of X₂, for `count` sources.
  func second(_ index: Int, count: Int) -> UnsafeMutablePointer<Double> {
    first((isComplex ? count : Self.half(count)) + index, count: count)
  }

  /// Columns of X₁ and of X₂, with zeros so that both fill whole vectors.
  private static func half(_ count: Int) -> Int { padded(2 * count) / 2 }

  // MARK: Real

  /// Eigenvalues by total least squares. A pair of complex ones, two sources that noise has run into one, comes as its real part twice.
  ///
  /// - Returns: whether they are determined.
  func totalLeastSquares(count: Int) -> Bool {
    precondition(!isComplex && (1...limit).contains(count), "\(count) sources in room for \(limit)")
    if count == 1 { return turnOfOne() }
    let half = Self.half(count)
    for index in count..<max(half, count) {
      for start in [index, half + index] { (columns.pointer + start * stride).update(repeating: 0, count: stride) }
    }
    let order = 2 * half
    uwb_gram(columns.pointer, order, stride, 1, gram.pointer)
    guard findSpace(order: order, count: count) else { return false }
    return count == 2 ? turnsOfTwo() : turnsOfMany(count, order: order)
  }

  /// The smaller eigenvector (a, b) of the Gram matrix [xx, xy; xy, yy] gives ω = −a/b.
  private func turnOfOne() -> Bool {
    let (x, y) = (first(0, count: 1), second(0, count: 1))
    let xx = dotProduct(x, x, count: stride)
    let xy = dotProduct(x, y, count: stride)
    let yy = dotProduct(y, y, count: stride)
    let half = 0.5 * (yy - xx)
    let root = (half * half + xy * xy).squareRoot()
    guard root > 0 else { return false }
    // ω = (yy − λ)/xy = xy/(xx − λ) with λ the smaller eigenvalue: whichever does not cancel.
    let value = half > 0 ? (half + root) / (abs(xy) > 0 ? xy : 1e-300) : xy / (root - half)
    values.pointer[0] = SIMD2(value, 0)
    return !value.isNaN
  }

  /// An orthonormal basis of the strongest eigenvectors of `gram` in `vectors`, `order` apart.
  private func findSpace(order: Int, count: Int) -> Bool {
    let isFound = uwb_leading_vectors(
      gram.pointer, order, false, count, 1e-10, 8, scratch.pointer, vectors.pointer)
    if isFound { return true }
    symmetric.matrix.pointer.update(from: gram.pointer, count: order * order)
    guard symmetric.decompose(order: order) else { return false }
    vectors.pointer.update(from: symmetric.matrix.pointer + (order - count) * order, count: order * count)
    return true
  }

  /// det(U₂ − ω·U₁) = 0
  private func turnsOfTwo() -> Bool {
    let (u, v) = (vectors.pointer, vectors.pointer + 4)
    let a = u[0] * v[1] - v[0] * u[1]
    let b = u[0] * v[3] + u[2] * v[1] - v[0] * u[3] - v[2] * u[1]
    let c = u[2] * v[3] - v[2] * u[3]
    // a·ω² − b·ω + c
    let square = b * b - 4 * a * c
    guard square > 0 else {
      values.pointer[0] = SIMD2(0.5 * b / a, 0)
      values.pointer[1] = values.pointer[0]
      return values.pointer[0].x.isFinite
    }
    let sum = 0.5 * (b < 0 ? b - square.squareRoot() : b + square.squareRoot())
    values.pointer[0] = SIMD2(sum / a, 0)
    values.pointer[1] = SIMD2(c / sum, 0)
    return !values.pointer[0].x.isNaN
  }

  /// U₁ᵀ·Ψ = U₂ᵀ
  private func turnsOfMany(_ count: Int, order: Int) -> Bool {
    for column in 0..<count {
      for row in 0..<count {
        let vector = vectors.pointer + row * order
        equations.matrix.pointer[column * count + row] = vector[column]
        equations.sides.pointer[column * count + row] = vector[order / 2 + column]
      }
    }
    guard equations.solve(order: count, sideCount: count) else { return false }
    general.matrix.pointer.update(from: equations.sides.pointer, count: count * count)
    guard general.runReal(order: count) else { return false }
    for index in 0..<count { values.pointer[index] = SIMD2(general.values.pointer[index], 0) }
    return true
  }

  // MARK: Complex

  /// Eigenvalues by least squares.
  ///
  /// - Returns: whether X₁ has full rank.
  func leastSquares(count: Int) -> Bool {
    precondition(isComplex && (1...limit).contains(count), "\(count) sources in room for \(limit)")
    switch count {
    case 1:
      let x = first(0, count: 1)
      let power = inner(x, x).x
      guard power > 0 else { return false }
      values.pointer[0] = inner(x, second(0, count: 1)) / power
      return true
    case 2: return leastSquaresOfTwo()
    default: return leastSquaresOfMany(count)
    }
  }

  /// det(X₁ᴴX₂ − z·X₁ᴴX₁) = 0
  private func leastSquaresOfTwo() -> Bool {
    let (x, y) = (first(0, count: 2), first(1, count: 2))
    let (u, v) = (second(0, count: 2), second(1, count: 2))
    let (xx, yy, xy) = (inner(x, x).x, inner(y, y).x, inner(x, y))
    let a = xx * yy - (xy * xy).sum()
    guard a > 1e-13 * xx * yy else { return false }
    let (xu, xv, yu, yv) = (inner(x, u), inner(x, v), inner(y, u), inner(y, v))
    let half = 0.5 * (xx * yv + yy * xu - xy.times(yu) - xv.times(conjugateOf: xy))
    let root = squareRoot(half.times(half) - a * (xu.times(yv) - xv.times(yu)))
    values.pointer[0] = (half + root) / a
    values.pointer[1] = (half - root) / a
    return true
  }

  private func leastSquaresOfMany(_ count: Int) -> Bool {
    for column in 0..<count {
      for row in column..<count { factor[row, column] = inner(first(row, count: count), first(column, count: count)) }
    }
    guard factor.factorise(order: count) else { return false }
    for column in 0..<count {
      for row in 0..<count {
        values.pointer[row] = inner(first(row, count: count), second(column, count: count))
      }
      factor.solve(values.pointer, order: count)
      for row in 0..<count {
        let at = 2 * (column * count + row)
        (general.matrix.pointer[at], general.matrix.pointer[at + 1]) = (values.pointer[row].x, values.pointer[row].y)
      }
    }
    guard general.runComplex(order: count) else { return false }
    for index in 0..<count {
      values.pointer[index] = SIMD2(general.values.pointer[2 * index], general.values.pointer[2 * index + 1])
    }
    return true
  }

  /// aᴴ·b
  private func inner(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>) -> SIMD2<Double> {
    SIMD2(
      dotProduct(a, b, count: 2 * stride),
      dotProduct(a, b + stride, count: stride) - dotProduct(a + stride, b, count: stride))
  }

  private func squareRoot(_ z: SIMD2<Double>) -> SIMD2<Double> {
    let size = (z * z).sum().squareRoot()
    let x = (0.5 * (size + abs(z.x))).squareRoot()
    guard x > 0 else { return .zero }
    let y = 0.5 * abs(z.y) / x
    return z.x >= 0 ? SIMD2(x, z.y < 0 ? -y : y) : SIMD2(y, z.y < 0 ? -x : x)
  }
}
