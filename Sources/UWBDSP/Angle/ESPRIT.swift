import UWBPlatform

/// Unitary ESPRIT: directions on a uniform row from how the signal subspace turns from one antenna to the next, without a
/// search.
///
///     K_1·E_s·Υ = K_2·E_s by total least squares,   k·d·cos θ_i = 2·atan(ω_i), ω_i the eigenvalues of Υ
///
/// E_s real, from the forward–backward averaged covariance in its real form; K_1, K_2 the real and imaginary part of
/// Q_{M−1}ᴴ·J_2·Q_M (Roy & Kailath, "ESPRIT", 1989; Haardt & Nossek, "Unitary ESPRIT", 1995). Its error comes from the row's
/// ends alone: with one source and M antennas its variance is M·(M + 1)/(6·(M − 1)) times the bound (Rao & Hari 1989), 1.7 for
/// M = 8; the deviations of several sources take the same factor over MUSIC's. Cost: M²·N, the eigenproblem, (2K)³. Not for
/// arrays other than uniform rows, nor where accuracy counts more than a few microseconds.
public struct ESPRIT: DirectionEstimator {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// What all angle estimators share.
  public let options: DirectionOptions

  /// Whether the array is what this method needs: antennas in a uniform row of equal gains.
  public static func fits(_ array: AntennaArray) -> Bool { Manifold(array).rowStep != 0 }

  /// - Parameter options: forward–backward averaging is always used.
  /// - Precondition: `fits(array)`.
  public init(array: AntennaArray, options: DirectionOptions = .init()) {
    precondition(Self.fits(array), "ESPRIT needs a uniform row; \(array.positions.count) antennas stand otherwise")
    self.array = array
    self.options = options
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let shared: DirectionWorkspace
    /// K_1·E_s and K_2·E_s, column by column.
    fileprivate let pair: AlignedBuffer<Double>
    fileprivate let stacked: SymmetricEigenvectors
    fileprivate let equations: LinearEquations
    fileprivate let rotation: GeneralEigenvalues

    fileprivate init(_ shared: DirectionWorkspace) {
      self.shared = shared
      let limit = shared.geometry.limit
      pair = AlignedBuffer(count: 2 * (shared.covariance.order - 1) * limit, zero: 0)
      stacked = SymmetricEigenvectors(capacity: 2 * limit)
      equations = LinearEquations(capacity: limit)
      rotation = GeneralEigenvalues(capacity: limit)
      // The first call of a LAPACK routine costs a hundred times the second.
      rotation.matrix.pointer[0] = 1
      _ = rotation.runReal(order: 1)
      equations.matrix.pointer[0] = 1
      _ = equations.solve(order: 1, sideCount: 1)
    }
  }

  public func makeWorkspace(snapshotCount: Int) -> Workspace {
    var averaged = options
    averaged.averaging.forwardBackward = true
    return Workspace(
      DirectionWorkspace(
        array: array, options: averaged, snapshotCount: snapshotCount, needs: .init(subspace: true)))
  }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace
  ) {
    let shared = workspace.shared
    guard shared.load(snapshots, into: &estimate), let subspace = shared.subspace, let row = shared.row,
      subspace.decompose(shared.covariance, sources: options.sources)
    else { return }
    makePair(subspace, workspace)
    let count = subspace.count
    guard solve(count, rows: subspace.order - 1, workspace) else {
      estimate.status = .didNotConverge
      return
    }
    let step = shared.manifold.rowStep
    var isInside = true
    for index in 0..<count {
      var angle = 2 * atan(workspace.rotation.values.pointer[index])
      if abs(angle) > row.limit {
        angle = angle < 0 ? -row.limit : row.limit
        isInside = false
      }
      shared.geometry.q.pointer[index] = SIMD2(angle / step, 0)
    }
    shared.report(count, status: isInside ? .ok : .outsideFieldOfView, bound: .subspace, into: &estimate)
    widen(&estimate, order: subspace.order)
  }

  /// Each signal's vector without its first antenna, in the real form of a row of M − 1.
  private func makePair(_ subspace: SubspaceSplit, _ workspace: Workspace) {
    let order = subspace.order
    let rows = order - 1
    let half = rows / 2
    let shift = rows - half
    let root = 0.5.squareRoot()
    for signal in 0..<subspace.count {
      let x = subspace.signals.pointer + 2 * order * signal + 1
      let y = x + order
      let first = workspace.pair.pointer + rows * signal
      let second = workspace.pair.pointer + rows * (workspace.shared.geometry.limit + signal)
      for index in 0..<half {
        let mirror = rows - 1 - index
        first[index] = root * (x[index] + x[mirror])
        second[index] = root * (y[index] + y[mirror])
        first[shift + index] = root * (y[index] - y[mirror])
        second[shift + index] = root * (x[mirror] - x[index])
      }
      if rows % 2 == 1 {
        first[half] = x[half]
        second[half] = y[half]
      }
    }
  }

  /// Υ by total least squares, its eigenvalues into `rotation.values`.
  private func solve(_ count: Int, rows: Int, _ workspace: Workspace) -> Bool {
    let limit = workspace.shared.geometry.limit
    let size = 2 * count
    func column(_ index: Int) -> UnsafeMutablePointer<Double> {
      workspace.pair.pointer + rows * (index < count ? index : limit + index - count)
    }
    let gram = workspace.stacked.matrix.pointer
    for right in 0..<size {
      for left in 0...right {
        var sum = 0.0
        let (a, b) = (column(left), column(right))
        for index in 0..<rows { sum += a[index] * b[index] }
        gram[right * size + left] = sum
      }
    }
    let values = workspace.rotation.values.pointer
    if count == 1 {
      // The smaller eigenvector (a, b) of the 2 × 2 matrix [xx, xy; xy, yy] gives ω = −a/b.
      let (xx, xy, yy) = (gram[0], gram[2], gram[3])
      let half = 0.5 * (yy - xx)
      let root = (half * half + xy * xy).squareRoot()
      guard root > 0 else { return false }
      // ω = (yy − λ)/xy = xy/(xx − λ) with λ the smaller eigenvalue: whichever does not cancel.
      values[0] = half > 0 ? (half + root) / (abs(xy) > 0 ? xy : 1e-300) : xy / (root - half)
      return values[0].isFinite || abs(values[0]) == .infinity
    }
    guard workspace.stacked.decompose(order: size) else { return false }
    if count == 2 { return solveTwo(gram, values) }
    // V = [V_12; V_22] belongs to the K smallest eigenvalues; Υ = −V_12·V_22⁻¹, from V_22ᵀ·Υᵀ = −V_12ᵀ.
    for row in 0..<count {
      for col in 0..<count {
        workspace.equations.matrix.pointer[col * count + row] = gram[row * size + count + col]
        workspace.equations.sides.pointer[col * count + row] = -gram[row * size + col]
      }
    }
    guard workspace.equations.solve(order: count, sideCount: count) else { return false }
    workspace.rotation.matrix.pointer.update(from: workspace.equations.sides.pointer, count: count * count)
    return workspace.rotation.runReal(order: count)
  }

  /// The same for two sources, written out: the eigenvalues of Υ = −V_12·V_22⁻¹ from its trace and determinant.
  private func solveTwo(_ vectors: UnsafePointer<Double>, _ values: UnsafeMutablePointer<Double>) -> Bool {
    let (a, b) = (SIMD2(vectors[0], vectors[4]), SIMD2(vectors[1], vectors[5]))
    let (c, d) = (SIMD2(vectors[2], vectors[6]), SIMD2(vectors[3], vectors[7]))
    let whole = c.x * d.y - c.y * d.x
    guard abs(whole) > 0 else { return false }
    // V_22⁻¹ = [d.y, −c.y; −d.x, c.x]/whole
    let half = -(a.x * d.y - a.y * d.x + b.y * c.x - b.x * c.y) / (2 * whole)
    let product = (a.x * b.y - a.y * b.x) / whole
    let root = max(half * half - product, 0).squareRoot()
    let larger = half < 0 ? half - root : half + root
    values[0] = larger
    values[1] = root > 0 && larger != 0 ? product / larger : half
    return values[0].isFinite && values[1].isFinite
  }

  /// ESPRIT's variance over the bound with one source: (1/(M−1)²)/(6/(M·(M²−1))) = M·(M+1)/(6·(M−1)) (Rao & Hari 1989).
  private func widen(_ estimate: inout DirectionEstimate, order: Int) {
    let m = Double(order)
    let factor = max(1, m * (m + 1) / (6 * (m - 1))).squareRoot()
    for index in estimate.sources.indices {
      estimate.sources[index].azimuthDeviation? *= factor
      estimate.sources[index].elevationDeviation? *= factor
    }
  }
}
