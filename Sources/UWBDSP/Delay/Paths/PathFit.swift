import CUWBKernels
import Numerics

/// The separable least-squares problem under `PulseFit`: given K delays in a window, the best amplitudes, the cost,
/// and Levenberg–Marquardt steps on the delays.
///
/// With the real basis B (window × K, column i is p(k − τ_i)), G = BᵀB and complex taps y: a = G⁻¹Bᵀy, residual
/// r = y − B·a, J = ‖r‖². With slopes s_i = dp(k − τ_i)/dτ and their projections s̃_i = s_i − B·G⁻¹·Bᵀs_i, Kaufman's
/// step solves H·δ = g, where H_ij = Re(a_i*·a_j)·s̃_iᵀs̃_j and g_i = Re(a_i*·s̃_iᵀr). ½σ²·H⁻¹ is the Cramér–Rao bound
/// of the delays.
///
/// As r is orthogonal to B, s̃_iᵀr = s_iᵀr. With C = BᵀS and G = L·Lᵀ, S̃ᵀS̃ = SᵀS − (L⁻¹C)ᵀ(L⁻¹C). Slopes are projected only where
/// paths run into each other and that difference would be of rounding errors. Correlated noise is whitened first, in taps,
/// pulses and slopes; the rest stays as it is.
///
/// Columns and their products are in single precision, small matrices and delays in double. The cost is computed from the residual
/// itself, so rounding stays 100 dB below the strongest tap.
package final class PathFit: PathModel, FitProblem {
  package static let mostPaths = Int(CUWB_MOST_PATHS)
  /// Least energy of a slope, after projection, for which the difference formula is accurate.
  private static let closeness = 0.05
  /// What single precision leaves uncertain of a sum of a window's products.
  private static let rounding = 1e-6

  static let origin = 0.0
  package let windowTaps: Int
  private let pulses: PathPulses
  private let whitening: Whitening?
  /// Room for a column that is whitened.
  private let coloured: AlignedBuffer<Double>
  private let starts: PathStarts
  private let real: AlignedBuffer<Float>
  private let imaginary: AlignedBuffer<Float>
  @exclusivity(unchecked) package private(set) var strongestPower = 0.0

  /// `windowTaps` in whole vectors: columns are so far apart, and zero behind the window.
  private let stride: Int
  /// Columns of B and of the slopes.
  private let basis: AlignedBuffer<Float>
  private let slopes: AlignedBuffer<Float>
  private let realResidual: AlignedBuffer<Float>
  private let imaginaryResidual: AlignedBuffer<Float>
  private let amplitudes: AlignedBuffer<Double>
  /// Products of slopes and residuals.
  private let slopesSeen: AlignedBuffer<Double>
  /// What `solve` was given last.
  private let solvedDelays: AlignedBuffer<Double>
  let gram = SmallCholesky(order: mostPaths)
  let solver = LevenbergMarquardt(order: mostPaths, origin: origin)
  /// S̃ᵀS̃, its lower triangle.
  private let slopeProducts: AlignedBuffer<Double>
  /// Room for one number a path.
  let step: AlignedBuffer<Double>
  let leakages: AlignedBuffer<Double>
  /// C = BᵀS by rows, and L⁻¹·C.
  let overlaps: AlignedBuffer<Double>
  private let reduced: AlignedBuffer<Double>
  /// H⁻¹, once `invertCurvature` was called.
  let covariance: AlignedBuffer<Double>

  package convenience init(table: PulseTable, windowTaps: Int, noise: NoiseCorrelation = .white) {
    self.init(
      PathPulses(table, windowTaps: windowTaps), noise: noise,
      starts: PathStarts(table: table, windowTaps: windowTaps, noise: noise))
  }

  /// For fits that share their tables.
  init(_ pulses: PathPulses, noise: NoiseCorrelation = .white, starts: PathStarts) {
    self.pulses = pulses
    windowTaps = pulses.windowTaps
    whitening = Whitening(noise, tapCount: windowTaps)
    coloured = AlignedBuffer(count: noise.isWhite ? 0 : windowTaps, zero: 0)
    self.starts = starts
    let most = Self.mostPaths
    stride = pulses.stride
    real = AlignedBuffer(count: stride, zero: 0)
    imaginary = AlignedBuffer(count: stride, zero: 0)
    basis = AlignedBuffer(count: most * stride, zero: 0)
    slopes = AlignedBuffer(count: most * stride, zero: 0)
    realResidual = AlignedBuffer(count: stride, zero: 0)
    imaginaryResidual = AlignedBuffer(count: stride, zero: 0)
    amplitudes = AlignedBuffer(count: 2 * most, zero: 0)
    slopesSeen = AlignedBuffer(count: 2 * most, zero: 0)
    solvedDelays = AlignedBuffer(count: most, zero: 0)
    slopeProducts = AlignedBuffer(count: most * most, zero: 0)
    step = AlignedBuffer(count: most, zero: 0)
    leakages = AlignedBuffer(count: most, zero: 0)
    overlaps = AlignedBuffer(count: most * most, zero: 0)
    reduced = AlignedBuffer(count: most * most, zero: 0)
    covariance = AlignedBuffer(count: most * most, zero: 0)
  }

  var sampleCount: Int { windowTaps }
  var amplitudesPerPath: Int { 1 }
  func delay(_ position: Double) -> Double { position }
  func moved(_ position: Double, by taps: Double) -> Double { position + taps }
  func start(count: Int) -> (position: Double, gain: Double) { starts.strongest(self, count: count) }

  /// Takes the window's taps from `firstTap` on, times `factor`; taps outside the CIR are zero.
  package func load(_ taps: PreparedTaps, firstTap: Int, factor: Complex<Double> = .one) {
    strongestPower = 0
    let source = taps.taps(in: firstTap..<firstTap + windowTaps)
    let (x, y) = (factor.rawStorage.x, factor.rawStorage.y)
    for index in 0..<windowTaps {
      let tap = firstTap + index
      let inside = tap >= 0 && tap < taps.count
      let re = inside ? Double(source[2 * tap]) : 0
      let im = inside ? Double(source[2 * tap + 1]) : 0
      let sample = SIMD2(x * re - y * im, x * im + y * re)
      real.pointer[index] = Float(sample.x)
      imaginary.pointer[index] = Float(sample.y)
      strongestPower = max(strongestPower, (sample * sample).sum())
    }
    whiten(real.pointer)
    whiten(imaginary.pointer)
  }

  private func whiten(_ columns: UnsafeMutablePointer<Float>, count: Int) {
    guard whitening != nil else { return }
    for path in 0..<count { whiten(columns + path * stride) }
  }

  private func whiten(_ column: UnsafeMutablePointer<Float>) { whitening?.apply(column, room: coloured) }

  /// The window's taps, as loaded.
  var samples: (real: UnsafePointer<Float>, imaginary: UnsafePointer<Float>) {
    (UnsafePointer(real.pointer), UnsafePointer(imaginary.pointer))
  }

  package var residuals: (real: UnsafePointer<Float>, imaginary: UnsafePointer<Float>) {
    (UnsafePointer(realResidual.pointer), UnsafePointer(imaginaryResidual.pointer))
  }

  /// ‖r‖² over some taps of the window.
  func residualPower(in taps: Range<Int>) -> Double {
    var sum: Float = 0
    for tap in taps.clamped(to: 0..<windowTaps) {
      let (x, y) = (realResidual.pointer[tap], imaginaryResidual.pointer[tap])
      sum += x * x + y * y
    }
    return Double(sum)
  }

  func basisColumn(_ index: Int) -> UnsafeMutablePointer<Float> { basis.pointer + index * stride }

  func solvedDelay(_ index: Int) -> Double { solvedDelays.pointer[index] }

  package func amplitude(_ index: Int) -> Complex<Double> {
    Complex(amplitudes.pointer[2 * index], amplitudes.pointer[2 * index + 1])
  }

  /// Whether paths cancel each other: amplitudes far beyond any tap, of two delays that have run into one.
  package func hasCollapsed(count: Int) -> Bool {
    (0..<count).contains { amplitude($0).lengthSquared > 300 * strongestPower }
  }

  func strongestPath(count: Int) -> Int {
    (0..<count).max { amplitude($0).lengthSquared < amplitude($1).lengthSquared } ?? 0
  }

  /// The fall in cost from widening the strongest path, as if it stood for two that are close and in phase: what the
  /// residual holds of p(t + ½) + p(t − ½) round that path, projected off the basis.
  func splitGain(_ delays: UnsafePointer<Double>, count: Int) -> Double {
    let delay = delays[strongestPath(count: count)]
    let wide = slopes.pointer
    let later = slopes.pointer + stride
    pulses.evaluate(delay: delay - 0.5, into: wide)
    pulses.evaluate(delay: delay + 0.5, into: later)
    addMultiple(1, of: later, to: wide, stride: stride)
    whiten(wide)
    return gain(ofColumn: wide, count: count)
  }

  /// The fall in cost from one path more at `delay` while the others' delays stand still.
  func gain(of delay: Double, count: Int) -> Double {
    let column = slopes.pointer
    pulses.evaluate(delay: delay, into: column)
    whiten(column)
    return gain(ofColumn: column, count: count)
  }

  /// |c̃ᵀr|²/‖c̃‖², c̃ being the column less what the basis holds of it; 0 where that is all.
  private func gain(ofColumn column: UnsafePointer<Float>, count: Int) -> Double {
    let energy = dot(column, column)
    multiply(column, 1, by: basis.pointer, count, into: step.pointer)
    gram.solveLower(step.pointer, order: count)
    let left = energy - dotProduct(step.pointer, step.pointer, count: count)
    guard left > 1e-4 * energy else { return 0 }
    let seen = dotProducts(column, realResidual.pointer, imaginaryResidual.pointer, stride: stride)
    return (seen * seen).sum() / left
  }

  /// G⁻¹ applied in place to one vector of `count` numbers; `solve` has to have succeeded.
  package func applyInverseGram(_ vector: UnsafeMutablePointer<Double>, count: Int) {
    gram.solve(vector, order: count)
  }

  /// Element of L, G = L·Lᵀ, `row` ≥ `column`; `solve` has to have succeeded.
  func gramFactor(_ row: Int, _ column: Int) -> Double { gram[row, column] }

  /// Amplitudes, residual and cost for `delays` (taps from the window's start); `nil` where two paths coincide.
  package func solve(_ delays: UnsafePointer<Double>, count: Int) -> Double? {
    solvedDelays.pointer.update(from: delays, count: count)
    pulses.evaluate(delays: delays, count: count, into: basis.pointer)
    whiten(basis.pointer, count: count)
    let solution = amplitudes.pointer
    multiply(basis.pointer, count, by: basis.pointer, count, isLower: true, into: gram.rows)
    multiply(basis.pointer, count, by: real.pointer, imaginary.pointer, into: solution)
    guard gram.factorise(order: count, rounding: Self.rounding) else { return nil }
    gram.solveComplex(solution, order: count)
    return leaveResidual(count: count)
  }

  /// r = y − B·a of the amplitudes at hand; returns ‖r‖².
  private func leaveResidual(count: Int) -> Double {
    Double(
      uwb_residual(
        basis.pointer, amplitudes.pointer, count, real.pointer, imaginary.pointer, stride, realResidual.pointer,
        imaginaryResidual.pointer))
  }

  /// Gradient and Kaufman's matrix at the point that `solve` was given last; `false` where the matrix is singular.
  package func differentiate(_ delays: UnsafePointer<Double>, count: Int) -> Bool {
    fillCurvature(delays, count: count)
    return solver.factorise(count)
  }

  func linearise(_ delays: UnsafePointer<Double>, count: Int) {
    fillCurvature(delays, count: count)
    for path in 0..<count { solver.hold(delay: delays[path], path, of: count, windowTaps: windowTaps) }
  }

  /// Gradient and Kaufman's matrix, not factorised.
  private func fillCurvature(_ delays: UnsafePointer<Double>, count: Int) {
    evaluateSlopes(delays, count: count)
    correlateSlopes(count: count)
    for row in 0..<count {
      for column in 0...row {
        solver.hessian.pointer[row * Self.mostPaths + column] =
          amplitudeProduct(row, column) * slopeProduct(row, column)
      }
    }
  }

  /// Slopes, and the gradient: g_i = Re(a_i*·s_iᵀr).
  func evaluateSlopes(_ delays: UnsafePointer<Double>, count: Int) {
    pulses.evaluateSlopes(delays: delays, count: count, into: slopes.pointer)
    whiten(slopes.pointer, count: count)
    let seen = slopesSeen.pointer
    multiply(slopes.pointer, count, by: realResidual.pointer, imaginaryResidual.pointer, into: seen)
    for path in 0..<count {
      solver.gradient.pointer[path] =
        amplitudes.pointer[2 * path] * seen[2 * path] + amplitudes.pointer[2 * path + 1] * seen[2 * path + 1]
    }
  }

  /// S̃ᵀS̃ of the slopes at hand.
  func correlateSlopes(count: Int) {
    let most = Self.mostPaths
    var isProjected = false
    multiply(basis.pointer, count, by: slopes.pointer, count, into: overlaps.pointer)
    multiply(slopes.pointer, count, by: slopes.pointer, count, isLower: true, into: slopeProducts.pointer)
    for path in 0..<count { step.pointer[path] = slopeProducts.pointer[path * most + path] }
    reduced.pointer.update(from: overlaps.pointer, count: count * most)
    uwb_project(gram.rows, gram.inverses, count, most, reduced.pointer, slopeProducts.pointer)
    for path in 0..<count
    where slopeProducts.pointer[path * most + path] < Self.closeness * step.pointer[path] { isProjected = true }
    guard isProjected else { return }
    projectSlopes(count: count)
    multiply(slopes.pointer, count, by: slopes.pointer, count, isLower: true, into: slopeProducts.pointer)
  }

  /// Slopes less what the basis holds of them.
  private func projectSlopes(count: Int) {
    for path in 0..<count {
      for other in 0..<count { step.pointer[other] = overlaps.pointer[other * Self.mostPaths + path] }
      gram.solve(step.pointer, order: count)
      for other in 0..<count {
        addMultiple(
          -Float(step.pointer[other]), of: basisColumn(other), to: slopes.pointer + path * stride, stride: stride)
      }
    }
  }

  /// Re(a_i*·a_j)
  @inline(__always)
  func amplitudeProduct(_ first: Int, _ second: Int) -> Double {
    amplitudes.pointer[2 * first] * amplitudes.pointer[2 * second]
      + amplitudes.pointer[2 * first + 1] * amplitudes.pointer[2 * second + 1]
  }

  /// Element of S̃ᵀS̃, `row` ≥ `column`, after `correlateSlopes`.
  @inline(__always)
  func slopeProduct(_ row: Int, _ column: Int) -> Double { slopeProducts.pointer[row * Self.mostPaths + column] }

  /// Element of g, after `evaluateSlopes`.
  func slope(_ row: Int) -> Double { solver.gradient.pointer[row] }

  /// Moves `delays` to the nearest minimum of the cost and returns it; infinite where two paths coincide.
  ///
  /// Stops when the next step could lower the cost by less than `tolerance` noise variances, or than the `share` of what is not noise. The
  /// last `solve` is that of the delays returned.
  func refine(
    _ delays: UnsafeMutablePointer<Double>, count: Int, variance: Double, tolerance: Double, share: Double,
    effort: inout FitEffort
  ) -> Double {
    let end = solver.run(
      self, delays, count: count, unknowns: count, least: tolerance * variance, share: share,
      floor: Double(windowTaps) * variance, most: effort.steps)
    effort.add(end)
    guard !end.settled || solver.factorise(count) else { return .infinity }
    return end.isStale && end.cost < .infinity ? solve(delays, count: count) ?? .infinity : end.cost
  }

  func move(
    _ delays: UnsafePointer<Double>, count: Int, by step: UnsafePointer<Double>,
    into moved: UnsafeMutablePointer<Double>
  ) {
    for path in 0..<count {
      moved[path] = FitStep.moved(delays[path], by: step[path], windowTaps: windowTaps)
    }
  }

  /// Products of each of some columns with each of others, in rows of `mostPaths`; the lower triangle alone where `isLower`.
  /// What stands in a row behind them is written over, up to a multiple of four.
  private func multiply(
    _ columns: UnsafePointer<Float>, _ count: Int, by others: UnsafePointer<Float>, _ otherCount: Int,
    isLower: Bool = false, into products: UnsafeMutablePointer<Double>
  ) {
    uwb_products(columns, count, others, otherCount, stride, isLower, products, Self.mostPaths)
  }

  /// Products of columns with complex samples; numbers are written by twos of columns.
  private func multiply(
    _ columns: UnsafePointer<Float>, _ count: Int, by real: UnsafePointer<Float>, _ imaginary: UnsafePointer<Float>,
    into products: UnsafeMutablePointer<Double>
  ) {
    uwb_complex_products(columns, count, real, imaginary, stride, products)
  }

  @inline(__always)
  private func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>) -> Double {
    dotProduct(a, b, stride: stride)
  }
}
