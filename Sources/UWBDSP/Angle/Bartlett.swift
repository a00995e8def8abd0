/// Bartlett's beamformer: the directions from which most power comes, refined off the grid.
///
///     maximise over q:  a(q)ᴴ·R·a(q) / a(q)ᴴa(q)
///
/// (Bartlett 1948; Krim & Viberg, "Two decades of array signal processing research", 1996, eq. 27.) For one source in white
/// noise this is the maximum-likelihood estimate, with any number of snapshots. Cost: M²·N for the covariance; M products
/// a grid point on a uniform row, M² on others. Not for several sources: beams are as wide as the array is small, and each
/// source's sidelobes pull the others; what is no more than a sidelobe may come back as a source.
public struct Bartlett: DirectionEstimator {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// What all angle estimators share.
  public let options: DirectionOptions

  /// - Parameter options: the number of sources has to be known; criteria stand for their limit.
  public init(array: AntennaArray, options: DirectionOptions = .init()) {
    self.array = array
    self.options = options
  }

  public func makeWorkspace(snapshotCount: Int) -> DirectionWorkspace {
    DirectionWorkspace(array: array, options: options, snapshotCount: snapshotCount, needs: .init())
  }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: DirectionWorkspace
  ) {
    guard workspace.load(snapshots, into: &estimate) else { return }
    let covariance = workspace.covariance
    workspace.form.pointer.update(from: covariance.complex.pointer, count: 2 * covariance.order * covariance.order)
    let wanted = workspace.geometry.limit
    let found = workspace.search(scale: -1, count: wanted, margin: .init(factor: 0.75, offset: 0))
    workspace.report(found, of: wanted, bound: .stochastic, into: &estimate)
  }
}
