import Numerics

/// Nonlinear least squares over all paths near the first one on all antennas of a CIR at once: snapshots for angle
/// estimators.
///
///     minimise over K, τ_i, a_im:   Σ_m Σ_k |h_m[k] − Σ_i a_im·p(k − τ_im)|² / v_m
///
/// As `PulseFit`, over the antennas × taps of one window (variable projection: Golub & Pereyra 1973). The delays are
/// shared: each antenna's amplitudes are those of the same paths, and later paths don't leak into the first one's. Amplitudes are free on each antenna: nothing is asked of patterns and gains. Where the array is known, each
/// path's travel across it is taken from its own amplitudes (`ArrayPathFit`).
///
/// Where each antenna has a chip of its own, accumulators start at different times. `firstPathTaps` holds each chip's own
/// first path. So antenna m's taps lie δ_m = f_m − f_0 later. A chip's first path errs by tenths of a
/// tap, so δ_m is then estimated with the delays.
///
/// One path that leaves nothing but noise on antennas of one chip goes by `ArrayOnePathFit`, which is quicker.
///
/// Amplitudes have the bound's deviations at the solution, 1/√(2·SNR·Σp²) rad for one path. Cost: `PulseFit`'s times the
/// antennas. Don't use it with a pulse that is wrong by more than a few per cent, as `PulseFit`.
public struct ArrayPulseFit: Sendable, Hashable {
  /// The fit of one antenna, whose settings hold for all.
  public var paths: PulseFit
  /// Where the antennas are; `nil` takes the delays to be the same on all.
  public var array: AntennaArray?
  /// m/s
  public var propagationSpeed: Double

  /// Creates one with the given values.
  public init(_ paths: PulseFit, array: AntennaArray? = nil, propagationSpeed: Double = UWB.speedOfLightInAir) {
    self.paths = paths
    self.array = array
    self.propagationSpeed = propagationSpeed
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    let selection: OrderSelection<ArrayPathFit>
    var fit: ArrayPathFit { selection.model }
    /// `nil` where the array is too wide for its tables.
    let single: ArrayOnePathFit?
    /// `single` where one path is all that the last estimate found, so that `fit` has seen no samples.
    var alone: ArrayOnePathFit? { isAlone ? single : nil }
    @exclusivity(unchecked) fileprivate var isAlone = false
    let search: FirstPathSearch
    let searchMemory: FirstPathSearch.Workspace
    let pool: PooledFirstPath
    /// Whether an antenna's taps hold a signal.
    let hears: AlignedBuffer<Bool>
    /// Of the last estimate; `nil` where it fitted nothing.
    @exclusivity(unchecked) fileprivate(set) var solution: PulseFit.Solution?
    @exclusivity(unchecked) fileprivate(set) var refused: RefusedPath?
    /// Variance, taps², for the chance that the search took another candidate for the first path.
    @exclusivity(unchecked) var ambiguityVariance = 0.0
    let mostAntennas: Int
    /// Of each antenna's window.
    let firstTaps: AlignedBuffer<Int>

    /// A variance of the first path's delay with the refused path in it.
    func withRefusedPath(_ variance: Double) -> Double { refused?.added(to: variance) ?? variance }

    fileprivate init(_ estimator: ArrayPulseFit, tapCount: Int, antennaCount: Int) {
      let paths = estimator.paths
      mostAntennas = antennaCount
      firstTaps = AlignedBuffer(count: antennaCount, zero: 0)
      search = FirstPathSearch(paths.receiver)
      searchMemory = FirstPathSearch.Workspace(tapCount: tapCount)
      pool = PooledFirstPath(mostAntennas: antennaCount)
      hears = AlignedBuffer(count: antennaCount, zero: false)
      let array = estimator.array.flatMap { $0.positions.count == antennaCount ? $0 : nil }
      let grid = array.map(SteeringGrid.init)
      let table = PulseTable(paths.receiver)
      selection = OrderSelection(
        ArrayPathFit(
          table: table, windowTaps: PulseFit.windowTaps, mostAntennas: antennaCount, grid: grid,
          tapSpacing: paths.receiver.tapSpacing, propagationSpeed: estimator.propagationSpeed),
        mostPaths: paths.mostPaths)
      let metresPerTap = estimator.propagationSpeed * paths.receiver.tapSpacing
      let isNarrow = ArrayOnePathFit.reaches(array?.positions ?? [], metresPerTap: metresPerTap)
      single =
        isNarrow
        ? ArrayOnePathFit(
          table: table, windowTaps: PulseFit.windowTaps, mostAntennas: antennaCount, grid: grid,
          tapSpacing: paths.receiver.tapSpacing, propagationSpeed: estimator.propagationSpeed) : nil
    }
  }

  /// Memory for CIRs of at most `tapCount` taps and exactly the array's antennas (without an array: at most
  /// `antennaCount`).
  public func makeWorkspace(tapCount: Int, antennaCount: Int) -> Workspace {
    Workspace(self, tapCount: tapCount, antennaCount: antennaCount)
  }

  /// Fills `estimate` with what the antennas' taps hold; allocates nothing.
  ///
  /// - Parameters:
  ///   - taps: one for each antenna, all of one length.
  ///   - antennaCount: how many of `taps` are used.
  ///   - firstPathTaps: each chip's own first path, where each antenna has a chip of its own; `nil` for one chip.
  ///   - phases: what each antenna's receiver added to its phases, rad (`Reception.antennaPhases`); `nil` for nothing.
  /// - Precondition: 1 ≤ `antennaCount` ≤ what the workspace was made for; `firstPathTaps` and `phases` hold
  ///   as many.
  public func estimate(
    _ taps: [PreparedTaps], antennaCount: Int, firstPathTaps: [Double]? = nil, phases: [Double]? = nil,
    into estimate: inout ArrayEstimate, using workspace: Workspace
  ) {
    precondition(
      antennaCount >= 1 && antennaCount <= workspace.mostAntennas && antennaCount <= taps.count
        && firstPathTaps?.count ?? antennaCount == antennaCount && phases?.count ?? antennaCount == antennaCount,
      "\(antennaCount) antennas, \(taps.count) loaded, \(firstPathTaps?.count ?? antennaCount) first paths, in a "
        + "workspace for \(workspace.mostAntennas)")
    guard
      let windows = begin(
        taps, antennaCount: antennaCount, firstPathTaps: firstPathTaps, phases: phases, into: &estimate,
        using: workspace)
    else { return }
    guard fitPaths(in: windows, taps, phases: phases, into: &estimate, using: workspace) else { return }
    addRefusedPath(to: &estimate, using: workspace)
  }

  /// Windows in which one path alone does not explain everything.
  struct Windows {
    /// Of antenna 0's window.
    var firstTap: Int
    /// The rough first path, half taps from the start of antenna 0's accumulator.
    var halfTap: Int
    /// Whether one path leaves little more than noise.
    var isNear: Bool
    /// As that of `PulseFit.Window`.
    var isCrowded = false
    fileprivate var start: ArrayPathFit.Position
  }

  /// The first half of an estimate: finds the first path and settles it where it is alone; else returns the windows that are left to `fitPaths`. Arguments
  /// as those of `estimate` and of `PulseFit.begin`.
  func begin(
    _ taps: [PreparedTaps], antennaCount: Int, asksForGaps: Bool = false, firstPathTaps: [Double]?, phases: [Double]?,
    into estimate: inout ArrayEstimate, using workspace: Workspace
  ) -> Windows? {
    workspace.solution = nil
    workspace.refused = nil
    workspace.ambiguityVariance = 0
    workspace.isAlone = false
    workspace.selection.forgetRefusal()
    estimate.reset(.emptyImpulseResponse, antennaCount: antennaCount)
    guard let rough = firstPath(taps, antennaCount, firstPathTaps, into: &estimate, workspace) else { return nil }
    let fit = workspace.fit
    guard taps[0].count >= fit.windowTaps else { return nil }

    let first = place(
      taps, antennaCount, firstPathTaps,
      from: Int(rough, rounded: .up, within: -Self.farthest...Self.farthest) - PulseFit.before, workspace)
    var windows = Windows(
      firstTap: first,
      halfTap: Int(2 * rough, rounded: .toNearestOrAwayFromZero, within: -2 * Self.farthest...2 * Self.farthest),
      isNear: false,
      start: ArrayPathFit.Position(delay: rough - Double(first), direction: .zero))
    guard !fit.hasFreeShifts else { return windows }
    if asksForGaps,
      CrowdedTaps.follow(windows.halfTap, antennas: antennaCount, { fit.takesPart($0) ? taps[$0] : nil })
    {
      windows.isCrowded = true
      return windows
    }
    guard let single = workspace.single else { return windows }
    single.begin(antennaCount: antennaCount)
    for antenna in 0..<antennaCount {
      single.load(
        taps[antenna], antenna: antenna, firstTap: first, deviation: fit.deviations.pointer[antenna],
        phase: phases?[antenna] ?? 0)
    }
    guard let one = single.settle(from: windows.start.delay, tolerance: OrderSelection<ArrayPathFit>.settledTolerance)
    else { return windows }
    let found = ArrayPathFit.Position(delay: one.delay, direction: one.direction)
    if one.isAlone {
      workspace.isAlone = true
      workspace.selection.positions[0] = found
      report(one, single, firstTap: first, taps, into: &estimate, workspace)
      return nil
    }
    windows.isNear = one.isNear
    if one.isNear { windows.start = found }
    return windows
  }

  /// The second half: as many paths as there are, without `addRefusedPath`; `false`, and nothing in `estimate`, where another explanation beats
  /// them (`OrderSelection`).
  func fitPaths(
    in windows: Windows, _ taps: [PreparedTaps], phases: [Double]?, into estimate: inout ArrayEstimate,
    using workspace: Workspace, isBeaten: (Int, Double) -> Bool = { _, _ in false }
  ) -> Bool {
    let fit = workspace.fit
    for antenna in 0..<fit.antennaCount {
      fit.load(
        taps[antenna], antenna: antenna, firstTap: workspace.firstTaps.pointer[antenna], phase: phases?[antenna] ?? 0)
    }
    var logSNR = 0.0
    for antenna in 0..<fit.antennaCount where fit.takesPart(antenna) {
      logSNR += fit.antennas[antenna].strongestPower
    }
    logSNR = max(0, Double.log(max(logSNR, .leastNormalMagnitude)))
    let (found, settled, _) = workspace.selection.run(
      from: windows.start, variance: 1, logSNR: logSNR, isBeaten: isBeaten)
    guard let count = found else { return false }
    let positions = workspace.selection.positions
    // Free shifts went where the last order that was tried wanted them.
    var effort = FitEffort(steps: FitStep.most, settled: settled)
    if fit.hasFreeShifts {
      _ = fit.refine(
        positions, count: count, variance: 1, tolerance: OrderSelection<ArrayPathFit>.settledTolerance, effort: &effort)
      fit.sort(positions, count: count)
    }
    report(positions, count, settled && effort.settled, firstTap: windows.firstTap, taps, into: &estimate, workspace)
    return true
  }

  /// Raises the first path's deviation by the chance that the refused path is there; `fit` has another residual then.
  func addRefusedPath(to estimate: inout ArrayEstimate, using workspace: Workspace) {
    guard let used = workspace.solution?.usedVariance, let first = estimate.paths.first else { return }
    workspace.refused = workspace.selection.refusedPath(
      count: estimate.paths.count, delay: workspace.selection.positions[0].delay, variance: used)
    estimate.paths[0].deviationTaps = workspace.withRefusedPath(first.deviationTaps * first.deviationTaps).squareRoot()
  }

  private func report(
    _ one: ArrayOnePathFit.Result, _ fit: ArrayOnePathFit, firstTap: Int, _ taps: [PreparedTaps],
    into estimate: inout ArrayEstimate, _ workspace: Workspace
  ) {
    let antennas = workspace.fit.amplitudesPerPath
    let used = max(1, one.cost / (Double(workspace.fit.sampleCount) - Double(antennas) - 0.5))
    estimate.status = .ok
    estimate.isAtOrigin = one.direction != .zero
    let deviation = (used / 2 / one.curvature).squareRoot()
    append(
      delayTaps: Double(firstTap) + one.delay, deviation: deviation, variance: used, taps, into: &estimate,
      amplitude: { fit.amplitude(antenna: $0) },
      phaseVariance: { fit.takesPart($0) ? fit.phaseVariance(antenna: $0) : nil })
    workspace.solution = PulseFit.Solution(
      firstTap: firstTap, cost: one.cost, variance: 1, usedVariance: used, firstDeviation: deviation)
  }

  private func report(
    _ positions: UnsafeMutablePointer<ArrayPathFit.Position>, _ count: Int, _ settled: Bool, firstTap: Int,
    _ taps: [PreparedTaps], into estimate: inout ArrayEstimate, _ workspace: Workspace
  ) {
    let fit = workspace.fit
    guard let cost = fit.solve(positions, count: count), fit.differentiate(positions, count: count) else {
      estimate.status = .didNotConverge
      return
    }
    // Complex samples less complex amplitudes and real delays and shifts.
    let antennas = fit.amplitudesPerPath
    let unknowns = Double(count) * (Double(antennas) + 0.5) + (fit.hasFreeShifts ? Double(antennas - 1) / 2 : 0)
    let used = max(1, cost / (Double(fit.sampleCount) - unknowns))
    estimate.status = settled ? .ok : .didNotConverge
    estimate.isAtOrigin = positions[0].direction != .zero
    fit.invertCurvature(count: count)
    for path in 0..<count {
      append(
        delayTaps: Double(firstTap) + positions[path].delay,
        deviation: (used / 2 * fit.delayCovariance(path, path)).squareRoot(), variance: used, taps, into: &estimate,
        amplitude: { fit.amplitude(path, antenna: $0) },
        phaseVariance: { fit.takesPart($0) ? fit.phaseVariance(path, antenna: $0, count: count) : nil })
    }
    workspace.solution = PulseFit.Solution(
      firstTap: firstTap, cost: cost, variance: 1, usedVariance: used,
      firstDeviation: estimate.paths[0].deviationTaps)
  }

  /// Appends a path and its amplitudes; the first one's signal-to-noise ratio is the estimate's.
  ///
  /// - Parameters:
  ///   - variance: noise variance that the phase deviations are for.
  ///   - amplitude: on an antenna, in the CIR's units.
  ///   - phaseVariance: on an antenna, over σ²/2; `nil` for one that takes no part.
  private func append(
    delayTaps: Double, deviation: Double, variance: Double, _ taps: [PreparedTaps], into estimate: inout ArrayEstimate,
    amplitude: (Int) -> Complex<Double>, phaseVariance: (Int) -> Double?
  ) {
    var strongest = 0.0
    var first: Int?
    for antenna in 0..<estimate.antennaCount {
      let own = amplitude(antenna)
      estimate.amplitudes.append(own)
      guard let phaseVariance = phaseVariance(antenna) else {
        estimate.phaseDeviations.append(.infinity)
        continue
      }
      if first == nil { first = antenna }
      estimate.phaseDeviations.append((variance / 2 * phaseVariance).squareRoot())
      strongest = max(strongest, own.lengthSquared / taps[antenna].noiseVariance)
    }
    if estimate.paths.isEmpty { estimate.snrdB = 10 * Double.log10(max(strongest, .leastNormalMagnitude)) }
    let place = estimate.paths.count * estimate.antennaCount + (first ?? 0)
    estimate.paths.append(
      PathEstimate(
        delayTaps: delayTaps, amplitude: estimate.amplitudes[place], deviationTaps: deviation,
        phaseDeviation: estimate.phaseDeviations[place]))
  }
}
