import UWBDSP
import UWBPlatform

/// A smooth function over azimuth × elevation from scattered, noisy, partly wrong values: what a phase difference adds to
/// its `LinearCarrier`.
///
/// A Gaussian process (C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006, equations 2.25,
/// 2.26 and 5.8) with the covariance
///
///     k(x, x′) = a²·m(|w(x) − w(x′)|/ℓ) + e(x)·e(x′)·m(|x − x′|/(2h)),   w(x) = x·(1 + κ·|x|²)
///
/// x being angles from the middle of the points, in units of the longer half-width, h the points' spacing there, m Matérn's
/// function of order 5/2. A board's phases run smoothly near boresight and bend towards the edge: κ shortens the length
/// there. Noise has the variance n² + b²·|x|⁴ and that of the points' own means. Points that the smooth part can't explain
/// keep it from being bent by a robust step (noise inflated as a Student's t of four degrees of freedom has it), and the
/// inflation, spread over one spacing, is e²: where points disagree with smoothness the field follows them, but within
/// two spacings only.
///
/// ℓ, a, n, b, κ maximise the marginal likelihood of the points alone, so nothing is set for a board by hand. Cost: some
/// 500 factorisations of points × points.
struct PhaseField {
  /// Logarithms of ℓ, a, n, b, κ.
  typealias Logarithms = [Double]

  private static let degree = Double.pi / 180
  private static let bounds: [ClosedRange<Double>] = [
    log(0.2)...log(1.5), log(8 * degree)...log(150 * degree), log(degree)...log(30 * degree),
    log(0.1 * degree)...log(60 * degree), log(0.05)...log(4),
  ]

  /// Where the points are, in units of the half-width.
  private let places: [SIMD2<Double>]
  private let values: [Double]
  private let ownVariances: [Double]
  private let spacing: Double
  private let count: Int
  private(set) var logarithms: Logarithms
  private var warped: [SIMD2<Double>] = []
  private var surprise: [Double] = []
  private var surpriseAtPlaces: [Double] = []
  private var coefficients: [Double] = []
  private let factor: PositiveDefinite

  /// - Parameters:
  ///   - places: in units of the half-width.
  ///   - values: rad, unwrapped, carrier taken off.
  ///   - variances: rad², of each value's own mean.
  ///   - spacing: of the points, in units of the half-width.
  init(places: [SIMD2<Double>], values: [Double], variances: [Double], spacing: Double) {
    self.places = places
    self.values = values
    ownVariances = variances
    self.spacing = max(spacing, 1e-3)
    count = places.count
    factor = PositiveDefinite(order: count)
    logarithms = [log(0.7), log(30 * Self.degree), log(3 * Self.degree), log(10 * Self.degree), log(0.5)]
    var best = (point: logarithms, value: Double.infinity)
    for length in [0.35, 0.7] {
      for noise in [2.0, 6.0] {
        let start = [log(length), log(30 * Self.degree), log(noise * Self.degree), log(10 * Self.degree), log(0.5)]
        let found = NelderMead().minimum(from: start, step: 0.3) { objective($0) }
        if found.value < best.value { best = found }
      }
    }
    logarithms = Self.bounded(best.point)
    finish()
  }

  private static func bounded(_ point: Logarithms) -> Logarithms {
    zip(point, bounds).map { min(max($0, $1.lowerBound), $1.upperBound) }
  }

  /// Negative logarithm of the marginal likelihood, with a penalty for leaving the bounds.
  private func objective(_ point: Logarithms) -> Double {
    let inside = Self.bounded(point)
    let outside = zip(point, inside).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    let warped = places.map { Self.warp($0, exp(inside[4])) }
    var noise = places.indices.map { ownVariances[$0] + Self.noise(places[$0], inside) }
    guard inflate(&noise, warped, inside) else { return 1e9 }
    fill(warped, inside, noise)
    guard factor.factorise() else { return 1e9 }
    let logDeterminant = factor.halfLogDeterminant
    var white = values
    white.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress { factor.whiten(base, count: 1) }
    }
    let value = 0.5 * white.reduce(0) { $0 + $1 * $1 } + logDeterminant + 10 * outside
    return value.isFinite ? value : 1e9
  }

  /// One robust step: what leave-one-out prediction finds unlikely gets more noise.
  private func inflate(_ noise: inout [Double], _ warped: [SIMD2<Double>], _ point: Logarithms) -> Bool {
    fill(warped, point, noise)
    guard factor.factorise(), factor.invert() else { return false }
    let solved = factor.product(values)
    for index in 0..<count {
      let variance = 1 / factor.matrix.pointer[index * count + index]
      let residual = solved[index] * variance
      let weight = 5 / (4 + residual * residual / variance)
      if weight < 1 { noise[index] += (1 / weight - 1) * variance }
    }
    return true
  }

  /// With the settings found: the surprises, and the field that follows them.
  private mutating func finish() {
    warped = places.map { Self.warp($0, exp(logarithms[4])) }
    let base = places.indices.map { ownVariances[$0] + Self.noise(places[$0], logarithms) }
    var inflated = base
    for _ in 0..<2 { _ = inflate(&inflated, warped, logarithms) }
    surprise = zip(inflated, base).map { max(0, $0 - $1) }
    surpriseAtPlaces = places.map { surpriseDeviation(at: $0) }
    fill(warped, logarithms, base)
    for column in 0..<count {
      for row in column..<count {
        let apart = places[row] - places[column]
        factor.matrix.pointer[column * count + row] +=
          surpriseAtPlaces[row] * surpriseAtPlaces[column]
          * Self.matern((apart * apart).sum().squareRoot() / (2 * spacing))
      }
    }
    coefficients = values
    _ = factor.factorise()
    coefficients.withUnsafeMutableBufferPointer { buffer in
      if let start = buffer.baseAddress { factor.whiten(start, count: 1) }
    }
  }

  /// Lower triangle of the covariance of the points' values.
  private func fill(_ warped: [SIMD2<Double>], _ point: Logarithms, _ noise: [Double]) {
    let length = exp(point[0])
    let power = exp(2 * point[1])
    let matrix = factor.matrix.pointer
    warped.withUnsafeBufferPointer { warped in
      for column in 0..<count {
        for row in column..<count {
          let apart = warped[row] - warped[column]
          matrix[column * count + row] = power * Self.matern((apart * apart).sum().squareRoot() / length)
        }
        matrix[column * count + column] += noise[column]
      }
    }
  }

  private static func warp(_ place: SIMD2<Double>, _ strength: Double) -> SIMD2<Double> {
    place * (1 + strength * (place * place).sum())
  }

  private static func noise(_ place: SIMD2<Double>, _ point: Logarithms) -> Double {
    let square = (place * place).sum()
    return exp(2 * point[2]) + exp(2 * point[3]) * square * square
  }

  private static func matern(_ distance: Double) -> Double {
    let s = 5.0.squareRoot() * distance
    return (1 + s + s * s / 3) * exp(-s)
  }

  private func surpriseDeviation(at place: SIMD2<Double>) -> Double {
    var sum = 0.0
    var weights = 0.0
    for index in 0..<count {
      let apart = place - places[index]
      let weight = exp(-0.5 * (apart * apart).sum() / (spacing * spacing)) + 1e-9
      weights += weight
      sum += weight * surprise[index]
    }
    return (sum / weights).squareRoot()
  }

  /// Mean (rad) and variance (rad², noise of a point included) at each of `queries`.
  func predict(_ queries: [SIMD2<Double>]) -> (means: [Double], variances: [Double]) {
    let length = exp(logarithms[0])
    let power = exp(2 * logarithms[1])
    let sides = AlignedBuffer(count: count * queries.count, zero: 0.0)
    var local: [Double] = []
    for (column, query) in queries.enumerated() {
      let bent = Self.warp(query, exp(logarithms[4]))
      let deviation = surpriseDeviation(at: query)
      local.append(deviation * deviation)
      for row in 0..<count {
        let far = bent - warped[row]
        let near = query - places[row]
        sides.pointer[column * count + row] =
          power * Self.matern((far * far).sum().squareRoot() / length)
          + deviation * surpriseAtPlaces[row] * Self.matern((near * near).sum().squareRoot() / (2 * spacing))
      }
    }
    factor.whiten(sides.pointer, count: queries.count)
    var means: [Double] = []
    var variances: [Double] = []
    for (column, query) in queries.enumerated() {
      var mean = 0.0
      var known = 0.0
      for row in 0..<count {
        let white = sides.pointer[column * count + row]
        mean += white * coefficients[row]
        known += white * white
      }
      means.append(mean)
      variances.append(max(power + local[column] - known, 1e-9) + Self.noise(query, logarithms))
    }
    return (means, variances)
  }
}
