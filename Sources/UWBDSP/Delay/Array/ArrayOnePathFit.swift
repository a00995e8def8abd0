import Numerics

/// `ArrayPathFit` and `OrderSelection` for the usual case, one path on all antennas in white noise, in a fraction of their time.
///
/// What `OnePathFit` is for one antenna. A step needs the sums of each antenna's window at one delay: bᵀb, bᵀs, sᵀs, bᵀy and sᵀy. Cost,
/// gradient and curvature follow from them, and add up over the antennas. The strongest antenna settles first: its delay gives all
/// amplitudes, these the direction (`SteeringGrid`), and that the travel across the array. Then all antennas settle together. Where
/// anything hints at a second path, this fit steps back.
///
/// The sums are kept for `OneWaveFit`, which asks for plane waves. Cost O(antennas · window) a step.
final class ArrayOnePathFit: FitProblem {
  /// Amplitudes that changed by less than this share of all show the direction that they did before.
  private static let sameAmplitudes = 1e-4
  /// Of a first descent, whose delay only has to show amplitudes and directions, noise variances.
  private static let roughTolerance = 0.1
  private static let mostTurns = 3
  /// Deviations of the residual's power.
  private static let nearness = 4.0

  let mostAntennas: Int
  let windows: [OnePathFit]
  private let windowTaps: Int
  private let grid: SteeringGrid?
  private let tapsPerMetre: Double
  @exclusivity(unchecked) private(set) var antennaCount = 0
  /// √v_m; infinite for an antenna that takes no part.
  private let deviations: AlignedBuffer<Double>
  /// Where each antenna sees the path later than at the origin, taps.
  private let offsets: AlignedBuffer<Double>
  /// Sums, and the delays in the antennas' windows that they are of.
  let moments: AlignedBuffer<OnePathFit.Moments>
  private let places: AlignedBuffer<Double>
  /// a_m/√v_m: real parts, imaginary ones; those that the direction was taken from.
  private let amplitudes: AlignedBuffer<SIMD2<Double>>
  private let turned: AlignedBuffer<SIMD2<Double>>
  private let snapshot: AlignedBuffer<Float>
  private let delay = AlignedBuffer<Double>(count: 1, zero: 0)
  private let solver = LevenbergMarquardt<Double>(order: 1, origin: 0)
  /// The antennas that the descent counts.
  @exclusivity(unchecked) private var counted = 0..<0
  /// P(u) of the path's amplitudes over the grid, and its highest point.
  let spectrum: AlignedBuffer<Float>
  @exclusivity(unchecked) private(set) var peak = 0
  /// Levels of the hints for so many amplitudes.
  @exclusivity(unchecked) private var hints = (amplitudes: 0, another: 0.0, split: 0.0)

  /// What a fit ended at.
  struct Result {
    /// At the origin of the antennas' coordinates, taps from the window's start.
    var delay: Double
    /// Unit vector; zero where there is no array.
    var direction: SIMD3<Double>
    var cost: Double
    /// H, the sum of the antennas' curvatures.
    var curvature: Double
    /// Whether nothing hints at a second path.
    var isAlone: Bool
    /// Whether the residual is little more than noise, so that more paths start from this one.
    var isNear: Bool
  }

  init(
    table: PulseTable, windowTaps: Int, mostAntennas: Int, grid: SteeringGrid?, tapSpacing: Double,
    propagationSpeed: Double
  ) {
    self.mostAntennas = mostAntennas
    self.windowTaps = windowTaps
    let first = OnePathFit(table: table, windowTaps: windowTaps)
    windows = [first] + (1..<max(mostAntennas, 1)).map { _ in OnePathFit(sharing: first) }
    self.grid = grid.flatMap { $0.geometry == .point ? nil : $0 }
    tapsPerMetre = 1 / (propagationSpeed * tapSpacing)
    deviations = AlignedBuffer(count: mostAntennas, zero: .infinity)
    offsets = AlignedBuffer(count: mostAntennas, zero: 0)
    moments = AlignedBuffer(count: mostAntennas, zero: OnePathFit.Moments())
    places = AlignedBuffer(count: mostAntennas, zero: .nan)
    amplitudes = AlignedBuffer(count: mostAntennas, zero: .zero)
    turned = AlignedBuffer(count: mostAntennas, zero: .zero)
    snapshot = AlignedBuffer(count: 2 * mostAntennas, zero: 0)
    spectrum = grid?.makeSpectrum() ?? AlignedBuffer(count: 1, zero: 0)
  }

  /// Whether all antennas see a path of the window within the pulse's table, wherever it comes from.
  static func reaches(_ positions: [SIMD3<Double>], metresPerTap: Double) -> Bool {
    positions.allSatisfy { ($0 * $0).sum().squareRoot() < 2 * metresPerTap }
  }

  /// Begins a CIR of so many antennas, which `load` then fills one by one.
  func begin(antennaCount: Int) { self.antennaCount = antennaCount }

  /// Takes an antenna's window, all of it inside the CIR, over its noise's deviation; an infinite one leaves it out.
  func load(_ taps: PreparedTaps, antenna: Int, firstTap: Int, deviation: Double, phase: Double) {
    deviations.pointer[antenna] = deviation
    places.pointer[antenna] = .nan
    guard deviation.isFinite else { return }
    windows[antenna].load(taps, firstTap: firstTap, factor: 1 / deviation, phase: phase)
  }

  @inline(__always)
  func takesPart(_ antenna: Int) -> Bool { deviations.pointer[antenna].isFinite }

  /// 1/√v_m
  func weight(_ antenna: Int) -> Double { 1 / deviations.pointer[antenna] }

  /// Amplitude of the path on an antenna, in the CIR's units; zero where the antenna takes no part.
  func amplitude(antenna: Int) -> Complex<Double> {
    guard takesPart(antenna) else { return .zero }
    let own = amplitudes.pointer[antenna]
    return Complex(own.x, own.y) * Complex(deviations.pointer[antenna])
  }

  /// Variance of the phase of the path on one antenna over σ²/2: 1/(bᵀb·|a|²).
  func phaseVariance(antenna: Int) -> Double {
    let own = amplitudes.pointer[antenna]
    return 1 / max(moments.pointer[antenna].pulse * (own * own).sum(), .leastNormalMagnitude)
  }

  /// ‖y‖² of all antennas.
  var energy: Double {
    var sum = 0.0
    for antenna in 0..<antennaCount where takesPart(antenna) { sum += windows[antenna].energy }
    return sum
  }

  /// Makes `moments` those of a delay in an antenna's window.
  @inline(__always)
  func measure(_ antenna: Int, at place: Double) {
    // Nearer than rounding can tell.
    guard !(abs(places.pointer[antenna] - place) < 1e-9) else { return }
    moments.pointer[antenna] = windows[antenna].moments(at: place)
    places.pointer[antenna] = place
  }

  /// Settles one path from `start` on, a delay at the origin; `nil` where it doesn't settle.
  func settle(from start: Double, tolerance: Double) -> Result? {
    var strongest: Int?
    for antenna in 0..<antennaCount where takesPart(antenna) {
      offsets.pointer[antenna] = 0
      if windows[antenna].strongestPower > strongest.map({ windows[$0].strongestPower }) ?? 0 { strongest = antenna }
    }
    guard let strongest else { return nil }
    delay.pointer[0] = start
    counted = strongest..<strongest + 1
    _ = solver.run(self, delay.pointer, count: 1, unknowns: 1, least: Self.roughTolerance)
    counted = 0..<antennaCount
    var direction = SIMD3<Double>.zero
    if let grid {
      guard solve(delay.pointer, count: 1) != nil else { return nil }
      direction = turn(grid)
    }
    var end = solver.run(self, delay.pointer, count: 1, unknowns: 1, least: tolerance)
    for _ in 1..<Self.mostTurns {
      guard end.settled else { return nil }
      guard let grid, hasTurned() else { break }
      direction = turn(grid)
      end = solver.run(self, delay.pointer, count: 1, unknowns: 1, least: tolerance)
    }
    guard end.settled, solve(delay.pointer, count: 1) != nil, let (cost, samples, isAlone) = judge() else { return nil }
    var curvature = 0.0
    for antenna in 0..<antennaCount where takesPart(antenna) {
      curvature += OnePathFit.Point(moments.pointer[antenna], windows[antenna].energy)?.curvature ?? 0
    }
    guard curvature > 0 else { return nil }
    let excess = cost - samples
    return Result(
      delay: delay.pointer[0], direction: direction, cost: cost, curvature: curvature, isAlone: isAlone,
      isNear: excess < Self.nearness * samples.squareRoot())
  }

  /// Whether amplitudes are others than those that the direction was taken from.
  private func hasTurned() -> Bool {
    var (change, whole) = (0.0, 0.0)
    for antenna in 0..<antennaCount where takesPart(antenna) {
      let own = amplitudes.pointer[antenna]
      let apart = own - turned.pointer[antenna]
      change += (apart * apart).sum()
      whole += (own * own).sum()
    }
    return change > Self.sameAmplitudes * whole
  }

  /// The direction of the amplitudes at hand; sets the antennas' offsets.
  private func turn(_ grid: SteeringGrid) -> SIMD3<Double> {
    for antenna in 0..<antennaCount {
      let isSeen = takesPart(antenna)
      let own = isSeen ? amplitudes.pointer[antenna] : .zero
      turned.pointer[antenna] = own
      let value = isSeen ? own * weight(antenna) : .zero
      snapshot.pointer[2 * antenna] = Float(value.x)
      snapshot.pointer[2 * antenna + 1] = Float(value.y)
    }
    peak = grid.evaluate(snapshot.pointer, into: spectrum)
    let direction = SteeringGrid.direction(grid.vertex(of: peak, in: spectrum))
    for antenna in 0..<antennaCount {
      offsets.pointer[antenna] = -(grid.array.positions[antenna] * direction).sum() * tapsPerMetre
    }
    return direction
  }

  // MARK: FitProblem

  func solve(_ positions: UnsafePointer<Double>, count: Int) -> Double? {
    var cost = 0.0
    for antenna in counted where takesPart(antenna) {
      measure(antenna, at: positions[0] + offsets.pointer[antenna])
      let own = moments.pointer[antenna]
      guard own.pulse > 0 else { return nil }
      let seen = SIMD2(own.pulseReal, own.pulseImaginary)
      amplitudes.pointer[antenna] = seen / own.pulse
      cost += windows[antenna].energy - (seen * seen).sum() / own.pulse
    }
    return cost
  }

  func linearise(_ positions: UnsafePointer<Double>, count: Int) {
    var (gradient, curvature) = (0.0, 0.0)
    for antenna in counted where takesPart(antenna) {
      guard let own = OnePathFit.Point(moments.pointer[antenna], windows[antenna].energy) else { continue }
      gradient += own.gradient
      curvature += own.curvature
    }
    solver.gradient.pointer[0] = gradient
    solver.hessian.pointer[0] = curvature
    solver.hold(delay: positions[0], 0, of: 1, windowTaps: windowTaps)
  }

  func move(
    _ positions: UnsafePointer<Double>, count: Int, by step: UnsafePointer<Double>,
    into moved: UnsafeMutablePointer<Double>
  ) {
    moved[0] = FitStep.moved(positions[0], by: step[0], windowTaps: windowTaps)
  }

  // MARK: Hints

  /// Least squares left, and whether nothing hints at a second path, as `OrderSelection` asks.
  private func judge() -> (cost: Double, samples: Double, isAlone: Bool)? {
    var first: Int?
    var (cost, count) = (0.0, 0)
    for antenna in 0..<antennaCount where takesPart(antenna) {
      let own = amplitudes.pointer[antenna]
      cost += windows[antenna].leaveResidual(places.pointer[antenna], own.x, own.y)
      count += 1
      if first == nil { first = antenna }
    }
    guard let first else { return nil }
    if hints.amplitudes != count {
      hints = (count, PathHint.level(PathHint.another, count), PathHint.level(PathHint.split, count))
    }
    let samples = Double(count * windowTaps)
    guard cost > hints.another else { return (cost, samples, true) }
    guard cost - samples <= PathHint.excess * samples.squareRoot(), splitGain() <= hints.split else {
      return (cost, samples, false)
    }
    let holdsAnother = windows[first].holdsAnother(
      Float(hints.another), Float(moments.pointer[first].pulse)
    ) { powers in
      for antenna in first..<antennaCount where takesPart(antenna) { windows[antenna].addPowers(to: powers) }
    }
    return (cost, samples, !holdsAnother)
  }

  private func splitGain() -> Double {
    var gain = 0.0
    for antenna in 0..<antennaCount where takesPart(antenna) {
      let own = amplitudes.pointer[antenna]
      gain += windows[antenna].splitGain(
        places.pointer[antenna], moments.pointer[antenna].pulse, own.x, own.y)
    }
    return gain
  }
}
