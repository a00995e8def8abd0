/// Deterministic maximum likelihood: the directions that leave least of the data, any number of sources, coherent ones as well.
///
///     minimise over q_1 … q_K:  tr(P⊥_A(q)·R)
///
/// For one source this is Bartlett's beamformer. For several: a global start by alternating projection (Ziskind & Wax,
/// "Maximum likelihood localization of multiple sources by alternating projection", 1988), source by source on a grid, then all
/// coordinates at once by Newton's method with the Gauss–Newton Hessian 2·Re[(DᴴP⊥D) ⊙ (A†RA†ᴴ)ᵀ] (Viberg, Ottersten &
/// Kailath, "Detection and estimation in sensor arrays using weighted subspace fitting", 1991) and halved steps.
/// Reaches the deterministic bound with many antennas or high SNR, with one snapshot too; needs no averaging. Deviations:
/// the deterministic bound for several sources, the stochastic one for one.
///
/// Cost: M² products a grid point, twice, for each source and sweep (2–4 sweeps), then O(M²·K) for each of 3–8 Newton steps. Not
/// where the number of sources is unknown and coherent: the criteria of `SourceCount` can't count those.
public struct MaximumLikelihood: DirectionEstimator {
  private static let mostSweeps = 12
  private static let mostSteps = 40

  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// What all angle estimators share.
  public let options: DirectionOptions

  /// - Parameter options: averaging is taken as given; for maximum likelihood proper it has none.
  public init(
    array: AntennaArray,
    options: DirectionOptions = .init(averaging: .init(forwardBackward: false, subarrayCount: 1))
  ) {
    self.array = array
    self.options = options
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let shared: DirectionWorkspace
    fileprivate let projector: AlignedBuffer<Double>
    fileprivate let projected: AlignedBuffer<Double>
    fileprivate let denominators: AlignedBuffer<Double>
    fileprivate let points: AlignedBuffer<Int>
    fileprivate let start: AlignedBuffer<SIMD2<Double>>
    fileprivate let step: AlignedBuffer<Double>

    fileprivate init(_ shared: DirectionWorkspace) {
      self.shared = shared
      let square = 2 * shared.covariance.order * shared.covariance.order
      let limit = shared.geometry.limit
      projector = AlignedBuffer(count: square, zero: 0)
      projected = AlignedBuffer(count: square, zero: 0)
      denominators = AlignedBuffer(count: shared.grid?.padded ?? 0, zero: 0)
      points = AlignedBuffer(count: limit, zero: 0)
      start = AlignedBuffer(count: limit, zero: SIMD2())
      step = AlignedBuffer(count: limit * shared.manifold.dimensions, zero: 0)
    }
  }

  public func makeWorkspace(snapshotCount: Int) -> Workspace {
    var needs = DirectionWorkspace.Needs()
    needs.grid = options.sources.limit > 1
    if case .known = options.sources {} else { needs.subspace = true }
    return Workspace(
      DirectionWorkspace(array: array, options: options, snapshotCount: snapshotCount, needs: needs))
  }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace
  ) {
    let shared = workspace.shared
    guard shared.load(snapshots, into: &estimate) else { return }
    var count = shared.geometry.limit
    if let subspace = shared.subspace {
      guard subspace.decompose(shared.covariance, sources: options.sources) else { return }
      count = subspace.count
      shared.covariance.makeComplexFromReal()
    }
    if count == 1 {
      let size = 2 * shared.covariance.order * shared.covariance.order
      shared.form.pointer.update(from: shared.covariance.complex.pointer, count: size)
      let found = shared.search(scale: -1, count: 1, margin: .init(factor: 0.75, offset: 0))
      shared.report(found.count, status: found.settled ? .ok : .didNotConverge, bound: .stochastic, into: &estimate)
      return
    }
    guard let grid = shared.grid else { return }
    alternate(count, grid, workspace)
    let settled = descend(count, workspace)
    shared.report(count, status: settled ? .ok : .didNotConverge, bound: .deterministic, into: &estimate)
  }

  // MARK: Alternating projection

  private func alternate(_ count: Int, _ grid: ScanGrid, _ workspace: Workspace) {
    let points = workspace.points.pointer
    for source in 0..<count {
      points[source] = best(grid, others: 0..<source, leaving: -1, workspace)
    }
    for _ in 0..<Self.mostSweeps {
      var moved = false
      for source in 0..<count {
        let point = best(grid, others: 0..<count, leaving: source, workspace)
        moved = moved || point != points[source]
        points[source] = point
      }
      if !moved { break }
    }
    for source in 0..<count { workspace.shared.geometry.q.pointer[source] = grid.coordinates(points[source]) }
  }

  /// The grid point that explains most of what the other sources leave: aᴴP⊥RP⊥a/aᴴP⊥a.
  private func best(_ grid: ScanGrid, others: Range<Int>, leaving: Int, _ workspace: Workspace) -> Int {
    let shared = workspace.shared
    let geometry = shared.geometry
    let order = shared.manifold.count
    var count = 0
    for other in others where other != leaving {
      geometry.q.pointer[count] = grid.coordinates(workspace.points.pointer[other])
      count += 1
    }
    _ = geometry.load(count: count)
    let square = order * order
    let r = shared.covariance.complex.pointer
    let p = workspace.projector.pointer
    let b = workspace.projected.pointer
    let vector = shared.form.pointer
    // P⊥ column by column, then P⊥·R·P⊥: columns of P⊥·R, whose adjoint is projected again.
    for column in 0..<order {
      for row in 0..<order { (vector[row], vector[order + row]) = (row == column ? 1 : 0, 0) }
      geometry.project(vector)
      for row in 0..<order {
        p[column * order + row] = vector[row]
        p[square + column * order + row] = vector[order + row]
      }
      for row in 0..<order {
        (vector[row], vector[order + row]) = (r[column * order + row], r[square + column * order + row])
      }
      geometry.project(vector)
      // As a row of (P⊥R)ᴴ = R·P⊥.
      for row in 0..<order {
        b[row * order + column] = vector[row]
        b[square + row * order + column] = -vector[order + row]
      }
    }
    for column in 0..<order {
      for row in 0..<order {
        (vector[row], vector[order + row]) = (b[column * order + row], b[square + column * order + row])
      }
      geometry.project(vector)
      for row in 0..<order {
        b[column * order + row] = vector[row]
        b[square + column * order + row] = vector[order + row]
      }
    }
    grid.scan(b, scale: 1, into: grid.values.pointer, isRaw: false)
    grid.scan(p, scale: 1, into: workspace.denominators.pointer, isRaw: false)
    var result = 0
    var highest = -Double.infinity
    for point in 0..<grid.columns * grid.rows {
      let rest = workspace.denominators.pointer[point]
      // Nearer than this to another source there is nothing left to see; masked points are infinite.
      guard rest > 1e-3, rest < .infinity else { continue }
      let gain = grid.values.pointer[point] / rest
      if gain > highest { (result, highest) = (point, gain) }
    }
    return result
  }

  // MARK: Newton

  private func descend(_ count: Int, _ workspace: Workspace) -> Bool {
    let shared = workspace.shared
    let geometry = shared.geometry
    let r = UnsafePointer(shared.covariance.complex.pointer)
    let trace = shared.covariance.trace
    let dimensions = shared.manifold.dimensions
    let size = count * dimensions
    guard geometry.load(count: count) else { return false }
    var here = geometry.residualPower(r, trace: trace)
    for _ in 0..<Self.mostSteps {
      geometry.analyse(r, trace: trace, snapshots: shared.covariance.snapshotCount, noise: nil)
      geometry.makeNewtonStep(r)
      guard geometry.information.factorise(order: size) else { return false }
      let step = workspace.step.pointer
      for index in 0..<size { step[index] = -geometry.gradient.pointer[index] }
      geometry.information.solve(step, order: size)
      var promise = 0.0
      for index in 0..<size { promise -= step[index] * geometry.gradient.pointer[index] }
      // Less than a thousandth of a standard deviation away.
      if promise <= 1e-6 * max(here, 1e-14 * trace) / Double(shared.covariance.snapshotCount * shared.manifold.count) {
        return true
      }
      for source in 0..<count { workspace.start.pointer[source] = geometry.q.pointer[source] }
      var share = limit(step, count, workspace)
      var accepted = false
      for _ in 0..<20 {
        for source in 0..<count {
          let first = step[source * dimensions] * share
          let second = dimensions == 2 ? step[source * dimensions + 1] * share : 0
          geometry.q.pointer[source] =
            shared.grid?.clamped(
              workspace.start.pointer[source] + SIMD2(first, second)) ?? SIMD2()
        }
        if geometry.load(count: count) {
          let there = geometry.residualPower(r, trace: trace)
          if there < here {
            here = there
            accepted = true
            break
          }
        }
        share *= 0.5
      }
      if !accepted {
        for source in 0..<count { geometry.q.pointer[source] = workspace.start.pointer[source] }
        _ = geometry.load(count: count)
        // Rounding keeps the criterion from falling: as near as it gets.
        return promise <= 1e-9 * trace
      }
    }
    return false
  }

  /// At most one grid step in any coordinate.
  private func limit(_ step: UnsafePointer<Double>, _ count: Int, _ workspace: Workspace) -> Double {
    guard let grid = workspace.shared.grid else { return 1 }
    let dimensions = workspace.shared.manifold.dimensions
    var most = 1.0
    for source in 0..<count {
      most = max(most, abs(step[source * dimensions]) / grid.step.x)
      if dimensions == 2 { most = max(most, abs(step[source * dimensions + 1]) / grid.step.y) }
    }
    return 1 / most
  }
}
