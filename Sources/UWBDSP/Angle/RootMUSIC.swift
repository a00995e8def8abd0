import UWBPlatform

/// Root-MUSIC: MUSIC on a uniform row by the roots of its polynomial, without a grid.
///
///     z_1 … z_{M−1}, the roots inside the unit circle of Σ_d c_d·z^d;   k·d·cos θ_i = arg z_i for the K nearest to it
///
/// c_d the coefficients of MUSIC's null spectrum (Barabell, "Improving the resolution performance of eigenstructure-based
/// direction-finding algorithms", 1983; with forward–backward averaging this is unitary root-MUSIC, Pesavento, Gershman &
/// Haardt 2000). It resolves what MUSIC's spectrum merges. Same asymptotic variance as MUSIC (Rao & Hari 1989). Cost: M²·N, the
/// eigenproblem, then M² for each of 6–10 sweeps. Not for arrays other than uniform rows; not for coherent sources without
/// smoothing.
public struct RootMUSIC: DirectionEstimator {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// What all angle estimators share.
  public let options: DirectionOptions

  /// Whether the array is what this method needs: antennas in a uniform row of equal gains.
  public static func fits(_ array: AntennaArray) -> Bool { Manifold(array).rowStep != 0 }

  /// - Precondition: `fits(array)`.
  public init(array: AntennaArray, options: DirectionOptions = .init()) {
    precondition(Self.fits(array), "root-MUSIC needs a uniform row; \(array.positions.count) antennas stand otherwise")
    self.array = array
    self.options = options
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let shared: DirectionWorkspace
    fileprivate let roots: SelfInverseRoots
    fileprivate let taken: AlignedBuffer<Bool>

    fileprivate init(_ shared: DirectionWorkspace) {
      self.shared = shared
      roots = SelfInverseRoots(order: shared.covariance.order)
      taken = AlignedBuffer(count: shared.covariance.order, zero: false)
    }
  }

  public func makeWorkspace(snapshotCount: Int) -> Workspace {
    Workspace(
      DirectionWorkspace(array: array, options: options, snapshotCount: snapshotCount, needs: .init(subspace: true)))
  }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace
  ) {
    let shared = workspace.shared
    guard shared.load(snapshots, into: &estimate), let subspace = shared.subspace, let row = shared.row,
      subspace.decompose(shared.covariance, sources: options.sources)
    else { return }
    row.loadComplement(subspace.signals.pointer, count: subspace.count)
    let settled = workspace.roots.find(row.coefficients.pointer)
    let count = workspace.roots.order - 1
    for index in 0..<count { workspace.taken.pointer[index] = false }
    var found = 0
    var isInside = true
    while found < min(subspace.count, count) {
      var best = -1
      var largest = -1.0
      for index in 0..<count where !workspace.taken.pointer[index] {
        let z = workspace.roots.roots.pointer[index]
        let size = (z * z).sum()
        if size > largest { (best, largest) = (index, size) }
      }
      guard best >= 0 else { break }
      workspace.taken.pointer[best] = true
      let z = workspace.roots.roots.pointer[best]
      isInside = shared.take(rowPhase: atan2(z.y, z.x), as: found) && isInside
      found += 1
    }
    shared.report(
      found, status: !settled ? .didNotConverge : isInside ? .ok : .outsideFieldOfView, bound: .subspace,
      into: &estimate)
  }
}
