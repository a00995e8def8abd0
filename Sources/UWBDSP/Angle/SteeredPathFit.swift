import Numerics

/// The separable least-squares problem under `JointDelayAngle`: K plane waves on the antennas × taps of one window.
///
///     J = Σ_m Σ_k |h_m[k] − Σ_i a_i·g_m(u_i)·p(k − τ_im)|² / v_m,   g_m(u) = exp(+j·κ·p_m·u),   τ_im = τ_i − p_m·u_i/c + δ_m
///
/// κ = 2π·f/c, p_m counted from the antennas' mean. Column i of the basis is g_m(u_i)·p(k − τ_im)/√v_m; the a_i are eliminated (variable
/// projection, Golub & Pereyra 1973; Kaufman 1975) and the τ_i and direction cosines q_i move by Levenberg–Marquardt. With
/// derivative columns D and C the basis, Kaufman's matrix is H = Re(Dᴴ·D − DᴴC·(CᴴC)⁻¹·CᴴD), and ½σ²·H⁻¹ the joint
/// Cramér–Rao bound of delays and cosines. All products are sums over antennas of real products of pulses and slopes with one
/// another and with the taps, so an iteration costs O(antennas·K²·window), about 1 µs for one path on four antennas.
final class SteeredPathFit {
  /// One wave: delay at the antennas' mean position in the window of the reference axis, and direction cosines (x, y).
  struct Wave: BitwiseCopyable {
    var delay: Double
    var cosines: SIMD2<Double>
  }

  /// Furthest that a cosine may stray beyond the edge while it moves.
  private static let furthestCosine = 1.3
  private static let longestCosineStep = 0.3

  let dimensions: Int
  let axes: (SIMD2<Double>, SIMD2<Double>)
  private let table: PulseTable
  private let windowTaps: Int
  private let places: [SIMD3<Double>]
  private let wavenumber: Double
  let tapsPerMetre: Double
  /// The antennas' mean position, m.
  let mean: SIMD3<Double>
  private let mostPaths = PathFit.mostPaths
  private let order: Int
  private var data: ArrayPathFit?
  private var energy = 0.0

  /// Pulses and slopes of one antenna, a row each: b_1 … b_K, s_1 … s_K.
  private let rows: AlignedBuffer<Double>
  /// Real products of the rows, antenna after antenna, 2K × 2K.
  private let products: AlignedBuffer<Double>
  /// Products of the rows with the antenna's taps, then with its residual.
  private let overlaps: AlignedBuffer<SIMD2<Double>>
  private let residual: AlignedBuffer<SIMD2<Double>>
  /// g_m(u_i)/√v_m, antennas × paths, and p_m·∂u_i/∂q_d.
  private let answers: AlignedBuffer<SIMD2<Double>>
  private let levers: AlignedBuffer<SIMD2<Double>>
  private let amplitudes: AlignedBuffer<SIMD2<Double>>
  private let gram: SmallCholesky
  private let scratch: AlignedBuffer<Double>
  private let cross: AlignedBuffer<SIMD2<Double>>
  private let crossSolved: AlignedBuffer<Double>
  private let hessian: AlignedBuffer<Double>
  private let gradient: AlignedBuffer<Double>
  private let step: AlignedBuffer<Double>
  private let curvature: SmallCholesky
  private let candidate: AlignedBuffer<Wave>

  init(_ grid: SteeringGrid, table: PulseTable, windowTaps: Int, tapsPerMetre: Double) {
    self.table = table
    self.windowTaps = windowTaps
    self.tapsPerMetre = tapsPerMetre
    let positions = grid.array.positions
    let mean = positions.reduce(SIMD3()) { $0 + $1 } / Double(positions.count)
    self.mean = mean
    places = positions.map { $0 - mean }
    wavenumber = 2 * .pi / grid.array.wavelength
    switch grid.geometry {
    case .point:
      dimensions = 0
      axes = (.zero, .zero)
    case .row(let axis):
      dimensions = 1
      axes = (axis, .zero)
    case .plane:
      dimensions = 2
      axes = (SIMD2(1, 0), SIMD2(0, 1))
    }
    let antennas = positions.count
    order = 3 * mostPaths
    rows = AlignedBuffer(count: 2 * mostPaths * windowTaps, zero: 0)
    products = AlignedBuffer(count: antennas * 4 * mostPaths * mostPaths, zero: 0)
    overlaps = AlignedBuffer(count: antennas * 2 * mostPaths, zero: .zero)
    residual = AlignedBuffer(count: antennas * 2 * mostPaths, zero: .zero)
    answers = AlignedBuffer(count: antennas * mostPaths, zero: .zero)
    levers = AlignedBuffer(count: antennas * mostPaths, zero: .zero)
    amplitudes = AlignedBuffer(count: mostPaths, zero: .zero)
    gram = SmallCholesky(order: 2 * mostPaths)
    scratch = AlignedBuffer(count: 2 * mostPaths, zero: 0)
    cross = AlignedBuffer(count: order * mostPaths, zero: .zero)
    crossSolved = AlignedBuffer(count: order * 2 * mostPaths, zero: 0)
    hessian = AlignedBuffer(count: order * order, zero: 0)
    gradient = AlignedBuffer(count: order, zero: 0)
    step = AlignedBuffer(count: order, zero: 0)
    curvature = SmallCholesky(order: order)
    candidate = AlignedBuffer(count: mostPaths, zero: Wave(delay: 0, cosines: .zero))
  }

  /// Takes the windows that `fit` has loaded.
  func load(_ fit: ArrayPathFit) {
    data = fit
    energy = 0
    for antenna in 0..<fit.antennaCount where fit.takesPart(antenna) {
      let samples = fit.antennas[antenna].samples
      energy +=
        dotProduct(samples.real, samples.real, count: windowTaps)
        + dotProduct(samples.imaginary, samples.imaginary, count: windowTaps)
    }
  }

  func amplitude(_ path: Int) -> Complex<Double> { Complex(amplitudes.pointer[path].x, amplitudes.pointer[path].y) }

  private func unknowns(_ count: Int) -> Int { count * (1 + dimensions) }

  // MARK: Amplitudes and cost

  /// Amplitudes and cost; `nil` where two waves coincide.
  func solve(_ waves: UnsafePointer<Wave>, count: Int) -> Double? {
    guard let data else { return nil }
    let width = 2 * count
    for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
      multiply(waves, count, antenna, data)
    }
    for row in 0..<count {
      for column in 0...row {
        var sum = SIMD2<Double>.zero
        for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
          let overlap = products.pointer[antenna * width * width + row * width + column]
          sum += times(conjugateTimes(answer(antenna, row), answer(antenna, column)), overlap)
        }
        // The real form of a Hermitian matrix: [Re, −Im; Im, Re].
        gram[row, column] = sum.x
        gram[count + row, count + column] = sum.x
        gram[count + row, column] = sum.y
        gram[count + column, row] = -sum.y
      }
    }
    for row in 0..<count {
      var sum = SIMD2<Double>.zero
      for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
        sum += conjugateTimes(answer(antenna, row), overlaps.pointer[antenna * width + row])
      }
      scratch.pointer[row] = sum.x
      scratch.pointer[count + row] = sum.y
      amplitudes.pointer[row] = sum
    }
    guard gram.factorise(order: width) else { return nil }
    gram.solve(scratch.pointer, order: width)
    var cost = energy
    for row in 0..<count {
      let solution = SIMD2(scratch.pointer[row], scratch.pointer[count + row])
      cost -= conjugateTimes(amplitudes.pointer[row], solution).x
      amplitudes.pointer[row] = solution
    }
    return cost
  }

  private func multiply(_ waves: UnsafePointer<Wave>, _ count: Int, _ antenna: Int, _ data: ArrayPathFit) {
    let width = 2 * count
    let place = places[antenna]
    let weight = 1 / data.deviations.pointer[antenna]
    for path in 0..<count {
      let cosines = waves[path].cosines
      let direction = SteeringGrid.direction(cosines)
      let along = (place * direction).sum()
      answers.pointer[antenna * mostPaths + path] = SIMD2(
        weight * Double.cos(wavenumber * along), weight * Double.sin(wavenumber * along))
      // ∂u_z/∂q = (q·e)/|u_z|, whose pole at the edge is cut off.
      let depth = max(-direction.z, 1e-3)
      let pull = direction.z == 0 ? SIMD2<Double>.zero : cosines * (place.z / depth)
      let lever = SIMD2(place.x, place.y) + pull
      levers.pointer[antenna * mostPaths + path] = SIMD2((lever * axes.0).sum(), (lever * axes.1).sum())
      let delay = waves[path].delay + data.shifts.pointer[antenna] - along * tapsPerMetre
      table.evaluate(delay: delay, firstTap: 0, count: windowTaps, into: rows.pointer + path * windowTaps)
      table.evaluateSlope(
        delay: delay, firstTap: 0, count: windowTaps, into: rows.pointer + (count + path) * windowTaps)
    }
    let samples = data.antennas[antenna].samples
    let target = products.pointer + antenna * width * width
    for row in 0..<width {
      let own = rows.pointer + row * windowTaps
      for column in 0...row {
        let value = dotProduct(own, rows.pointer + column * windowTaps, count: windowTaps)
        target[row * width + column] = value
        target[column * width + row] = value
      }
      overlaps.pointer[antenna * width + row] = SIMD2(
        dotProduct(own, samples.real, count: windowTaps), dotProduct(own, samples.imaginary, count: windowTaps))
    }
  }

  private func answer(_ antenna: Int, _ path: Int) -> SIMD2<Double> { answers.pointer[antenna * mostPaths + path] }

  // MARK: Derivatives

  /// Gradient and Kaufman's matrix where `solve` was last; `false` where it is singular.
  func differentiate(count: Int) -> Bool {
    guard let data else { return false }
    let total = unknowns(count)
    let width = 2 * count
    let stride = 1 + dimensions
    for row in 0..<total {
      gradient.pointer[row] = 0
      for column in 0...row { hessian.pointer[row * order + column] = 0 }
      for path in 0..<count { cross.pointer[row * mostPaths + path] = .zero }
    }
    for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
      let table = products.pointer + antenna * width * width
      subtractModel(antenna, count, table)
      for row in 0..<total {
        let path = row / stride
        let (turn, travel) = derivative(row % stride, antenna, path)
        let own = product(answer(antenna, path), amplitudes.pointer[path])
        // conj(own)·(conj(j·turn)·⟨b, r⟩ + travel·⟨s, r⟩)
        let left = residual.pointer[antenna * width + path]
        let slope = times(residual.pointer[antenna * width + count + path], travel)
        let seen = SIMD2(
          turn * left.y + slope.x, -turn * left.x + slope.y)
        gradient.pointer[row] += conjugateTimes(own, seen).x
        for other in 0..<count {
          let mixed = SIMD2(
            travel * table[other * width + count + path], turn * table[other * width + path])
          cross.pointer[row * mostPaths + other] += product(conjugateTimes(answer(antenna, other), own), mixed)
        }
        for column in 0...row {
          let second = column / stride
          let (secondTurn, secondTravel) = derivative(column % stride, antenna, second)
          let pair = conjugateTimes(own, product(answer(antenna, second), amplitudes.pointer[second]))
          // (−j·turn·b + travel·s)ᵀ(j·turn'·b' + travel'·s')
          let re =
            turn * secondTurn * table[path * width + second]
            + travel * secondTravel * table[(count + path) * width + count + second]
          let im =
            travel * secondTurn * table[(count + path) * width + second]
            - turn * secondTravel * table[path * width + count + second]
          hessian.pointer[row * order + column] += pair.x * re - pair.y * im
        }
      }
    }
    // What the amplitudes take up: F⁺·G⁻¹·F.
    for row in 0..<total {
      let solved = crossSolved.pointer + row * 2 * mostPaths
      for path in 0..<count {
        solved[path] = cross.pointer[row * mostPaths + path].x
        solved[count + path] = cross.pointer[row * mostPaths + path].y
      }
      gram.solve(solved, order: width)
    }
    for row in 0..<total {
      for column in 0...row {
        let solved = crossSolved.pointer + column * 2 * mostPaths
        var taken = 0.0
        for path in 0..<count {
          let own = cross.pointer[row * mostPaths + path]
          taken += own.x * solved[path] + own.y * solved[count + path]
        }
        hessian.pointer[row * order + column] -= taken
      }
    }
    return factorise(total, damping: 0)
  }

  /// Real factors of j·b and s in a derivative column, amplitude and answer aside.
  private func derivative(_ kind: Int, _ antenna: Int, _ path: Int) -> (turn: Double, travel: Double) {
    guard kind > 0 else { return (0, 1) }
    let lever = levers.pointer[antenna * mostPaths + path][kind - 1]
    return (wavenumber * lever, -lever * tapsPerMetre)
  }

  /// Products of the rows with the residual.
  private func subtractModel(_ antenna: Int, _ count: Int, _ table: UnsafePointer<Double>) {
    let width = 2 * count
    for row in 0..<width {
      var value = overlaps.pointer[antenna * width + row]
      for path in 0..<count {
        value -= times(product(answer(antenna, path), amplitudes.pointer[path]), table[row * width + path])
      }
      residual.pointer[antenna * width + row] = value
    }
  }

  private func factorise(_ total: Int, damping: Double) -> Bool {
    for row in 0..<total {
      for column in 0...row {
        let value = hessian.pointer[row * order + column]
        curvature[row, column] = row == column ? value * (1 + damping) : value
      }
    }
    return curvature.factorise(order: total)
  }

  /// One column of a wave's own block of H⁻¹ (0: delay, then cosines along the axes); `differentiate` has to have succeeded.
  func covarianceColumn(_ unknown: Int, of path: Int, count: Int) -> SIMD3<Double> {
    let total = unknowns(count)
    let first = path * (1 + dimensions)
    for row in 0..<total { step.pointer[row] = row == first + unknown ? 1 : 0 }
    curvature.solve(step.pointer, order: total)
    var column = SIMD3<Double>()
    for row in 0..<1 + dimensions { column[row] = step.pointer[first + row] }
    return column
  }

  // MARK: Descent

  /// Moves `waves` to the nearest minimum of the cost and returns it; infinite where two waves coincide. The last `solve`
  /// and `differentiate` are of the waves returned.
  func refine(_ waves: UnsafeMutablePointer<Wave>, count: Int, variance: Double, settled: inout Bool) -> Double {
    settled = false
    guard var cost = solve(waves, count: count), differentiate(count: count) else { return .infinity }
    let total = unknowns(count)
    var damping = 1e-3
    var isStale = false
    func finish() -> Double {
      guard isStale else { return factorise(total, damping: 0) ? cost : .infinity }
      guard let again = solve(waves, count: count), differentiate(count: count) else { return .infinity }
      return again
    }
    for _ in 0..<PathFit.mostIterations {
      guard factorise(total, damping: damping) else { return .infinity }
      step.pointer.update(from: gradient.pointer, count: total)
      curvature.solve(step.pointer, order: total)
      var expected = 0.0
      for index in 0..<total { expected += step.pointer[index] * gradient.pointer[index] }
      if expected < 1e-4 * variance {
        settled = true
        return finish()
      }
      for path in 0..<count { candidate.pointer[path] = moved(waves[path], step.pointer + path * (1 + dimensions)) }
      if let reached = solve(candidate.pointer, count: count), reached < cost {
        waves.update(from: candidate.pointer, count: count)
        cost = reached
        isStale = false
        damping = max(damping / 8, 1e-12)
        guard differentiate(count: count) else { return .infinity }
      } else {
        isStale = true
        damping = max(damping * 10, 1e-4)
        if damping > 1e8 {
          // No step, however short, lowers the cost: rounding is all that is left.
          settled = true
          return finish()
        }
      }
    }
    return finish()
  }

  private func moved(_ wave: Wave, _ step: UnsafePointer<Double>) -> Wave {
    func limited(_ value: Double, _ limit: Double) -> Double { min(max(value, -limit), limit) }
    var result = wave
    result.delay += limited(step[0], PathFit.longestStep)
    result.delay = min(max(result.delay, -2), Double(windowTaps) + 1)
    if dimensions > 0 { result.cosines += limited(step[1], Self.longestCosineStep) * axes.0 }
    if dimensions > 1 { result.cosines += limited(step[2], Self.longestCosineStep) * axes.1 }
    let length = (result.cosines * result.cosines).sum().squareRoot()
    if length > Self.furthestCosine { result.cosines *= Self.furthestCosine / length }
    return result
  }

  // MARK: Complex numbers as pairs

  @inline(__always)
  private func product(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
  }

  @inline(__always)
  private func conjugateTimes(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x)
  }

  @inline(__always)
  private func times(_ a: SIMD2<Double>, _ factor: Double) -> SIMD2<Double> {
    SIMD2(a.x * factor, a.y * factor)
  }
}
