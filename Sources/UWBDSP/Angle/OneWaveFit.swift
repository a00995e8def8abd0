import Numerics

/// `SteeredPathFit` for one wave, on the sums that `ArrayOnePathFit` has of each antenna's window.
///
/// With w_m = 1/√v_m, b and s an antenna's pulse and slope at τ_m, and c_m = w_m·g_m(u):
///
///     N = Σ w_m²·bᵀb,   a = Σ c_m*·bᵀy/N,   J = Σ ‖y_m‖² − |a|²·N
///
/// and with levers l_m = ∂(p_m·u)/∂q, κ = 2π·f/c and ρ taps a metre, derivative columns are a·c_m·s for the delay and
/// a·c_m·l_m·(j·κ·b − ρ·s) for a cosine: gradient and Kaufman's matrix are sums over antennas of w_m², levers, bᵀb, bᵀs and sᵀs.
/// An iteration costs an antenna's sums where its delay has moved, and some 200 instructions an antenna.
final class OneWaveFit: PlaneWaveModel {
  private let geometry: SteeredPathFit
  private let windows: ArrayOnePathFit
  let dimensions: Int
  let axes: (SIMD2<Double>, SIMD2<Double>)
  let solver: LevenbergMarquardt<PlaneWave>
  let unit: AlignedBuffer<Double>
  private let windowTaps: Int
  /// c_m and l_m where `solve` was last.
  private let responses: AlignedBuffer<SIMD2<Double>>
  private let levers: AlignedBuffer<SIMD2<Double>>
  @exclusivity(unchecked) private var amplitude = SIMD2<Double>()
  /// N
  @exclusivity(unchecked) private var norm = 0.0

  init(_ geometry: SteeredPathFit, _ windows: ArrayOnePathFit, windowTaps: Int) {
    self.geometry = geometry
    self.windows = windows
    self.windowTaps = windowTaps
    dimensions = geometry.dimensions
    axes = geometry.axes
    solver = LevenbergMarquardt(order: 3, origin: PlaneWave(delay: 0, cosines: .zero))
    unit = AlignedBuffer(count: 3, zero: 0)
    responses = AlignedBuffer(count: windows.mostAntennas, zero: .zero)
    levers = AlignedBuffer(count: windows.mostAntennas, zero: .zero)
  }

  func solve(_ waves: UnsafePointer<PlaneWave>, count: Int) -> Double? {
    let wave = waves[0]
    let responses = responses.pointer
    norm = 0
    var (sum, energy) = (SIMD2<Double>(), 0.0)
    for antenna in 0..<windows.antennaCount where windows.takesPart(antenna) {
      let (along, lever) = geometry.sight(of: wave.cosines, antenna: antenna)
      levers.pointer[antenna] = lever
      windows.measure(antenna, at: wave.delay - along * geometry.tapsPerMetre)
      let own = windows.moments.pointer[antenna]
      let phase = geometry.wavenumber * along
      let weight = windows.weight(antenna)
      let response = SIMD2(weight * Double.cos(phase), weight * Double.sin(phase))
      responses[antenna] = response
      norm += weight * weight * own.pulse
      sum += Self.conjugateTimes(response, SIMD2(own.pulseReal, own.pulseImaginary))
      energy += windows.windows[antenna].energy
    }
    guard norm > 0 else { return nil }
    amplitude = sum / norm
    return energy - (sum * sum).sum() / norm
  }

  func linearise(_ waves: UnsafePointer<PlaneWave>, count: Int) {
    fillCurvature(count: count)
    solver.hold(delay: waves[0].delay, 0, of: unknowns(1), windowTaps: windowTaps)
  }

  func fillCurvature(count: Int) {
    let (turn, travel) = (geometry.wavenumber, geometry.tapsPerMetre)
    // Sums over antennas of w²: bᵀs, sᵀs; times levers bᵀb, bᵀs, sᵀs; times both levers κ²·bᵀb + ρ²·sᵀs (xx, xy, yy).
    var (both, slope) = (0.0, 0.0)
    var (pulseLevers, bothLevers, slopeLevers) = (SIMD2<Double>(), SIMD2<Double>(), SIMD2<Double>())
    var squares = SIMD3<Double>()
    var delayGradient = 0.0
    var gradient = SIMD2<Double>()
    for antenna in 0..<windows.antennaCount where windows.takesPart(antenna) {
      let own = windows.moments.pointer[antenna]
      let response = responses.pointer[antenna]
      let lever = levers.pointer[antenna]
      let weight = (response * response).sum()
      both += weight * own.both
      slope += weight * own.slope
      pulseLevers += weight * own.pulse * lever
      bothLevers += weight * own.both * lever
      slopeLevers += weight * own.slope * lever
      let bend = weight * (turn * turn * own.pulse + travel * travel * own.slope)
      squares += bend * SIMD3(lever.x * lever.x, lever.x * lever.y, lever.y * lever.y)
      // What pulse and slope see of the residual.
      let pulseLeft =
        Self.conjugateTimes(response, SIMD2(own.pulseReal, own.pulseImaginary)) - weight * own.pulse * amplitude
      let slopeLeft =
        Self.conjugateTimes(response, SIMD2(own.slopeReal, own.slopeImaginary)) - weight * own.both * amplitude
      let along = Self.conjugateTimes(amplitude, slopeLeft).x
      delayGradient += along
      gradient += (turn * Self.conjugateTimes(amplitude, pulseLeft).y - travel * along) * lever
    }
    let power = (amplitude * amplitude).sum()
    let hessian = solver.hessian.pointer
    let order = solver.order
    solver.gradient.pointer[0] = delayGradient
    hessian[0] = power * (slope - both * both / norm)
    guard dimensions > 0 else { return }
    let mixed = travel * power * (both / norm * bothLevers - slopeLevers)
    let (b, s) = (turn * pulseLevers, travel * bothLevers)
    let taken = SIMD3(b.x * b.x + s.x * s.x, b.x * b.y + s.x * s.y, b.y * b.y + s.y * s.y) / norm
    let left = power * (squares - taken)
    solver.gradient.pointer[1] = gradient.x
    hessian[order] = mixed.x
    hessian[order + 1] = left.x
    guard dimensions > 1 else { return }
    solver.gradient.pointer[2] = gradient.y
    hessian[2 * order] = mixed.y
    hessian[2 * order + 1] = left.y
    hessian[2 * order + 2] = left.z
  }

  func move(
    _ waves: UnsafePointer<PlaneWave>, count: Int, by step: UnsafePointer<Double>,
    into moved: UnsafeMutablePointer<PlaneWave>
  ) {
    geometry.move(waves, count: count, by: step, into: moved)
  }

  @inline(__always)
  private static func conjugateTimes(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x)
  }
}
