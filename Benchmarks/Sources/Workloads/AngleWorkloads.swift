import Numerics
import UWBBaselines
import UWBDSP
import UWBSimulation

extension Workload {
  /// Each angle method: 64 snapshots of a row of eight (of two where the method takes two), one packet on a square of four,
  /// and phase differences through a measured manifold.
  static let angles: [Workload] = snapshotAngles + [manifoldSearch, eigenvectors]

  private static let snapshotAngles: [Workload] = DirectionMethod.allCases.flatMap { method in
    let arrays: [(name: String, antennas: Int, snapshots: Int)] =
      method == .phaseDifference
      ? [("pair-1-snapshot", 2, 1)] : [("row-8-64-snapshots", 8, 64), ("square-4-1-snapshot", 4, 1)]
    return arrays.compactMap { name, antennas, snapshots -> Workload? in
      let array = SimulatedInput.array(antennas: antennas)
      guard let estimator = method.estimator(for: array, options: DirectionOptions()) else { return nil }
      return Workload("angle/\(method.rawValue)/\(name)", .estimate) {
        Self.prepare(estimator, SimulatedInput.snapshots(array, snapshotCount: snapshots), snapshots)
      }
    }
  }

  static func prepare<E: DirectionEstimator>(
    _ estimator: E, _ snapshots: [Snapshots], _ snapshotCount: Int
  ) -> Prepared {
    let ring = Ring(snapshots)
    let workspace = estimator.makeWorkspace(snapshotCount: snapshotCount)
    var estimate = DirectionEstimate()
    return Prepared { estimator.estimate(ring.next(), into: &estimate, using: workspace) }
  }

  private static let manifoldSearch = Workload("angle/manifold-search/3-antennas", .estimate) {
    manifoldSearch(pointsAcross: 61)
  }

  /// The general driver, of LAPACK, on what eight antennas make.
  private static let eigenvectors = Workload("angle/eigenvectors/8", .estimate) {
    let array = SimulatedInput.array(antennas: 8)
    let matrices = Ring(
      SimulatedInput.snapshots(array, snapshotCount: 64).map { snapshots in
        var matrix = [Complex<Double>](repeating: .zero, count: 64)
        for column in 0..<8 {
          for row in 0..<8 {
            for snapshot in 0..<64 {
              matrix[8 * column + row] +=
                snapshots[row, snapshot] * snapshots[column, snapshot].conjugate
            }
          }
        }
        return matrix
      })
    let solver = HermitianEigenvectors(order: 8)
    let workspace = solver.makeWorkspace()
    var values = [Double](repeating: 0, count: 8)
    var vectors = [Complex<Double>](repeating: .zero, count: 64)
    return Prepared { _ = solver.decompose(matrices.next(), values: &values, vectors: &vectors, using: workspace) }
  }

  /// An estimator over snapshots of one source, 10 dB.
  public static func snapshots(
    _ estimator: some DirectionEstimator, _ array: AntennaArray, snapshotCount: Int
  ) -> Prepared {
    prepare(estimator, SimulatedInput.snapshots(array, snapshotCount: snapshotCount), snapshotCount)
  }

  /// Two phase differences through a measured manifold, searched on so many points along each angle.
  public static func manifoldSearch(pointsAcross: Int) -> Prepared {
    let axis = PhaseManifold.Axis(start: -1.2, step: 0.1, count: 25)
    func phases(_ answer: (Double, Double) -> Double) -> PhaseManifold.Channel {
      let angles = (0..<axis.count).map { axis.start + axis.step * Double($0) }
      let values = angles.flatMap { elevation in angles.map { answer($0, elevation) } }
      return PhaseManifold.Channel(phases: values, variances: values.map { _ in 0.01 })
    }
    let manifold = PhaseManifold(
      azimuth: axis, elevation: axis,
      channels: [
        phases { azimuth, elevation in .pi * Double.sin(azimuth) * Double.cos(elevation) },
        phases { _, elevation in .pi * Double.sin(elevation) },
      ])
    let search = ManifoldSearch(
      manifold: manifold, settings: ManifoldSearch.Settings(step: 2.4 / Double(pointsAcross - 1)))
    let workspace = search.makeWorkspace()
    let differences = Ring((0..<16).map { [0.1 * Double($0) - 0.8, 0.5 - 0.07 * Double($0)] })
    var estimate = DirectionEstimate()
    return Prepared { search.estimate(differences.next(), into: &estimate, using: workspace) }
  }
}
