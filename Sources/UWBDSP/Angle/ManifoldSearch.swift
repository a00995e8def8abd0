import UWBPlatform

/// Direction from phase differences alone, through a measured manifold: for boards whose chip hands over phases and no
/// CIR, and whose antennas do not respond as the ideal plane wave would have it.
///
/// The misfit of a direction x is the negative logarithm of its likelihood,
///
///     J(x) = Σ_c [ wrap(φ_c − μ_c(x))² / (2·v_c(x)) + ½·ln v_c(x) ]
///
/// with μ_c and v_c from the `PhaseManifold`. It is computed on a grid over the whole table; the best cell and the cells
/// within `basin` of it give the direction as their mean weighted by exp(−J), which lies between the cells, and its
/// standard deviation. (The mean over all directions would fall between twins, where nothing is.) What exp(−J) gathers
/// further away than `separation` is another candidate: where it holds more than `ambiguity` of the sum of both, the
/// status is `ambiguous` and the candidate an alternative.
///
/// Source: maximum a posteriori with a flat prior, and a grid as in any point-mass filter (R. S. Bucy, K. D. Senne,
/// "Digital synthesis of non-linear filters", Automatica 7, 1971). Cost: cells × differences; 121 × 121 cells and two
/// differences 0.1 ms. Not for arrays whose CIRs are there: their amplitudes say more than phases.
///
/// As many differences as angles can always be explained exactly somewhere: a reflection that bends the phases gives
/// another direction, not a bad fit.
public struct ManifoldSearch: Sendable {
  /// Settings of a search.
  public struct Settings: Sendable, Hashable {
    /// rad between cells of the grid
    public var step: Double
    /// rad: cells so near the best one make up its direction
    public var basin: Double
    /// rad: candidates at least so far apart are two
    public var separation: Double
    /// Share of the second candidate from which on it is offered, 0 … 0.5.
    public var ambiguity: Double

    /// Creates one with the given values.
    public init(
      step: Double = .pi / 180, basin: Double = 12 * .pi / 180, separation: Double = 15 * .pi / 180,
      ambiguity: Double = 0.15
    ) {
      self.step = step
      self.basin = basin
      self.separation = separation
      self.ambiguity = ambiguity
    }
  }

  /// Of all weight, cells below exp(−`depth`) of the best hold nothing that counts.
  private static let depth = 30.0
  /// Misfit per difference, in squared deviations, that chance exceeds once in ten thousand.
  private static let unlikely = 15.0

  /// The manifold that is searched.
  public let manifold: PhaseManifold
  /// Settings of the search.
  public let settings: Settings
  /// What the grid's standard deviations are multiplied by.
  public let deviationScale: SIMD2<Double>
  /// rad², of each difference: what the board in use may differ by from the manifold's.
  public let boardVariance: Double
  private let azimuths: PhaseManifold.Axis
  private let elevations: PhaseManifold.Axis
  /// By difference, then cell.
  private let phases: [Double]
  private let weights: [Double]
  /// ½·Σ ln v, by cell.
  private let constants: [Double]

  /// - Precondition: a valid manifold.
  public init(
    manifold: PhaseManifold, deviationScale: SIMD2<Double> = SIMD2(1, 1), boardVariance: Double = 0,
    settings: Settings = Settings()
  ) {
    precondition(manifold.isValid, "\(manifold.channels.count) phase differences are no valid manifold")
    self.manifold = manifold
    self.settings = settings
    self.deviationScale = deviationScale
    self.boardVariance = boardVariance
    azimuths = Self.cells(manifold.azimuth, settings.step)
    elevations = Self.cells(manifold.elevation, settings.step)
    let count = azimuths.count * elevations.count
    var phases: [Double] = []
    var weights: [Double] = []
    var constants = Array(repeating: 0.0, count: count)
    phases.reserveCapacity(count * manifold.channels.count)
    weights.reserveCapacity(count * manifold.channels.count)
    for channel in manifold.channels.indices {
      for row in 0..<elevations.count {
        for column in 0..<azimuths.count {
          let (phase, variance) = manifold.response(
            channel: channel, azimuth: azimuths.start + Double(column) * azimuths.step,
            elevation: elevations.start + Double(row) * elevations.step)
          phases.append(phase)
          weights.append(1 / variance)
          constants[row * azimuths.count + column] += 0.5 * log(variance)
        }
      }
    }
    self.phases = phases
    self.weights = weights
    self.constants = constants
  }

  private static func cells(_ axis: PhaseManifold.Axis, _ step: Double) -> PhaseManifold.Axis {
    guard axis.count > 1 else { return axis }
    let intervals = Int((axis.end - axis.start) / step - 1e-9, rounded: .up, within: 1...PhaseManifold.Axis.mostNodes)
    return PhaseManifold.Axis(
      start: axis.start, step: (axis.end - axis.start) / Double(intervals), count: intervals + 1)
  }

  /// Memory for one thread.
  public final class Workspace {
    fileprivate let misfits: AlignedBuffer<Double>
    fileprivate let count: Int

    fileprivate init(count: Int) {
      self.count = count
      misfits = AlignedBuffer(count: count, zero: 0)
    }
  }

  /// Allocates everything that a calculation needs.
  public func makeWorkspace() -> Workspace { Workspace(count: constants.count) }

  /// - Parameters:
  ///   - differences: rad, one for each of the manifold's channels; whole turns do not matter.
  ///   - estimate: receives one source, or none and `unusable` where a difference is not finite.
  /// - Precondition: one difference for each channel; a workspace of this search.
  public func estimate(_ differences: [Double], into estimate: inout DirectionEstimate, using workspace: Workspace) {
    precondition(
      differences.count == manifold.channels.count && workspace.count == constants.count,
      "\(manifold.channels.count) channels × \(constants.count) cells got \(differences.count) differences and a "
        + "workspace for \(workspace.count) cells")
    estimate.reset(.unusable)
    for index in differences.indices where !(abs(differences[index]) < 1e6) { return }
    let best = fillMisfits(differences, workspace.misfits.pointer)
    let candidate = gather(round: best, apartFrom: nil, lowest: workspace.misfits.pointer[best], workspace)
    let excess = squaredDeviations(differences, cell: best) / Self.unlikely / Double(differences.count)
    estimate.sources.append(source(candidate, stretch: max(1, excess.squareRoot())))
    estimate.status = excess > 1 && isAtEdge(best) ? .outsideFieldOfView : .ok
    guard let other = bestCell(apartFrom: best, workspace) else { return }
    let second = gather(round: other, apartFrom: best, lowest: workspace.misfits.pointer[best], workspace)
    if second.mass > settings.ambiguity * (candidate.mass + second.mass) {
      estimate.alternatives.append(source(second, stretch: max(1, excess.squareRoot())))
      if estimate.status == .ok { estimate.status = .ambiguous }
    }
  }

  private struct Candidate {
    var mass = 0.0
    var azimuth = 0.0
    var elevation = 0.0
    var azimuthVariance = 0.0
    var elevationVariance = 0.0
  }

  /// Misfit of every cell; returns the best one.
  private func fillMisfits(_ differences: [Double], _ misfits: UnsafeMutablePointer<Double>) -> Int {
    let count = constants.count
    let turn = 2 * Double.pi
    constants.withUnsafeBufferPointer { constants in
      for cell in 0..<count { misfits[cell] = constants[cell] }
    }
    phases.withUnsafeBufferPointer { phases in
      weights.withUnsafeBufferPointer { weights in
        for channel in differences.indices {
          let phase = differences[channel]
          let start = channel * count
          for cell in 0..<count {
            let away = phase - phases[start + cell]
            let wrapped = away - turn * (away / turn).rounded()
            misfits[cell] += 0.5 * wrapped * wrapped * weights[start + cell]
          }
        }
      }
    }
    var best = 0
    for cell in 1..<max(count, 1) where misfits[cell] < misfits[best] { best = cell }
    return best
  }

  private func squaredDeviations(_ differences: [Double], cell: Int) -> Double {
    var sum = 0.0
    for channel in differences.indices {
      let index = channel * constants.count + cell
      let away = differences[channel] - phases[index]
      let wrapped = away - 2 * .pi * (away / (2 * .pi)).rounded()
      sum += wrapped * wrapped * weights[index]
    }
    return sum
  }

  private func angles(_ cell: Int) -> (azimuth: Double, elevation: Double) {
    (
      azimuths.start + Double(cell % azimuths.count) * azimuths.step,
      elevations.start + Double(cell / azimuths.count) * elevations.step
    )
  }

  private func isAtEdge(_ cell: Int) -> Bool {
    let (column, row) = (cell % azimuths.count, cell / azimuths.count)
    return azimuths.count > 1 && (column == 0 || column == azimuths.count - 1)
      || elevations.count > 1 && (row == 0 || row == elevations.count - 1)
  }

  /// Columns and rows of the cells within `radius` of a cell's row and column.
  private func window(round cell: Int, _ radius: Double) -> (columns: Range<Int>, rows: Range<Int>) {
    func range(_ centre: Int, _ axis: PhaseManifold.Axis) -> Range<Int> {
      let reach = axis.count > 1 ? Int(radius / axis.step, within: 0...axis.count) : 0
      return max(0, centre - reach)..<min(axis.count, centre + reach + 1)
    }
    return (range(cell % azimuths.count, azimuths), range(cell / azimuths.count, elevations))
  }

  /// Mass within `separation` of `cell`, mean and variance within `basin`; cells near `other` belong to that.
  private func gather(round cell: Int, apartFrom other: Int?, lowest: Double, _ workspace: Workspace) -> Candidate {
    let centre = angles(cell)
    let excluded = other.map { angles($0) }
    let near = settings.separation * settings.separation
    let basin = settings.basin * settings.basin
    let window = window(round: cell, settings.separation)
    var result = Candidate()
    var inside = 0.0
    for row in window.rows {
      let up = elevations.start + Double(row) * elevations.step
      for column in window.columns {
        let misfit = workspace.misfits.pointer[row * azimuths.count + column] - lowest
        guard misfit < Self.depth else { continue }
        let right = azimuths.start + Double(column) * azimuths.step
        let (x, y) = (right - centre.azimuth, up - centre.elevation)
        let distance = x * x + y * y
        guard distance <= near else { continue }
        if let excluded {
          let (a, b) = (right - excluded.azimuth, up - excluded.elevation)
          guard a * a + b * b > near else { continue }
        }
        let weight = exp(-misfit)
        result.mass += weight
        guard distance <= basin else { continue }
        inside += weight
        result.azimuth += weight * x
        result.elevation += weight * y
        result.azimuthVariance += weight * x * x
        result.elevationVariance += weight * y * y
      }
    }
    guard inside > 0 else { return result }
    let (x, y) = (result.azimuth / inside, result.elevation / inside)
    // A cell stands for its whole area: step²/12.
    result.azimuthVariance = max(0, result.azimuthVariance / inside - x * x) + azimuths.step * azimuths.step / 12
    result.elevationVariance =
      max(0, result.elevationVariance / inside - y * y) + elevations.step * elevations.step / 12
    result.azimuth = centre.azimuth + x
    result.elevation = centre.elevation + y
    return result
  }

  /// The best cell further than `separation` from `cell`, where it holds anything.
  private func bestCell(apartFrom cell: Int, _ workspace: Workspace) -> Int? {
    let centre = angles(cell)
    let near = settings.separation * settings.separation
    let misfits = workspace.misfits.pointer
    var best: Int?
    var lowest = misfits[cell] + Self.depth
    for other in 0..<constants.count where misfits[other] < lowest {
      let place = angles(other)
      let (x, y) = (place.azimuth - centre.azimuth, place.elevation - centre.elevation)
      guard x * x + y * y > near else { continue }
      lowest = misfits[other]
      best = other
    }
    return best
  }

  private func source(_ candidate: Candidate, stretch: Double) -> SourceDirection {
    let hasAzimuth = azimuths.count > 1
    let hasElevation = elevations.count > 1
    let board = boardVariances(candidate)
    func deviation(_ variance: Double, _ scale: Double, _ board: Double) -> Double {
      let own = scale * stretch
      return SourceDirection.stated((variance * own * own + board).squareRoot())
    }
    return SourceDirection(
      direction: Direction.unitVector(azimuth: candidate.azimuth, elevation: candidate.elevation),
      azimuth: hasAzimuth ? candidate.azimuth : nil,
      azimuthDeviation: hasAzimuth ? deviation(candidate.azimuthVariance, deviationScale.x, board.x) : nil,
      elevation: hasElevation ? candidate.elevation : nil,
      elevationDeviation: hasElevation ? deviation(candidate.elevationVariance, deviationScale.y, board.y) : nil)
  }

  /// Half the width over which slopes of the phases are taken, and the angle that no board errs by more than, rad.
  private static let slopeReach = 3 * Double.pi / 180
  private static let widest = Double.pi / 3

  /// Variances of azimuth and elevation, rad², that `boardVariance` of each difference makes: the diagonal of
  /// (JᵀJ/v + I/w²)⁻¹, J the slopes of the phases, w the widest angle.
  private func boardVariances(_ candidate: Candidate) -> SIMD2<Double> {
    guard boardVariance > 0 else { return .zero }
    let reach = Self.slopeReach
    var (a, b, c) = (boardVariance / (Self.widest * Self.widest), 0.0, 0.0)
    c = a
    for channel in manifold.channels.indices {
      func phase(_ x: Double, _ y: Double) -> Double {
        manifold.response(channel: channel, azimuth: candidate.azimuth + x, elevation: candidate.elevation + y).phase
      }
      // At the table's edge the phases stand still beyond it: the slope of the side within is that of a half width.
      func slope(_ axis: PhaseManifold.Axis, _ angle: Double, _ difference: Double) -> Double {
        let width = min(angle + reach, axis.end) - max(angle - reach, axis.start)
        return axis.count > 1 && width > 1e-9 ? difference / width : 0
      }
      let x = slope(azimuths, candidate.azimuth, phase(reach, 0) - phase(-reach, 0))
      let y = slope(elevations, candidate.elevation, phase(0, reach) - phase(0, -reach))
      a += x * x
      b += x * y
      c += y * y
    }
    let determinant = a * c - b * b
    return SIMD2(c, a) * boardVariance / determinant
  }
}

extension ManifoldSearch: Hashable {
  public static func == (left: ManifoldSearch, right: ManifoldSearch) -> Bool {
    left.manifold == right.manifold && left.settings == right.settings
      && left.deviationScale == right.deviationScale && left.boardVariance == right.boardVariance
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(manifold)
    hasher.combine(settings)
    hasher.combine(deviationScale)
    hasher.combine(boardVariance)
  }
}
