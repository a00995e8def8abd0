import Numerics

/// The joint fit of all antennas in the engine's service: delays, amplitudes and, where it is asked for and plane waves
/// explain the antennas, directions.
final class JointStage {
  let estimator: JointDelayAngle
  let workspace: JointDelayAngle.Workspace
  private let adaptive: ArrayAdaptiveFit?
  private let givesDirection: Bool
  @exclusivity(unchecked) private(set) var estimate: JointEstimate
  private let mean: SIMD3<Double>

  /// `nil` where the settings leave the antennas to the single-antenna estimators: delay estimators other than those that
  /// fit pulses, antennas that no direction can be told from, and noise that has to be whitened, which the joint fit does not do.
  init?(_ configuration: RangingEngine.Configuration, tapCount: Int, tapSpacing: Double) {
    guard configuration.angle != .none, let array = configuration.array, array.positions.count >= 2,
      configuration.profile.noise.isWhite, SteeringGrid.shared(array).geometry != .point
    else { return nil }
    let paths = PulseFit(configuration.receiver(tapSpacing: tapSpacing))
    switch configuration.delay {
    case .pulseFit, .adaptive: break
    default: return nil
    }
    estimator = JointDelayAngle(paths, array: array, propagationSpeed: configuration.propagationSpeed)
    adaptive =
      configuration.delay == .adaptive ? ArrayAdaptiveFit(estimator.fit, antennaCount: array.positions.count) : nil
    workspace = estimator.makeWorkspace(tapCount: tapCount)
    estimate = JointEstimate(antennaCount: array.positions.count)
    // What antennas do that don't respond as those of an ideal array is fitted afterwards, on free amplitudes.
    givesDirection =
      configuration.angle == .joint && configuration.antennaCalibration == nil && array.answersAlike
    mean = array.positions.reduce(SIMD3()) { $0 + $1 } / Double(array.positions.count)
  }

  var antennaCount: Int { estimator.array.positions.count }

  func analyse(_ taps: [PreparedTaps], _ reported: ReportedAntennas) -> ReceptionAnalysis {
    let outcome = estimatePaths(
      taps, reported.firstPathTaps(ofAll: antennaCount), reported.phases(ofAll: antennaCount))
    var result = ReceptionAnalysis()
    result.status = estimate.paths.status
    estimate.isPlaneWave = false
    guard estimate.paths.firstPath != nil else { return result }
    if givesDirection, case .paths(let shift, let variance) = outcome {
      estimator.steer(into: &estimate, using: workspace)
      estimate.delayTaps? += shift
      estimate.deviationTaps = estimate.deviationTaps.map { ($0 * $0 + variance).squareRoot() }
    }
    // Free amplitudes of two near paths trade off with each other for long; plane waves have fewer of them.
    if estimate.isPlaneWave, estimate.direction.status != .didNotConverge { result.status = .ok }
    guard result.status == .ok else { return result }
    result.snrdB = estimate.paths.snrdB ?? 0
    if estimate.isPlaneWave, let delay = estimate.delayTaps, let deviation = estimate.deviationTaps {
      result.delayTaps = delay
      result.deviationTaps = deviation
      result.position = mean
    } else if let path = estimate.paths.firstPath {
      result.delayTaps = path.delayTaps
      result.deviationTaps = path.deviationTaps
      result.position = estimate.paths.isAtOrigin ? .zero : mean
    }
    result.comparableAntennas = isSeen(outcome) ? antennaCount : 0
    return result
  }

  /// Whether all antennas have seen the path. In a list of paths, one whose phase is hardly known has not: later paths took its place.
  /// Before scattering, deviations count what scatters, so that any direction has an honest one.
  private func isSeen(_ outcome: ArrayAdaptiveFit.Outcome) -> Bool {
    if case .scattering = outcome { return true }
    return (0..<antennaCount).allSatisfy { estimate.paths.phaseDeviations[$0] < 0.25 }
  }

  private func estimatePaths(
    _ taps: [PreparedTaps], _ firstPathTaps: [Double]?, _ phases: [Double]?
  ) -> ArrayAdaptiveFit.Outcome {
    if let adaptive {
      return adaptive.estimate(
        taps, antennaCount: antennaCount, firstPathTaps: firstPathTaps, phases: phases, into: &estimate.paths,
        using: workspace.paths)
    }
    estimator.fit.estimate(
      taps, antennaCount: antennaCount, firstPathTaps: firstPathTaps, phases: phases, into: &estimate.paths,
      using: workspace.paths)
    return .paths(shift: 0, addedVariance: 0)
  }

  /// The first path on the antenna that heard it best, at the last analysis.
  var strongestFirstPath: (antenna: Int, path: PathEstimate)? {
    guard let path = estimate.paths.firstPath, estimate.paths.amplitudes.count >= antennaCount else { return nil }
    var strongest = 0
    for antenna in 1..<antennaCount
    where estimate.paths.amplitudes[antenna].lengthSquared > estimate.paths.amplitudes[strongest].lengthSquared {
      strongest = antenna
    }
    var own = path
    own.amplitude = estimate.paths.amplitudes[strongest]
    return (strongest, own)
  }
}
