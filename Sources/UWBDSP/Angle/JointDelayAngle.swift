import Numerics

/// What `JointDelayAngle` finds. Made once, then filled again for each CIR.
public struct JointEstimate: Sendable, Hashable {
  /// The same CIR with amplitudes free on each antenna: where the joint fit starts, and what it is held against.
  public var paths: ArrayEstimate
  /// The first path's direction and then those of the later paths, by delay.
  public var direction = DirectionEstimate()
  /// First path at the mean of the antennas' positions, taps on the first antenna's axis, and its standard deviation; `nil` without a
  /// path, or where the antennas do not see plane waves.
  public var delayTaps: Double?
  /// Standard deviation of the first path's delay, taps; `nil` where it is not known.
  public var deviationTaps: Double?
  /// Whether plane waves explain the antennas: else gains, positions or the kind of channel are others than thought, and the
  /// direction is `unusable`.
  public var isPlaneWave = false

  /// An empty estimate with memory for so many antennas.
  public init(antennaCount: Int = 0) {
    paths = ArrayEstimate(antennaCount: antennaCount)
    direction.sources.reserveCapacity(PathFit.mostPaths)
    direction.alternatives.reserveCapacity(JointDelayAngle.mostCandidates)
  }
}

/// Maximum likelihood of the delays and directions of several paths together, on the antennas × taps of one CIR.
///
///     minimise over τ_i, u_i, a_i:   Σ_m Σ_k |h_m[k] − Σ_i a_i·exp(+j·κ·p_m·u_i)·p(k − τ_i + p_m·u_i/c)|² / v_m
///
/// (Wax & Leshem, "Joint estimation of time delays and directions of arrival of multiple reflections of a known signal",
/// IEEE Trans. Signal Processing 45(10), 1997; the amplitudes by variable projection.)
///
/// `ArrayPulseFit` gives the number of paths and their delays. The directions start at the peaks of each path's amplitudes over
/// the array's response (`SteeringGrid`). A fit starts from each peak that may hold the first path's direction. Those that end
/// within e^(−7) of the best one's likelihood are `alternatives`, and the status is `ambiguous`. That happens with sparse
/// arrays, and with any near the ends of their range.
///
/// Two paths of one and a half taps apart from different directions cost each other far less here than where each antenna
/// is fitted by itself. Deviations are the joint Cramér–Rao bound (`JointBound`) at the solution.
///
/// Where the constraint costs more than noise explains (once in a million), antennas don't see plane waves of equal
/// strength, and `isPlaneWave` is false. `PhaseFit` on the amplitudes of `paths` still tells the direction then.
///
/// Cost: `ArrayPulseFit`'s and some 5 iterations of O(antennas·K²·window). Don't use it with arrays whose responses are not
/// known to a few degrees. Nor where each antenna has a chip of its own and the delay matters: their alignment raises the
/// delay's deviation.
public struct JointDelayAngle: Sendable, Hashable {
  /// The fit that finds the paths.
  public let fit: ArrayPulseFit
  /// The antennas: positions and patterns.
  public let array: AntennaArray

  /// An estimator with this fit for the paths and this array for the angles.
  public init(_ paths: PulseFit, array: AntennaArray, propagationSpeed: Double = UWB.speedOfLightInAir) {
    fit = ArrayPulseFit(paths, array: array, propagationSpeed: propagationSpeed)
    self.array = array
  }

  static let mostCandidates = 8
  /// Peaks below this share of the highest are not the first path's, noise aside.
  private static let peakShare = 0.85
  /// What noise may take from a peak, in noise variances of an amplitude.
  private static let peakNoise = 8.0

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    let paths: ArrayPulseFit.Workspace
    let grid: SteeringGrid
    fileprivate let steered: SteeredPathFit
    /// For one path that the free fit found alone.
    fileprivate let wave: OneWaveFit?
    private let ownSpectrum: AlignedBuffer<Float>
    /// The spectrum of the first path's amplitudes.
    fileprivate var spectrum: AlignedBuffer<Float> { paths.alone?.spectrum ?? ownSpectrum }
    fileprivate let snapshot: AlignedBuffer<Float>
    fileprivate let waves: AlignedBuffer<PlaneWave>
    fileprivate let start: AlignedBuffer<PlaneWave>
    fileprivate let best: AlignedBuffer<PlaneWave>
    fileprivate let peaks: AlignedBuffer<Int>
    /// Candidates for the first path's direction at the last estimate.
    let candidates: AlignedBuffer<DirectionCandidate>
    @exclusivity(unchecked) fileprivate(set) var candidateCount = 0

    fileprivate init(_ estimator: JointDelayAngle, tapCount: Int) {
      let antennas = estimator.array.positions.count
      paths = estimator.fit.makeWorkspace(tapCount: tapCount, antennaCount: antennas)
      grid = SteeringGrid.shared(estimator.array)
      let pulse = estimator.fit.paths
      steered = SteeredPathFit(
        grid, paths.fit.pulses, tapsPerMetre: 1 / (estimator.fit.propagationSpeed * pulse.receiver.tapSpacing))
      let geometry = steered
      wave = paths.single.map { OneWaveFit(geometry, $0, windowTaps: PulseFit.windowTaps) }
      ownSpectrum = grid.makeSpectrum()
      snapshot = AlignedBuffer(count: 2 * antennas, zero: 0)
      let none = PlaneWave(delay: 0, cosines: .zero)
      waves = AlignedBuffer(count: PathFit.mostPaths, zero: none)
      start = AlignedBuffer(count: PathFit.mostPaths, zero: none)
      best = AlignedBuffer(count: PathFit.mostPaths, zero: none)
      peaks = AlignedBuffer(count: JointDelayAngle.mostCandidates, zero: 0)
      candidates = AlignedBuffer(count: JointDelayAngle.mostCandidates, zero: .none)
    }
  }

  /// Memory for CIRs of at most `tapCount` taps, one for each thread.
  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  /// Fills `estimate` with what the antennas' taps hold; allocates nothing.
  ///
  /// - Parameters:
  ///   - taps: one for each antenna, all of one length.
  ///   - firstPathTaps: each chip's own first path, where each antenna has a chip of its own; `nil` for one chip.
  ///   - phases: what each antenna's receiver added to its phases, rad; `nil` for nothing.
  /// - Precondition: as many loaded taps as antennas, at least.
  public func estimate(
    _ taps: [PreparedTaps], firstPathTaps: [Double]? = nil, phases: [Double]? = nil,
    into estimate: inout JointEstimate, using workspace: Workspace
  ) {
    fit.estimate(
      taps, antennaCount: array.positions.count, firstPathTaps: firstPathTaps, phases: phases,
      into: &estimate.paths, using: workspace.paths)
    steer(into: &estimate, using: workspace)
  }

  /// The joint fit alone, once `workspace.paths` holds the free one.
  func steer(into estimate: inout JointEstimate, using workspace: Workspace) {
    estimate.delayTaps = nil
    estimate.deviationTaps = nil
    estimate.isPlaneWave = false
    estimate.direction.reset(.unusable)
    workspace.candidateCount = 0
    guard workspace.steered.dimensions > 0 else { return }
    if workspace.paths.alone != nil, let wave = workspace.wave {
      steer(into: &estimate, wave, using: workspace)
    } else {
      steer(into: &estimate, workspace.steered, using: workspace)
    }
  }

  private func steer<Model: PlaneWaveModel>(
    into estimate: inout JointEstimate, _ steered: Model, using workspace: Workspace
  ) {
    let free = workspace.paths.fit
    let count = estimate.paths.paths.count
    guard let solution = workspace.paths.solution, count > 0 else { return }
    for antenna in 0..<free.antennaCount where !free.takesPart(antenna) { return }
    let peaks = begin(estimate.paths, free, workspace)
    let (best, settled) = descend(peaks, count, steered, workspace)
    guard best.cost < .infinity, isPlane(best.cost, solution.cost, count, solution.usedVariance, workspace) else {
      return
    }

    let freedom = Double(free.sampleCount) - Double(count) * (1 + 0.5 * Double(1 + steered.dimensions))
    let used = max(1, best.cost / freedom)
    for index in 0..<workspace.candidateCount {
      workspace.candidates.pointer[index].covariance *= used / 2
      workspace.candidates.pointer[index].cost /= used
    }
    estimate.isPlaneWave = true
    estimate.direction.set(workspace.candidates.pointer, count: workspace.candidateCount, workspace.grid.geometry)
    if estimate.direction.status == .ok, !settled { estimate.direction.status = .didNotConverge }
    let waves = workspace.best.pointer
    // One descent has left all as it is needed.
    if peaks > 1 {
      guard steered.solve(waves, count: count) != nil, steered.differentiate(count: count) else { return }
    }
    for path in 1..<max(count, 1) {
      var later = candidate(waves[path], cost: 0, path: path, count: count, steered)
      later.covariance *= used / 2
      if let source = later.source(workspace.grid.geometry) { estimate.direction.sources.append(source) }
    }
    if free.hasFreeShifts {
      // The shifts were held: the free fit knows what they do to the delay.
      estimate.deviationTaps = estimate.paths.paths[0].deviationTaps
    } else {
      let variance = used / 2 * steered.covarianceColumn(0, of: 0, count: count).x
      estimate.deviationTaps = workspace.paths.withRefusedPath(variance).squareRoot()
    }
    estimate.delayTaps = Double(solution.firstTap) + waves[0].delay
  }

  /// Waves to start from, and the peaks of the first path's amplitudes: how many.
  private func begin(_ estimate: ArrayEstimate, _ free: ArrayPathFit, _ workspace: Workspace) -> Int {
    workspace.steered.load(free)
    let positions = workspace.paths.selection.positions
    let mean = workspace.steered.mean
    let spectrum = workspace.spectrum
    var weights = 0.0
    for antenna in 0..<free.antennaCount {
      let deviation = free.deviations.pointer[antenna]
      weights += 1 / (deviation * deviation)
    }
    // The first path last, so that the spectrum that stays is its own.
    for path in stride(from: estimate.paths.count - 1, through: 0, by: -1) {
      if let alone = workspace.paths.alone {
        workspace.peaks.pointer[0] = alone.peak
      } else {
        for antenna in 0..<free.antennaCount {
          let deviation = free.deviations.pointer[antenna]
          let value = estimate.amplitude(path: path, antenna: antenna).rawStorage
          workspace.snapshot.pointer[2 * antenna] = Float(value.x / (deviation * deviation))
          workspace.snapshot.pointer[2 * antenna + 1] = Float(value.y / (deviation * deviation))
        }
        workspace.peaks.pointer[0] = workspace.grid.evaluate(workspace.snapshot.pointer, into: spectrum)
      }
      // The free fit counts delays at the origin of the coordinates.
      workspace.start.pointer[path] = PlaneWave(
        delay: positions[path].delay - (mean * positions[path].direction).sum() * workspace.steered.tapsPerMetre,
        cosines: workspace.grid.vertex(of: workspace.peaks.pointer[0], in: spectrum))
    }
    let top = workspace.peaks.pointer[0]
    let level = Self.peakShare * Double(spectrum.pointer[top]) - Self.peakNoise * weights
    return workspace.grid.peaks(
      of: spectrum, above: Float(level), except: top, into: workspace.peaks, from: 1)
  }

  /// Descends from every peak; keeps the best waves and all places where descents end.
  private func descend<Model: PlaneWaveModel>(
    _ peaks: Int, _ count: Int, _ steered: Model, _ workspace: Workspace
  ) -> (best: DirectionCandidate, settled: Bool) {
    let waves = workspace.waves.pointer
    var best = DirectionCandidate.none
    var settled = false
    for peak in 0..<peaks {
      waves.update(from: workspace.start.pointer, count: count)
      waves[0].cosines = workspace.grid.vertex(of: workspace.peaks.pointer[peak], in: workspace.spectrum)
      var own = false
      var cost = steered.refine(waves, count: count, variance: 1, settled: &own)
      guard cost < .infinity else { continue }
      let length = (waves[0].cosines * waves[0].cosines).sum().squareRoot()
      let isBeyondEdge = length > 1
      if isBeyondEdge {
        waves[0].cosines /= length
        guard let held = steered.solve(waves, count: count), steered.differentiate(count: count) else {
          continue
        }
        cost = held
      }
      var candidate = candidate(waves[0], cost: cost, path: 0, count: count, steered)
      candidate.isBeyondEdge = isBeyondEdge
      if cost < best.cost {
        best = candidate
        settled = own
        workspace.best.pointer.update(from: waves, count: count)
      }
      keep(candidate, workspace)
    }
    return (best, settled)
  }

  /// Descents from neighbouring peaks end in one place.
  private func keep(_ candidate: DirectionCandidate, _ workspace: Workspace) {
    for index in 0..<workspace.candidateCount {
      let apart = workspace.candidates.pointer[index].cosines - candidate.cosines
      guard (apart * apart).sum() < workspace.grid.samePlace * workspace.grid.samePlace else { continue }
      if candidate.cost < workspace.candidates.pointer[index].cost { workspace.candidates.pointer[index] = candidate }
      return
    }
    workspace.candidates.pointer[workspace.candidateCount] = candidate
    workspace.candidateCount += 1
  }

  /// Covariance over σ²/2.
  private func candidate<Model: PlaneWaveModel>(
    _ wave: PlaneWave, cost: Double, path: Int, count: Int, _ steered: Model
  ) -> DirectionCandidate {
    var result = DirectionCandidate.none
    result.cosines = wave.cosines
    result.cost = cost
    let first = steered.covarianceColumn(1, of: path, count: count)
    if steered.dimensions == 1 {
      let axis = steered.axes.0
      result.covariance = first.y * SIMD3(axis.x * axis.x, axis.x * axis.y, axis.y * axis.y)
    } else {
      let second = steered.covarianceColumn(2, of: path, count: count)
      result.covariance = SIMD3(first.y, first.z, second.z)
    }
    return result
  }

  /// Free amplitudes have so many real numbers more than plane waves, each worth half a noise variance.
  private func isPlane(
    _ steered: Double, _ free: Double, _ count: Int, _ variance: Double, _ workspace: Workspace
  ) -> Bool {
    let numbers = Double(count * (2 * (workspace.paths.fit.antennaCount - 1) - workspace.steered.dimensions))
    return steered - free <= variance * (numbers / 2 + 6 * (numbers / 2).squareRoot() + 6)
  }
}
