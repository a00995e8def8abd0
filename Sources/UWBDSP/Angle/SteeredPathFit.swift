import Numerics

/// The separable least-squares problem under `JointDelayAngle`: K plane waves on the antennas × taps of one window.
///
///     J = Σ_m Σ_k |h_m[k] − Σ_i a_i·g_m(u_i)·p(k − τ_im)|² / v_m,   g_m(u) = exp(+j·κ·p_m·u),   τ_im = τ_i − p_m·u_i/c + δ_m
///
/// κ = 2π·f/c, p_m counted from the antennas' mean. Column i of the basis is g_m(u_i)·p(k − τ_im)/√v_m; the a_i are eliminated (variable
/// projection, Golub & Pereyra 1973; Kaufman 1975) and the τ_i and direction cosines q_i move by Levenberg–Marquardt. With
/// derivative columns D and C the basis, Kaufman's matrix is H = Re(Dᴴ·D − DᴴC·(CᴴC)⁻¹·CᴴD), and ½σ²·H⁻¹ the joint
/// Cramér–Rao bound of delays and cosines. All products are sums over antennas of real products of pulses and slopes with one
/// another, with the taps and with what is left of them, so an iteration costs O(antennas·K²·window). Columns are of single
/// precision, as in `PathFit`.
final class SteeredPathFit: PlaneWaveModel {
  /// Furthest that a cosine may stray beyond the edge while it moves.
  private static let furthestCosine = 1.3
  private static let longestCosineStep = 0.3
  /// What single precision leaves uncertain of a sum of a window's products.
  private static let rounding = 1e-6

  let dimensions: Int
  let axes: (SIMD2<Double>, SIMD2<Double>)
  private let pulses: PathPulses
  private let places: [SIMD3<Double>]
  let wavenumber: Double
  let tapsPerMetre: Double
  /// The antennas' mean position, m.
  let mean: SIMD3<Double>
  private let mostPaths = PathFit.mostPaths
  private let order: Int
  private var data: ArrayPathFit?

  /// Pulses, antenna after antenna, and the slopes of one.
  private let basis: AlignedBuffer<Float>
  private let slopes: AlignedBuffer<Float>
  /// bᵀb, bᵀs and sᵀs of one antenna, paths × paths.
  private let pulseProducts: AlignedBuffer<Double>
  private let mixedProducts: AlignedBuffer<Double>
  private let slopeProducts: AlignedBuffer<Double>
  /// Real and imaginary parts, antenna after antenna.
  private let residual: AlignedBuffer<Float>
  /// Where each path peaks in each antenna's window, taps.
  private let delays: AlignedBuffer<Double>
  /// g_m(u_i)/√v_m and p_m·∂u_i/∂q_d, antennas × paths.
  private let responses: AlignedBuffer<SIMD2<Double>>
  private let levers: AlignedBuffer<SIMD2<Double>>
  private let amplitudes: AlignedBuffer<SIMD2<Double>>
  /// What a path leaves on one antenna at its peak.
  private let own: AlignedBuffer<SIMD2<Double>>
  private let gram: SmallCholesky
  private let scratch: AlignedBuffer<Double>
  private let cross: AlignedBuffer<SIMD2<Double>>
  private let crossSolved: AlignedBuffer<Double>
  let unit: AlignedBuffer<Double>
  let solver: LevenbergMarquardt<PlaneWave>

  init(_ grid: SteeringGrid, _ pulses: PathPulses, tapsPerMetre: Double) {
    self.pulses = pulses
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
    basis = AlignedBuffer(count: antennas * mostPaths * pulses.stride, zero: 0)
    slopes = AlignedBuffer(count: mostPaths * pulses.stride, zero: 0)
    pulseProducts = AlignedBuffer(count: mostPaths * mostPaths, zero: 0)
    mixedProducts = AlignedBuffer(count: mostPaths * mostPaths, zero: 0)
    slopeProducts = AlignedBuffer(count: mostPaths * mostPaths, zero: 0)
    residual = AlignedBuffer(count: antennas * 2 * pulses.stride, zero: 0)
    delays = AlignedBuffer(count: antennas * mostPaths, zero: 0)
    own = AlignedBuffer(count: mostPaths, zero: .zero)
    responses = AlignedBuffer(count: antennas * mostPaths, zero: .zero)
    levers = AlignedBuffer(count: antennas * mostPaths, zero: .zero)
    amplitudes = AlignedBuffer(count: mostPaths, zero: .zero)
    gram = SmallCholesky(order: 2 * mostPaths)
    scratch = AlignedBuffer(count: 2 * mostPaths, zero: 0)
    cross = AlignedBuffer(count: order * mostPaths, zero: .zero)
    crossSolved = AlignedBuffer(count: order * 2 * mostPaths, zero: 0)
    unit = AlignedBuffer(count: order, zero: 0)
    solver = LevenbergMarquardt(order: order, origin: PlaneWave(delay: 0, cosines: .zero))
  }

  /// Takes the windows that `fit` has loaded.
  func load(_ fit: ArrayPathFit) { data = fit }

  func amplitude(_ path: Int) -> Complex<Double> { Complex(amplitudes.pointer[path].x, amplitudes.pointer[path].y) }

  // MARK: Amplitudes and cost

  /// Amplitudes and cost; `nil` where two waves coincide.
  func solve(_ waves: UnsafePointer<PlaneWave>, count: Int) -> Double? {
    guard let data else { return nil }
    for row in 0..<count {
      amplitudes.pointer[row] = .zero
      // The real form of a Hermitian matrix: [Re, −Im; Im, Re].
      for column in 0..<count {
        gram[count + row, column] = 0
        if column <= row { gram[row, column] = 0 }
      }
    }
    for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
      place(waves, count, antenna, data)
      let samples = data.antennas[antenna].samples
      for row in 0..<count {
        let pulse = column(antenna, row)
        let response = response(antenna, row)
        for other in 0..<row {
          let overlap = dotProduct(pulse, column(antenna, other), stride: pulses.stride)
          let sum = self.response(antenna, other).times(conjugateOf: response) * overlap
          gram[row, other] += sum.x
          gram[count + row, other] += sum.y
        }
        gram[row, row] += (response * response).sum() * dotProduct(pulse, pulse, stride: pulses.stride)
        let seen = dotProducts(pulse, samples.real, samples.imaginary, stride: pulses.stride)
        amplitudes.pointer[row] += seen.times(conjugateOf: response)
      }
    }
    for row in 0..<count {
      for column in 0...row {
        gram[count + row, count + column] = gram[row, column]
        if column < row { gram[count + column, row] = -gram[count + row, column] }
      }
      scratch.pointer[row] = amplitudes.pointer[row].x
      scratch.pointer[count + row] = amplitudes.pointer[row].y
    }
    guard gram.factorise(order: 2 * count, rounding: Self.rounding) else { return nil }
    gram.solve(scratch.pointer, order: 2 * count)
    for row in 0..<count {
      amplitudes.pointer[row] = SIMD2(scratch.pointer[row], scratch.pointer[count + row])
    }
    var cost = 0.0
    for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
      cost += leaveResidual(antenna, count, data)
    }
    return cost
  }

  /// Responses, levers and pulses of one antenna.
  private func place(_ waves: UnsafePointer<PlaneWave>, _ count: Int, _ antenna: Int, _ data: ArrayPathFit) {
    let weight = 1 / data.deviations.pointer[antenna]
    for path in 0..<count {
      let (along, lever) = sight(of: waves[path].cosines, antenna: antenna)
      let index = antenna * mostPaths + path
      responses.pointer[index] = SIMD2(
        weight * Double.cos(wavenumber * along), weight * Double.sin(wavenumber * along))
      levers.pointer[index] = lever
      delays.pointer[index] = waves[path].delay + data.shifts.pointer[antenna] - along * tapsPerMetre
      pulses.evaluate(delay: delays.pointer[index], into: column(antenna, path))
    }
  }

  /// How far an antenna stands ahead of the mean towards a direction, p_m·u, and ∂(p_m·u)/∂q along the axes, m.
  @inline(__always)
  func sight(of cosines: SIMD2<Double>, antenna: Int) -> (along: Double, lever: SIMD2<Double>) {
    let place = places[antenna]
    let direction = SteeringGrid.direction(cosines)
    // ∂u_z/∂q = (q·e)/|u_z|, whose pole at the edge is cut off.
    let depth = max(-direction.z, 1e-3)
    let pull = direction.z == 0 ? SIMD2<Double>.zero : cosines * (place.z / depth)
    let lever = SIMD2(place.x, place.y) + pull
    return ((place * direction).sum(), SIMD2((lever * axes.0).sum(), (lever * axes.1).sum()))
  }

  /// The antenna's samples less the model; returns the energy that is left.
  private func leaveResidual(_ antenna: Int, _ count: Int, _ data: ArrayPathFit) -> Double {
    let samples = data.antennas[antenna].samples
    for path in 0..<count { own.pointer[path] = response(antenna, path).times(amplitudes.pointer[path]) }
    let (real, imaginary) = residuals(antenna)
    var squares = SIMD8<Float>()
    for tap in Swift.stride(from: 0, to: pulses.stride, by: 8) {
      var re = loadEight(samples.real + tap)
      var im = loadEight(samples.imaginary + tap)
      for path in 0..<count {
        let value = loadEight(column(antenna, path) + tap)
        re -= Float(own.pointer[path].x) * value
        im -= Float(own.pointer[path].y) * value
      }
      storeEight(re, to: real + tap)
      storeEight(im, to: imaginary + tap)
      squares += re * re + im * im
    }
    return sumOfLanes(squares)
  }

  @inline(__always)
  private func column(_ antenna: Int, _ path: Int) -> UnsafeMutablePointer<Float> {
    basis.pointer + (antenna * mostPaths + path) * pulses.stride
  }

  private func residuals(_ antenna: Int) -> (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) {
    let real = residual.pointer + 2 * antenna * pulses.stride
    return (real, real + pulses.stride)
  }

  @inline(__always)
  private func response(_ antenna: Int, _ path: Int) -> SIMD2<Double> { responses.pointer[antenna * mostPaths + path] }

  func linearise(_ waves: UnsafePointer<PlaneWave>, count: Int) {
    fillCurvature(count: count)
    for path in 0..<count {
      solver.hold(
        delay: waves[path].delay, path * (1 + dimensions), of: unknowns(count), windowTaps: pulses.windowTaps)
    }
  }

  func fillCurvature(count: Int) {
    guard let data else { return }
    let total = unknowns(count)
    solver.clear(total)
    for row in 0..<total {
      for path in 0..<count { cross.pointer[row * mostPaths + path] = .zero }
    }
    for antenna in 0..<data.antennaCount where data.takesPart(antenna) {
      slope(antenna, count)
      multiply(antenna, count)
      for path in 0..<count {
        for other in 0..<count { mix(antenna, other, path) }
        for second in 0...path { bend(antenna, path, second) }
      }
    }
    // What the amplitudes take up: F⁺·G⁻¹·F.
    for row in 0..<total {
      let solved = crossSolved.pointer + row * 2 * mostPaths
      for path in 0..<count {
        solved[path] = cross.pointer[row * mostPaths + path].x
        solved[count + path] = cross.pointer[row * mostPaths + path].y
      }
      // ‖L⁻¹·F‖²: the inverse of half the factor is enough.
      gram.solveLower(solved, order: 2 * count)
      for column in 0...row {
        solver.hessian.pointer[row * order + column] -= dotProduct(
          solved, crossSolved.pointer + column * 2 * mostPaths, count: 2 * count)
      }
    }
  }

  /// Slopes of one antenna, what its paths leave there, and its share of the gradient: Re(D⁺·r).
  ///
  /// A derivative column is a_i·g_m·(j·κ·l·b − ρ·l·s) for a cosine whose lever is l, a_i·g_m·s for the delay; ρ is `tapsPerMetre`.
  private func slope(_ antenna: Int, _ count: Int) {
    let (real, imaginary) = residuals(antenna)
    for path in 0..<count {
      let slope = slopes.pointer + path * pulses.stride
      pulses.evaluateSlope(delay: delays.pointer[antenna * mostPaths + path], into: slope)
      own.pointer[path] = response(antenna, path).times(amplitudes.pointer[path])
      let pulse = dotProducts(column(antenna, path), real, imaginary, stride: pulses.stride)
      let change = dotProducts(slope, real, imaginary, stride: pulses.stride)
      let travel = change.times(conjugateOf: own.pointer[path]).x
      let turn = wavenumber * pulse.times(conjugateOf: own.pointer[path]).y - tapsPerMetre * travel
      let lever = levers.pointer[antenna * mostPaths + path]
      let target = solver.gradient.pointer + path * (1 + dimensions)
      target[0] += travel
      if dimensions > 0 { target[1] += turn * lever.x }
      if dimensions > 1 { target[2] += turn * lever.y }
    }
  }

  /// Products of one antenna's pulses and slopes: bᵀb and sᵀs both ways, bᵀs by rows of b.
  private func multiply(_ antenna: Int, _ count: Int) {
    let stride = pulses.stride
    for path in 0..<count {
      let pulse = column(antenna, path)
      let slope = slopes.pointer + path * stride
      for other in 0..<count {
        let otherSlope = slopes.pointer + other * stride
        mixedProducts.pointer[path * mostPaths + other] = dotProduct(pulse, otherSlope, stride: stride)
        guard other <= path else { continue }
        let product = dotProduct(pulse, column(antenna, other), stride: stride)
        pulseProducts.pointer[path * mostPaths + other] = product
        pulseProducts.pointer[other * mostPaths + path] = product
        slopeProducts.pointer[path * mostPaths + other] = dotProduct(slope, otherSlope, stride: stride)
      }
    }
  }

  /// Adds an antenna's products of a basis column with the derivatives of a path.
  @inline(__always)
  private func mix(_ antenna: Int, _ other: Int, _ path: Int) {
    let factor = own.pointer[path].times(conjugateOf: response(antenna, other))
    let travel = mixedProducts.pointer[other * mostPaths + path]
    let turn = wavenumber * pulseProducts.pointer[other * mostPaths + path]
    let target = cross.pointer + path * (1 + dimensions) * mostPaths + other
    target[0] += factor * travel
    guard dimensions > 0 else { return }
    let seen = factor.times(SIMD2(-tapsPerMetre * travel, turn))
    let lever = levers.pointer[antenna * mostPaths + path]
    target[mostPaths] += seen * lever.x
    if dimensions > 1 { target[2 * mostPaths] += seen * lever.y }
  }

  /// Adds an antenna's products of the derivatives of two paths: Re(D_i⁺·D_j).
  @inline(__always)
  private func bend(_ antenna: Int, _ path: Int, _ second: Int) {
    let here = path * mostPaths + second
    let pair = own.pointer[second].times(conjugateOf: own.pointer[path])
    let travels = pair.x * slopeProducts.pointer[here]
    let early = wavenumber * pair.y * mixedProducts.pointer[here]
    let late = wavenumber * pair.y * mixedProducts.pointer[second * mostPaths + path]
    let target = solver.hessian.pointer + path * (1 + dimensions) * order + second * (1 + dimensions)
    target[0] += travels
    guard dimensions > 0 else { return }
    let toCosine = -tapsPerMetre * travels - late
    let fromCosine = -tapsPerMetre * travels + early
    let both =
      wavenumber * wavenumber * pair.x * pulseProducts.pointer[here]
      + tapsPerMetre * (tapsPerMetre * travels + late - early)
    let lever = levers.pointer[antenna * mostPaths + path]
    let otherLever = levers.pointer[antenna * mostPaths + second]
    target[1] += toCosine * otherLever.x
    target[order] += fromCosine * lever.x
    target[order + 1] += both * lever.x * otherLever.x
    guard dimensions > 1 else { return }
    target[2] += toCosine * otherLever.y
    target[2 * order] += fromCosine * lever.y
    target[order + 2] += both * lever.x * otherLever.y
    target[2 * order + 1] += both * lever.y * otherLever.x
    target[2 * order + 2] += both * lever.y * otherLever.y
  }

  func move(
    _ waves: UnsafePointer<PlaneWave>, count: Int, by step: UnsafePointer<Double>,
    into moved: UnsafeMutablePointer<PlaneWave>
  ) {
    for path in 0..<count { moved[path] = self.moved(waves[path], step + path * (1 + dimensions)) }
  }

  private func moved(_ wave: PlaneWave, _ step: UnsafePointer<Double>) -> PlaneWave {
    var result = wave
    result.delay = FitStep.moved(wave.delay, by: step[0], windowTaps: pulses.windowTaps)
    if dimensions > 0 {
      result.cosines += FitStep.limited(step[1], Self.longestCosineStep) * axes.0
    }
    if dimensions > 1 {
      result.cosines += FitStep.limited(step[2], Self.longestCosineStep) * axes.1
    }
    let length = (result.cosines * result.cosines).sum().squareRoot()
    if length > Self.furthestCosine { result.cosines *= Self.furthestCosine / length }
    return result
  }
}
