/// MUSIC: the directions whose steering vectors lie nearest to the signal subspace, refined off the grid.
///
///     minimise over q:  a(q)ᴴ·(I − E_s·E_sᴴ)·a(q) / a(q)ᴴa(q),   E_s the eigenvectors of R's K largest eigenvalues
///
/// (Schmidt, "Multiple emitter location and signal parameter estimation", 1986.) One coordinate for a row of antennas, azimuth
/// × elevation for others, any geometry and measured manifolds. Uniform rows take the trigonometric polynomial of
/// `TrigonometricSpectrum` and a real eigenproblem, others `ScanGrid`. Deviations: the asymptotic variance of Stoica &
/// Nehorai ("MUSIC, maximum likelihood, and Cramér–Rao bound", 1989) or the stochastic bound, whichever is more; after
/// smoothing they are those of one subarray, which is more than is left.
///
/// Cost: M²·N for the covariance, O(M²·K) for the signals' space (`SubspaceSplit`), M products a grid point on a uniform row, M² on others.
/// Not for coherent sources without smoothing, nor for two sources nearer than the spectrum resolves: their minima merge
/// and fewer sources come back (`.didNotConverge`); `MaximumLikelihood` does both. With a single snapshot it is Bartlett's
/// beamformer.
public struct MUSIC: DirectionEstimator {
  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// What all angle estimators share.
  public let options: DirectionOptions

  /// Creates one with the given values.
  public init(array: AntennaArray, options: DirectionOptions = .init()) {
    self.array = array
    self.options = options
  }

  public func makeWorkspace(snapshotCount: Int) -> DirectionWorkspace {
    DirectionWorkspace(array: array, options: options, snapshotCount: snapshotCount, needs: .init(subspace: true))
  }

  public func estimate(
    _ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: DirectionWorkspace
  ) {
    guard workspace.load(snapshots, into: &estimate), let subspace = workspace.subspace,
      subspace.decompose(workspace.covariance, sources: options.sources)
    else { return }
    let found: (count: Int, settled: Bool)
    if let row = workspace.row {
      row.loadComplement(subspace.signals.pointer, count: subspace.count)
      found = workspace.takeRowMinima(subspace.count)
    } else {
      Self.project(subspace, into: workspace.form.pointer)
      found = workspace.search(scale: 1, count: subspace.count, margin: .init(factor: 1, offset: 0.25))
    }
    workspace.report(found, of: subspace.count, bound: .subspace, into: &estimate)
  }

  /// I − E_s·E_sᴴ
  private static func project(_ subspace: SubspaceSplit, into form: UnsafeMutablePointer<Double>) {
    let order = subspace.order
    for column in 0..<order {
      for row in 0..<order {
        var re = row == column ? 1.0 : 0
        var im = 0.0
        for signal in 0..<subspace.count {
          let e = subspace.signals.pointer + 2 * order * signal
          re -= e[row] * e[column] + e[order + row] * e[order + column]
          im -= e[order + row] * e[column] - e[row] * e[order + column]
        }
        form[column * order + row] = re
        form[order * order + column * order + row] = im
      }
    }
  }
}
