import UWBDSP

/// Capon's beamformer (minimum variance): the directions of most power once everything else is suppressed, refined off the grid.
///
///     minimise over q:  a(q)ᴴ·(R + δ·I)⁻¹·a(q) / a(q)ᴴa(q),   δ = loading · tr(R)/M
///
/// (Capon, "High-resolution frequency-wavenumber spectrum analysis", 1969.) Resolves better than Bartlett without knowing how
/// many sources there are. The loading makes R invertible where there are fewer snapshots than antennas; a level near the
/// noise serves best. The deviations are
/// those of the stochastic bound, which Capon's estimate exceeds with few snapshots. Cost: M²·N + M³, then as MUSIC's
/// search. Not for coherent sources (they cancel), nor for a manifold that is known to no better than the noise.
public struct Capon: DirectionEstimator {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// What all angle estimators share.
  public let options: DirectionOptions
  /// Of the mean power of an antenna.
  public let loading: Double

  /// - Parameter options: the number of sources has to be known; criteria stand for their limit.
  public init(array: AntennaArray, options: DirectionOptions = .init(), loading: Double = 0.01) {
    precondition(loading >= 0, "a loading of \(loading)")
    self.array = array
    self.options = options
    self.loading = loading
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let shared: DirectionWorkspace
    fileprivate let inverse: HermitianInverse

    fileprivate init(_ shared: DirectionWorkspace) {
      self.shared = shared
      inverse = HermitianInverse(order: shared.covariance.order)
    }
  }

  public func makeWorkspace(snapshotCount: Int) -> Workspace {
    Workspace(DirectionWorkspace(array: array, options: options, snapshotCount: snapshotCount, needs: .init()))
  }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace
  ) {
    let shared = workspace.shared
    guard shared.load(snapshots, into: &estimate) else { return }
    let covariance = shared.covariance
    let mean = covariance.trace / Double(covariance.order)
    // With too few snapshots R is singular, to rounding, whatever was asked for.
    let level = max(loading, 1e-10) * mean
    guard workspace.inverse.invert(covariance.complex.pointer, loading: level, into: shared.form.pointer) else {
      return
    }
    let wanted = shared.geometry.limit
    let found = shared.search(scale: mean, count: wanted, margin: .init(factor: 4, offset: 0))
    shared.report(found, of: wanted, bound: .stochastic, into: &estimate)
  }
}
