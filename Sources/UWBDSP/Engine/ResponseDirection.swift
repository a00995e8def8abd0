import Numerics

/// Direction from one path's amplitudes across antennas that don't respond alike. With gains, patterns or a measured manifold these are no
/// plane wave. So the array's whole response is searched (`Bartlett`, the maximum-likelihood estimate for one source).
struct ResponseDirection: Sendable, Hashable {
  private let estimator: Bartlett

  /// `nil` where the antennas respond alike, which phases alone tell the direction of.
  init?(_ array: AntennaArray) {
    guard array.positions.count >= 2, !array.answersAlike else { return nil }
    estimator = Bartlett(array: array)
  }

  /// Memory for one thread.
  final class Workspace {
    fileprivate let search: DirectionWorkspace
    fileprivate var snapshot: Snapshots
    fileprivate var estimate = DirectionEstimate()

    fileprivate init(_ method: ResponseDirection) {
      search = method.estimator.makeWorkspace(snapshotCount: 1)
      snapshot = Snapshots(antennaCount: method.estimator.array.positions.count, snapshotCount: 1)
    }
  }

  func makeWorkspace() -> Workspace { Workspace(self) }

  /// Fills in the result's direction. Allocates nothing once it has been used.
  ///
  /// - Parameters:
  ///   - amplitudes: of the path, one for each antenna.
  ///   - deviations: of each amplitude's phase, rad.
  func measure(
    _ amplitudes: [Complex<Double>], deviations: [Double], into result: inout RangingMeasurement,
    using workspace: Workspace
  ) {
    var noise = 0.0
    for (antenna, amplitude) in amplitudes.enumerated() {
      workspace.snapshot[antenna, 0] = amplitude
      noise += 2 * deviations[antenna] * deviations[antenna] * amplitude.lengthSquared
    }
    workspace.snapshot.noiseVariance = noise / Double(amplitudes.count)
    estimator.estimate(workspace.snapshot, into: &workspace.estimate, using: workspace.search)
    result.set(workspace.estimate)
  }
}
