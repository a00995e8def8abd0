import UWBTypes

/// What the engine finds in one reception. Made once, then filled again for each: its arrays keep their memory.
public struct ReceptionPaths: Sendable, Hashable {
  /// Of all antennas together, as `RangingEngine.measure` counts it.
  public internal(set) var status = DelayStatus.noFirstPath
  /// First path of all antennas together, taps: what `RangingMeasurement.firstPathTaps` holds; `nil` where there is none.
  public internal(set) var delayTaps: Double?
  /// Of this CIR alone, without a distance, by its strongest antenna; `nil` where the model needs a distance.
  public internal(set) var lineOfSightProbability: Double?
  /// One for each antenna of the CIR. Antennas that are fitted together share their delays.
  public internal(set) var antennas: [DelayEstimate] = []

  /// No paths.
  public init() {}

  mutating func resize(antennaCount: Int) {
    while antennas.count < antennaCount { antennas.append(DelayEstimate()) }
    antennas.removeLast(antennas.count - antennaCount)
  }
}

extension RangingEngine {
  /// Finds the paths in one reception, by the steps that `measure` takes: for captures without timestamps, pictures, diagnosis.
  ///
  /// No simpler estimator stands in where the configured one does not settle. With `DelayMethod.chip` `delayTaps` is the chip's own
  /// index, and `antennas` are the profile's estimator's. The CIR's features are left in the workspace, as those of a measurement are.
  /// Allocates nothing once the workspace has seen such a CIR.
  ///
  /// - Returns: `false` where the reception holds no CIR; `paths` are then as they were.
  @discardableResult
  public func findPaths(
    in reception: Reception, into paths: inout ReceptionPaths, using workspace: Workspace
  ) -> Bool {
    guard let response = reception.impulseResponse,
      let analysis = analyse(reception, &workspace.poll, by: configuration.delay)
    else { return false }
    var measurement = RangingMeasurement(exchange: 0, time: 0, peer: DeviceAddress(rawValue: 0), status: .ok)
    let delay = report(
      analysis, chip: reception.usableChipFirstPathTaps, by: configuration.delay, in: &measurement)
    workspace.joinFeatures(analysis, nil)
    quality.judge(&workspace.qualityFeatures, into: &measurement)
    paths.status = analysis.status
    paths.delayTaps = delay
    paths.lineOfSightProbability = measurement.lineOfSightProbability
    paths.resize(antennaCount: response.antennaCount)
    for antenna in 0..<response.antennaCount {
      if response.isSupported {
        workspace.poll.latest.copyPaths(antenna: antenna, into: &paths.antennas[antenna])
      } else {
        paths.antennas[antenna].reset(.beyondLimits)
      }
    }
    return true
  }
}
