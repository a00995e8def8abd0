import Numerics
import UWBPlatform

/// Direction of exchanges that hold phase differences in place of CIRs: through the calibrated manifold where there is
/// one, else by the plane wave over the antennas that were given.
package struct PhaseDirection: Sendable, Hashable {
  /// What a chip's phase difference is taken to be off by where nothing was measured, rad: 5°, what an uncalibrated
  /// board's antennas differ by, rather than what its noise is.
  package static let assumedDeviation = 5 * Double.pi / 180

  private let search: ManifoldSearch?
  private let fit: PhaseFit?
  /// Where the antennas don't respond alike.
  private let response: ResponseDirection?

  /// `nil` where the configuration knows nothing of the antennas.
  init?(_ configuration: RangingEngine.Configuration) {
    search = configuration.calibration.angle?.search()
    fit = configuration.array.map(PhaseFit.init)
    response = configuration.array.flatMap(ResponseDirection.init)
    if search == nil, fit == nil { return nil }
  }

  /// Memory for one thread.
  final class Workspace {
    fileprivate let search: ManifoldSearch.Workspace?
    fileprivate let response: ResponseDirection.Workspace?
    fileprivate var estimate = DirectionEstimate()
    fileprivate var amplitudes: [Complex<Double>]
    fileprivate var deviations: [Double]

    fileprivate init(_ method: PhaseDirection) {
      search = method.search?.makeWorkspace()
      response = method.response?.makeWorkspace()
      let antennas = method.fit?.array.positions.count ?? 0
      amplitudes = Array(repeating: .one, count: antennas)
      // Each difference's error belongs to its own antenna; antenna 0 is the reference.
      deviations = Array(repeating: PhaseDirection.assumedDeviation, count: antennas)
      if antennas > 0 { deviations[0] = 1e-3 }
    }
  }

  func makeWorkspace() -> Workspace { Workspace(self) }

  /// Fills in the result's direction. Another number of differences than the antennas have gives `unusable`.
  func measure(_ differences: [Double], into result: inout RangingMeasurement, using workspace: Workspace) {
    result.directionStatus = .unusable
    if let search, let memory = workspace.search {
      guard differences.count == search.manifold.channels.count else { return }
      search.estimate(differences, into: &workspace.estimate, using: memory)
      result.set(workspace.estimate)
    } else if let fit, differences.count == fit.array.positions.count - 1 {
      for (index, difference) in differences.enumerated() {
        guard abs(difference) < 1e6 else { return }
        workspace.amplitudes[index + 1] = Complex(cos(difference), sin(difference))
      }
      if let response, let memory = workspace.response {
        return response.measure(
          workspace.amplitudes, deviations: workspace.deviations, into: &result, using: memory)
      }
      guard let found = fit.estimate(amplitudes: workspace.amplitudes, deviations: workspace.deviations) else { return }
      result.set(found)
    }
  }
}
