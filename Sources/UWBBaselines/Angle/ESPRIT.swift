import UWBDSP
import UWBPlatform

/// Unitary ESPRIT: directions on a uniform row from how the signal subspace turns from one antenna to the next, without a
/// search.
///
///     K_1·E_s·Υ = K_2·E_s by total least squares,   k·d·cos θ_i = 2·atan(ω_i), ω_i the eigenvalues of Υ
///
/// E_s real, from the forward–backward averaged covariance in its real form; K_1, K_2 the real and imaginary part of
/// Q_{M−1}ᴴ·J_2·Q_M (Roy & Kailath, "ESPRIT", 1989; Haardt & Nossek, "Unitary ESPRIT", 1995). Its error comes from the row's
/// ends alone: with one source and M antennas its variance is M·(M + 1)/(6·(M − 1)) times the bound (Rao & Hari 1989), 1.7 for
/// M = 8; the deviations of several sources take the same factor over MUSIC's. Cost: M²·N, the signals' space, M·K² + K³. Not for
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
    /// K_1·E_s and K_2·E_s.
    fileprivate let shift: ShiftInvariance

    fileprivate init(_ shared: DirectionWorkspace) {
      self.shared = shared
      shift = ShiftInvariance(
        rows: shared.covariance.order - 1, limit: shared.geometry.limit, isComplex: false)
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
    guard shared.load(snapshots, into: &estimate), let subspace = shared.subspace, shared.row != nil,
      subspace.decompose(shared.covariance, sources: options.sources)
    else { return }
    makePair(subspace, workspace)
    let count = subspace.count
    guard workspace.shift.totalLeastSquares(count: count) else {
      estimate.status = .didNotConverge
      return
    }
    var isInside = true
    for index in 0..<count {
      let angle = 2 * atan(workspace.shift.values.pointer[index].x)
      isInside = shared.take(rowPhase: angle, as: index) && isInside
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
      let first = workspace.shift.first(signal, count: subspace.count)
      let second = workspace.shift.second(signal, count: subspace.count)
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
