import UWBPlatform

/// Memory of one snapshot estimator on one thread, and the steps that they share.
public final class DirectionWorkspace {
  let options: DirectionOptions
  /// Of the array, or of the subarray that smoothing leaves.
  let manifold: Manifold
  package let covariance: SampleCovariance
  package let geometry: SourceGeometry
  /// The spectrum of a uniform row; `nil` for other arrays.
  package let row: TrigonometricSpectrum?
  /// The grid of other arrays, and of those who ask for it.
  let grid: ScanGrid?
  package let subspace: SubspaceSplit?
  /// Where the covariance is made in its real form.
  private let rowSources: RowSources?
  /// A Hermitian matrix by columns, real parts and then imaginary parts.
  package let form: AlignedBuffer<Double>
  private let order: AlignedBuffer<Int>

  /// Most directions that are looked at as alternatives.
  static let alternativeLimit = 8

  /// What an estimator needs.
  package struct Needs {
    var subspace: Bool
    var spectrum: Bool
    var grid: Bool

    /// - Parameter grid: a grid even where the row has a spectrum.
    package init(subspace: Bool = false, spectrum: Bool = true, grid: Bool = false) {
      self.subspace = subspace
      self.spectrum = spectrum
      self.grid = grid
    }
  }

  package init(array: AntennaArray, options: DirectionOptions, snapshotCount: Int, needs: Needs) {
    self.options = options
    let whole = Manifold(array)
    covariance = SampleCovariance(
      array: array, manifold: whole, averaging: options.averaging, isReal: needs.subspace, snapshotLimit: snapshotCount)
    if covariance.order == whole.count {
      manifold = whole
    } else {
      let part = covariance.order
      manifold = Manifold(
        AntennaArray(
          positions: Array(array.positions.prefix(part)), carrier: array.carrier,
          gains: Array(array.gains.prefix(part)), patterns: Array(array.patterns.prefix(1))))
    }
    let limit = min(options.sources.limit, max(covariance.order - 1, 1))
    geometry = SourceGeometry(manifold: manifold, limit: limit)
    let minima = max(limit, Self.alternativeLimit) + 1
    let isUniform = manifold.rowStep != 0
    row =
      isUniform && needs.spectrum
      ? TrigonometricSpectrum(
        order: manifold.count, extent: abs(manifold.rowStep) * sin(min(options.fieldOfView, .pi / 2)),
        minimumLimit: minima) : nil
    grid =
      (!isUniform && needs.spectrum) || needs.grid
      ? ScanGrid(manifold: manifold, fieldOfView: options.fieldOfView, minimumLimit: minima) : nil
    subspace =
      needs.subspace ? SubspaceSplit(order: covariance.order, limit: limit, isReal: covariance.isReal) : nil
    rowSources = covariance.isReal ? RowSources(order: covariance.order, step: manifold.rowStep) : nil
    form = AlignedBuffer(count: 2 * covariance.order * covariance.order, zero: 0)
    order = AlignedBuffer(count: limit, zero: 0)
  }

  /// Loads snapshots; says why where they are of no use.
  package func load(_ snapshots: Snapshots, into estimate: inout DirectionEstimate) -> Bool {
    estimate.reset(.unusable)
    guard manifold.count >= 2 && manifold.aperture > 1e-6 else { return false }
    return covariance.load(snapshots)
  }

  /// Finds the lowest minima of scale·aᴴ·`form`·a and hands their coordinates to the geometry.
  ///
  /// - Parameter margin: with one source, which other minima are worth a look.
  /// - Returns: how many there are, and whether their refinements settled.
  package func search(scale: Double, count: Int, margin: ScanGrid.Margin) -> (count: Int, settled: Bool) {
    if let row {
      row.load(form.pointer, scale: scale)
      return takeRowMinima(count)
    }
    guard let grid else { return (0, false) }
    grid.findMinima(
      form.pointer, scale: scale, count: count == 1 ? Self.alternativeLimit : count, margin: count == 1 ? margin : nil)
    let found = min(grid.minimumCount, count)
    for index in 0..<found { geometry.q.pointer[index] = grid.minima.pointer[index].q }
    return (found, grid.hasSettled)
  }

  func takeRowMinima(_ count: Int) -> (count: Int, settled: Bool) {
    guard let row else { return (0, false) }
    row.findMinima(count)
    for index in 0..<row.minimumCount {
      geometry.q.pointer[index] = SIMD2(row.minima.pointer[index].x / manifold.rowStep, 0)
    }
    return (row.minimumCount, row.hasSettled)
  }

  /// Takes a phase from one antenna of a row to the next as the coordinate of a source.
  ///
  /// - Returns: whether a direction in the field of view has that phase; else the source lies at its edge.
  package func take(rowPhase angle: Double, as source: Int) -> Bool {
    let limit = row?.limit ?? .infinity
    let isInside = !(abs(angle) > limit)
    geometry.q.pointer[source] = SIMD2((isInside ? angle : angle < 0 ? -limit : limit) / manifold.rowStep, 0)
    return isInside
  }

  /// Reports what a search for `wanted` minima has found.
  package func report(
    _ found: (count: Int, settled: Bool), of wanted: Int, bound: SourceGeometry.Bound,
    into estimate: inout DirectionEstimate
  ) {
    report(
      found.count, status: found.settled && found.count == wanted ? .ok : .didNotConverge, bound: bound, into: &estimate
    )
  }

  /// Writes the geometry's `count` coordinates as results, strongest first, with deviations and alternatives.
  package func report(
    _ count: Int, status: DirectionStatus, bound: SourceGeometry.Bound, into estimate: inout DirectionEstimate
  ) {
    let (kept, hasVariances) =
      if bound == .subspace, let rowSources, count <= RowSources.limit {
        analyseRow(count, rowSources)
      } else {
        analyse(count, bound)
      }
    guard kept > 0 else { return }
    estimate.status = kept == count ? status : .didNotConverge
    sortByPower(kept)
    let size = kept * manifold.dimensions
    for place in 0..<kept {
      let source = order.pointer[place]
      estimate.sources.append(self.source(geometry.q.pointer[source], source, size, hasVariances))
    }
    let first = order.pointer[0]
    if isBeyondField(geometry.q.pointer[first]) && estimate.status == .ok { estimate.status = .outsideFieldOfView }
    if manifold.rowStep != 0 {
      addAliases(first, size, hasVariances, &estimate)
    } else if kept == 1, let grid, grid.minimumCount > 1 {
      addAlternatives(grid, &estimate)
    }
  }

  /// Powers and variances of the first `count` sources. Those that fell together can't be told apart: fewer are kept.
  private func analyse(_ count: Int, _ bound: SourceGeometry.Bound) -> (kept: Int, hasVariances: Bool) {
    covariance.makeComplexFromReal()
    var kept = count
    while kept > 0, !geometry.load(count: kept) { kept -= 1 }
    guard kept > 0 else { return (0, false) }
    let isKnown = geometry.analyse(
      covariance.complex.pointer, trace: covariance.trace, snapshots: covariance.snapshotCount,
      noise: covariance.noiseVariance)
    return (kept, isKnown && geometry.makeVariances(bound, snapshots: covariance.snapshotCount))
  }

  /// As `analyse`, without a complex matrix.
  private func analyseRow(_ count: Int, _ sources: RowSources) -> (kept: Int, hasVariances: Bool) {
    for kept in stride(from: count, to: 0, by: -1) {
      guard let known = sources.measure(covariance, cosines: geometry.q.pointer, count: kept) else { continue }
      geometry.take(known, count: kept)
      return (kept, known.variances != nil)
    }
    return (0, false)
  }

  private func source(_ q: SIMD2<Double>, _ index: Int, _ size: Int, _ isKnown: Bool) -> SourceDirection {
    guard isKnown else { return manifold.source(q, xx: .infinity, yy: .infinity, xy: 0) }
    let v = geometry.variances.pointer
    let place = index * manifold.dimensions
    guard manifold.dimensions == 2 else { return manifold.source(q, xx: v[place * size + place], yy: 0, xy: 0) }
    return manifold.source(
      q, xx: v[place * size + place], yy: v[(place + 1) * size + place + 1], xy: v[place * size + place + 1])
  }

  private func sortByPower(_ count: Int) {
    for index in 0..<count {
      let power = geometry.powers.pointer[index * (geometry.limit + 1)].x
      var place = index
      while place > 0, geometry.powers.pointer[order.pointer[place - 1] * (geometry.limit + 1)].x < power {
        order.pointer[place] = order.pointer[place - 1]
        place -= 1
      }
      order.pointer[place] = index
    }
  }

  private func isBeyondField(_ q: SIMD2<Double>) -> Bool {
    if let row { return row.limit < .pi && abs(q.x * manifold.rowStep) >= row.limit * (1 - 1e-9) }
    if let grid { return grid.isAtEdge(q) }
    return manifold.isBeyondEdge(q)
  }

  /// A uniform row can't tell cosines 2π/(k·d) apart. Others inside the field of view are named, nearest to broadside
  /// first; one just beyond the edge is named where noise may have pushed it there.
  private func addAliases(_ first: Int, _ size: Int, _ isKnown: Bool, _ estimate: inout DirectionEstimate) {
    let period = 2 * Double.pi / abs(manifold.rowStep)
    let half = sin(min(options.fieldOfView, .pi / 2))
    let cosine = geometry.q.pointer[first].x
    guard period < 2 * half + 1, isKnown else { return }
    let place = first * manifold.dimensions
    let deviation = geometry.variances.pointer[place * size + place].squareRoot()
    let slack = deviation * (2 * log(options.likelihoodRatio)).squareRoot()
    for turn in 1..<(Int(2 / period, within: 0...EngineLimits.wholeTurns) + 2) {
      for side in 0..<2 {
        let other = cosine + (side == 0 ? -period : period) * Double(turn)
        guard abs(other) <= half + slack else { continue }
        estimate.alternatives.append(source(SIMD2(min(max(other, -half), half), 0), first, size, true))
      }
    }
    if !estimate.alternatives.isEmpty && estimate.status == .ok { estimate.status = .ambiguous }
  }

  /// Other minima whose likelihood is near that of the best one. Exact twins: nearest to broadside first.
  private func addAlternatives(_ grid: ScanGrid, _ estimate: inout DirectionEstimate) {
    let matrix = UnsafePointer(covariance.complex.pointer)
    let noise = max(geometry.noise, 1e-30)
    let scale = Double(covariance.snapshotCount) / noise
    let best = scale * grid.value(matrix, scale: 1, at: geometry.q.pointer[0])
    let chosen = geometry.q.pointer[0]
    for index in 1..<grid.minimumCount {
      let q = grid.minima.pointer[index].q
      let likelihood = scale * grid.value(matrix, scale: 1, at: q)
      guard best - likelihood <= log(options.likelihoodRatio) else { continue }
      geometry.q.pointer[0] = q
      guard geometry.load(count: 1) else { continue }
      let isKnown = geometry.analyse(
        matrix, trace: covariance.trace, snapshots: covariance.snapshotCount, noise: noise)
      let hasVariances = isKnown && geometry.makeVariances(.stochastic, snapshots: covariance.snapshotCount)
      let other = source(q, 0, manifold.dimensions, hasVariances)
      // Equal by nature, not by chance: the one nearer to broadside comes first.
      if abs(likelihood - best) <= 1e-9 * abs(best), let first = estimate.sources.first,
        broadside(other.direction) > broadside(first.direction) + 1e-9
      {
        estimate.alternatives.append(first)
        estimate.sources[0] = other
      } else {
        estimate.alternatives.append(other)
      }
    }
    geometry.q.pointer[0] = chosen
    if !estimate.alternatives.isEmpty && estimate.status == .ok { estimate.status = .ambiguous }
  }

  private func broadside(_ direction: SIMD3<Double>) -> Double { (direction * manifold.outward).sum() }
}
