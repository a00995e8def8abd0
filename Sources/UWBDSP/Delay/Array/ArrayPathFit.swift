import Numerics

/// The least-squares problem under `ArrayPulseFit`: K delays that all antennas share, an amplitude for each path on each
/// antenna.
///
///     J = Σ_m Σ_k |h_m[k] − Σ_i a_im·p(k − τ_im)|² / v_m,   τ_im = τ_i − p_m·u_i/c + δ_m
///
/// v_m is the variance of antenna m's noise. Path i's plane wave travels p_m·u_i/c across the array. δ_m is the shift of
/// an antenna with a chip of its own. The travel is a twentieth of a tap over half a wavelength, which counts at
/// 30 dB. Given the τ_im, the antennas are separate problems (`PathFit`): costs, gradients and Kaufman's matrices add up.
///
/// u_i is the direction whose plane wave the path's amplitudes fit best on a grid. It moves between descents, not within one.
///
/// δ_m are known and 0 (antennas of one chip), or unknowns that descend with the delays (`hasFreeShifts`); antenna 0 is
/// their reference. Cost: `PathFit`'s times the antennas, twice where the travel matters.
final class ArrayPathFit: PathModel, FitProblem {
  /// Delay at the origin of the antennas' coordinates, and direction; zero where that is not known.
  struct Position: BitwiseCopyable {
    var delay: Double
    var direction: SIMD3<Double>
  }

  static let origin = Position(delay: 0, direction: .zero)
  /// A travel that is wrong by less than this moves no amplitude by more than noise does at 40 dB, taps.
  private static let negligibleTravel = 0.01
  /// Furthest that a shift may go from where it started, taps.
  static let furthestShift = 1.5

  let windowTaps: Int
  let mostAntennas: Int
  /// One problem an antenna; those beyond `antennaCount` rest.
  let antennas: [PathFit]
  @exclusivity(unchecked) private(set) var antennaCount = 0
  @exclusivity(unchecked) private(set) var hasFreeShifts = false
  /// Standard deviations that the samples were divided by; infinite for an antenna that takes no part.
  let deviations: AlignedBuffer<Double>
  /// δ_m less the whole taps that the antenna's window was moved by.
  let shifts: AlignedBuffer<Double>

  let pulses: PathPulses
  private let starts: PathStarts
  private let grid: SteeringGrid?
  private let spectrum: AlignedBuffer<Float>
  private let snapshot: AlignedBuffer<Float>
  /// The array's antennas, m.
  private let places: AlignedBuffer<SIMD3<Double>>
  /// Taps that a metre of path takes.
  private let tapsPerMetre: Double
  private let moved: AlignedBuffer<Double>
  private let kept: AlignedBuffer<Position>
  private let keptShifts: AlignedBuffer<Double>
  private let startShifts: AlignedBuffer<Double>
  private let solver: LevenbergMarquardt<Position>
  private let covariance: AlignedBuffer<Double>
  private let order: Int

  init(
    table: PulseTable, windowTaps: Int, mostAntennas: Int, grid: SteeringGrid?, tapSpacing: Double,
    propagationSpeed: Double
  ) {
    self.windowTaps = windowTaps
    self.mostAntennas = mostAntennas
    let starts = PathStarts(table: table, windowTaps: windowTaps)
    self.starts = starts
    let pulses = PathPulses(table, windowTaps: windowTaps)
    self.pulses = pulses
    antennas = (0..<mostAntennas).map { _ in PathFit(pulses, starts: starts) }
    self.grid = grid
    spectrum = grid?.makeSpectrum() ?? AlignedBuffer(count: 1, zero: 0)
    tapsPerMetre = 1 / (propagationSpeed * tapSpacing)
    places = AlignedBuffer(count: mostAntennas, zero: .zero)
    for (antenna, position) in (grid?.array.positions ?? []).enumerated() { places.pointer[antenna] = position }
    order = PathFit.mostPaths + mostAntennas
    deviations = AlignedBuffer(count: mostAntennas, zero: 1)
    shifts = AlignedBuffer(count: mostAntennas, zero: 0)
    snapshot = AlignedBuffer(count: 2 * mostAntennas, zero: 0)
    moved = AlignedBuffer(count: PathFit.mostPaths, zero: 0)
    kept = AlignedBuffer(count: PathFit.mostPaths, zero: Self.origin)
    keptShifts = AlignedBuffer(count: mostAntennas, zero: 0)
    startShifts = AlignedBuffer(count: mostAntennas, zero: 0)
    solver = LevenbergMarquardt(order: order, origin: Self.origin)
    covariance = AlignedBuffer(count: order * order, zero: 0)
  }

  var sampleCount: Int {
    (0..<antennaCount).reduce(0) { $0 + (takesPart($1) ? windowTaps : 0) }
  }
  var amplitudesPerPath: Int { (0..<antennaCount).reduce(0) { $0 + (takesPart($1) ? 1 : 0) } }
  func takesPart(_ antenna: Int) -> Bool { deviations.pointer[antenna].isFinite }
  func delay(_ position: Position) -> Double { position.delay }
  func moved(_ position: Position, by taps: Double) -> Position {
    Position(delay: position.delay + taps, direction: position.direction)
  }

  /// Begins a CIR of so many antennas, which `place` and `load` then fill one by one.
  func begin(antennaCount: Int, hasFreeShifts: Bool) {
    self.antennaCount = antennaCount
    self.hasFreeShifts = hasFreeShifts
  }

  /// - Parameters:
  ///   - deviation: √v_m; infinite leaves the antenna out.
  ///   - shift: δ_m less what the antenna's first tap took of it.
  func place(antenna: Int, deviation: Double, shift: Double) {
    deviations.pointer[antenna] = deviation
    shifts.pointer[antenna] = shift
    startShifts.pointer[antenna] = shift
  }

  /// Takes the samples of an antenna that was placed.
  ///
  /// - Parameters:
  ///   - firstTap: of this antenna's window.
  ///   - phase: what the antenna's samples are turned back by, rad.
  func load(_ taps: PreparedTaps, antenna: Int, firstTap: Int, phase: Double) {
    let deviation = deviations.pointer[antenna]
    guard deviation.isFinite else { return }
    let factor = phase == 0 ? Complex(1 / deviation) : Complex(length: 1 / deviation, phase: -phase)
    antennas[antenna].load(taps, firstTap: firstTap, factor: factor)
  }

  /// Amplitude of a path on an antenna, in the CIR's units; zero where the antenna takes no part.
  func amplitude(_ path: Int, antenna: Int) -> Complex<Double> {
    guard takesPart(antenna) else { return .zero }
    return antennas[antenna].amplitude(path) * Complex(deviations.pointer[antenna])
  }

  /// Σ_m |a_m|²/v_m of a path.
  func power(_ path: Int) -> Double {
    var sum = 0.0
    for antenna in 0..<antennaCount where takesPart(antenna) {
      sum += antennas[antenna].amplitude(path).lengthSquared
    }
    return sum
  }

  /// How much later than at the origin a path is seen in an antenna's window, taps.
  func offset(_ position: Position, antenna: Int) -> Double {
    guard grid != nil, position.direction != .zero else { return shifts.pointer[antenna] }
    let travel = (places.pointer[antenna] * position.direction).sum() * tapsPerMetre
    return shifts.pointer[antenna] - travel
  }

  // MARK: PathModel

  func strongestPath(count: Int) -> Int { (0..<count).max { power($0) < power($1) } ?? 0 }

  func hasCollapsed(count: Int) -> Bool {
    (0..<antennaCount).contains { takesPart($0) && antennas[$0].hasCollapsed(count: count) }
  }

  func start(count: Int) -> (position: Position, gain: Double) {
    let best = starts.strongest(
      count: count, antennas: 0..<antennaCount, among: { takesPart($0) ? antennas[$0] : nil })
    return (Position(delay: best.position, direction: .zero), best.gain)
  }

  func splitGain(_ positions: UnsafePointer<Position>, count: Int) -> Double {
    var gain = 0.0
    for antenna in 0..<antennaCount where takesPart(antenna) {
      place(positions, count: count, antenna: antenna)
      gain += antennas[antenna].splitGain(moved.pointer, count: count)
    }
    return gain
  }

  func solve(_ positions: UnsafePointer<Position>, count: Int) -> Double? {
    var cost = 0.0
    for antenna in 0..<antennaCount where takesPart(antenna) {
      place(positions, count: count, antenna: antenna)
      guard let own = antennas[antenna].solve(moved.pointer, count: count) else { return nil }
      cost += own
    }
    return cost
  }

  private func place(_ positions: UnsafePointer<Position>, count: Int, antenna: Int) {
    for path in 0..<count {
      moved.pointer[path] = positions[path].delay + offset(positions[path], antenna: antenna)
    }
  }

  /// Unknowns: the delays, and the shifts of all antennas but the first that takes part.
  private func unknowns(_ count: Int) -> Int { hasFreeShifts ? count + antennaCount : count }

  func differentiate(_ positions: UnsafePointer<Position>, count: Int) -> Bool {
    fillCurvature(positions, count: count, isExact: true)
    return solver.factorise(unknowns(count))
  }

  func linearise(_ positions: UnsafePointer<Position>, count: Int) {
    fillCurvature(positions, count: count, isExact: false)
    for path in 0..<count {
      solver.hold(delay: positions[path].delay, path, of: unknowns(count), windowTaps: windowTaps)
    }
  }

  /// Gradient and Kaufman's matrix, not factorised. Unless `isExact`, all antennas have the slopes' products of the first that takes
  /// part: travel moves paths against each other by a tenth of a tap at the most, which costs a descent nothing.
  private func fillCurvature(_ positions: UnsafePointer<Position>, count: Int, isExact: Bool) {
    solver.clear(unknowns(count))
    let (hessian, gradient) = (solver.hessian, solver.gradient)
    var first: PathFit?
    for antenna in 0..<antennaCount {
      let own = count + antenna
      guard takesPart(antenna) else {
        if hasFreeShifts { hessian.pointer[own * order + own] = 1 }
        continue
      }
      let fit = antennas[antenna]
      place(positions, count: count, antenna: antenna)
      fit.evaluateSlopes(moved.pointer, count: count)
      let reference = isExact ? fit : first ?? fit
      if reference === fit { fit.correlateSlopes(count: count) }
      for row in 0..<count {
        gradient.pointer[row] += fit.slope(row)
        for column in 0...row {
          hessian.pointer[row * order + column] +=
            fit.amplitudeProduct(row, column) * reference.slopeProduct(row, column)
        }
      }
      defer { first = first ?? fit }
      guard hasFreeShifts else { continue }
      guard first != nil else {
        // The delays are this antenna's; its shift stays.
        hessian.pointer[own * order + own] = 1
        continue
      }
      for row in 0..<count {
        gradient.pointer[own] += fit.slope(row)
        for column in 0..<count {
          let element =
            fit.amplitudeProduct(row, column) * reference.slopeProduct(max(row, column), min(row, column))
          hessian.pointer[own * order + row] += element
          hessian.pointer[own * order + own] += element
        }
      }
    }
  }

  func invertCurvature(count: Int) {
    let total = unknowns(count)
    for column in 0..<count {
      let target = covariance.pointer + column * order
      for row in 0..<total { target[row] = row == column ? 1 : 0 }
      solver.solve(target, total)
    }
    for antenna in 0..<antennaCount where takesPart(antenna) {
      for first in 0..<count {
        for second in 0..<count {
          antennas[antenna].setDelayCovariance(first, second, delayCovariance(first, second))
        }
      }
    }
  }

  func delayCovariance(_ first: Int, _ second: Int) -> Double { covariance.pointer[first * order + second] }

  /// Variance of the phase of a path on one antenna over σ²/2.
  func phaseVariance(_ path: Int, antenna: Int, count: Int) -> Double {
    antennas[antenna].phaseVariance(path, count: count)
  }

  func refine(
    _ positions: UnsafeMutablePointer<Position>, count: Int, variance: Double, tolerance: Double, share: Double,
    effort: inout FitEffort
  ) -> Double {
    func descend() -> Double {
      let end = solver.run(
        self, positions, count: count, unknowns: unknowns(count), least: tolerance * variance, share: share,
        floor: Double(sampleCount) * variance, most: effort.steps)
      effort.add(end)
      return end.isStale && end.cost < .infinity ? solve(positions, count: count) ?? end.cost : end.cost
    }
    guard let grid, grid.geometry != .point else { return descend() }
    // Amplitudes at the start show a new path's direction well enough for a first descent; the others have theirs.
    if (0..<count).contains(where: { positions[$0].direction == .zero }), solve(positions, count: count) != nil {
      for path in 0..<count where positions[path].direction == .zero { _ = turn(positions, path, grid) }
    }
    var cost = descend()
    for _ in 0..<2 {
      guard cost < .infinity else { return cost }
      kept.pointer.update(from: positions, count: count)
      guard turn(positions, count: count, grid) else { return cost }
      let settled = effort.settled
      let reached = descend()
      guard reached < cost else {
        effort.settled = settled
        positions.update(from: kept.pointer, count: count)
        return solve(positions, count: count) ?? .infinity
      }
      cost = reached
    }
    return cost
  }

  /// Sets the directions from the amplitudes of the last `solve`; whether any travel changed by more than is negligible.
  private func turn(_ positions: UnsafeMutablePointer<Position>, count: Int, _ grid: SteeringGrid) -> Bool {
    var changed = false
    for path in 0..<count where turn(positions, path, grid) { changed = true }
    return changed
  }

  private func turn(_ positions: UnsafeMutablePointer<Position>, _ path: Int, _ grid: SteeringGrid) -> Bool {
    for antenna in 0..<antennaCount {
      let value =
        takesPart(antenna)
        ? antennas[antenna].amplitude(path) / Complex(deviations.pointer[antenna]) : Complex<Double>.zero
      snapshot.pointer[2 * antenna] = Float(value.rawStorage.x)
      snapshot.pointer[2 * antenna + 1] = Float(value.rawStorage.y)
    }
    let best = grid.evaluate(snapshot.pointer, into: spectrum)
    let direction = SteeringGrid.direction(grid.vertex(of: best, in: spectrum))
    let turned = Position(delay: positions[path].delay, direction: direction)
    var changed = false
    for antenna in 0..<antennaCount
    where abs(offset(turned, antenna: antenna) - offset(positions[path], antenna: antenna)) > Self.negligibleTravel {
      changed = true
    }
    // Otherwise positions stay those that the last `solve` was of.
    if changed || positions[path].direction == .zero { positions[path] = turned }
    return changed
  }

  func move(
    _ positions: UnsafePointer<Position>, count: Int, by step: UnsafePointer<Double>,
    into moved: UnsafeMutablePointer<Position>
  ) {
    for path in 0..<count {
      moved[path] = positions[path]
      moved[path].delay = FitStep.moved(
        positions[path].delay, by: step[path], windowTaps: windowTaps)
    }
    moveShifts(by: step + count)
  }

  func undoMove() {
    if hasFreeShifts { shifts.pointer.update(from: keptShifts.pointer, count: antennaCount) }
  }

  /// Moves the shifts by their steps and keeps what they were.
  private func moveShifts(by steps: UnsafePointer<Double>) {
    guard hasFreeShifts else { return }
    keptShifts.pointer.update(from: shifts.pointer, count: antennaCount)
    for antenna in 0..<antennaCount {
      let origin = startShifts.pointer[antenna]
      shifts.pointer[antenna] = min(
        max(
          shifts.pointer[antenna] + FitStep.limited(steps[antenna]), origin - Self.furthestShift),
        origin + Self.furthestShift)
    }
  }
}
