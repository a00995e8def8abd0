import Numerics

/// What one reception's CIR says, all antennas together.
struct ReceptionAnalysis {
  var status = DelayStatus.noFirstPath
  /// Delay of the first path, mean over the antennas by their information, taps, and its standard deviation.
  var delayTaps = 0.0
  var deviationTaps = 0.0
  /// The place that this mean delay belongs to: the antennas' mean position by the same weights, m.
  var position = SIMD3<Double>()
  var snrdB = 0.0
  /// Antennas that have the first path, if all of the CIR's have it, so that phases may be compared; else 0.
  var comparableAntennas = 0
  /// The chip's own first path, taps, where it reports one, and the taps' spacing in seconds.
  var chipFirstPathTaps: Double?
  var tapSpacing = UWB.tap
  /// Whether the analyser has features of it.
  var hasFeatures = false
}

/// Runs the delay stage on every antenna of a CIR and joins what it finds.
final class ReceptionAnalyser {
  /// Antennas further from the strongest one's delay than this (taps) found another path.
  private static let samePathTaps = 0.75

  private let configuration: RangingEngine.Configuration
  let tapSpacing: Double
  /// One for each antenna where a joint fit wants them all at once, else one.
  private let taps: [PreparedTaps]
  private let stage: DelayStage
  private let extraction: FeatureExtraction
  private let featureMemory: FeatureExtraction.Workspace
  @exclusivity(unchecked) private(set) var estimates: [DelayEstimate]
  private let joint: JointStage?
  /// Whether the last analysis was the joint fit's.
  @exclusivity(unchecked) private(set) var isJoint = false
  /// Of the antenna with the strongest first path, at the last analysis; `nil` where none has one. Kept here: copies are slow.
  @exclusivity(unchecked) private(set) var features: QualityFeatures?

  init(
    _ configuration: RangingEngine.Configuration, tapCount: Int, antennaCount: Int, tapSpacing: Double
  ) {
    self.configuration = configuration
    self.tapSpacing = tapSpacing
    let joint = antennaCount > 1 ? JointStage(configuration, tapCount: tapCount, tapSpacing: tapSpacing) : nil
    self.joint = joint
    taps = (0..<(joint?.antennaCount ?? 1)).map { _ in PreparedTaps(tapCount: tapCount) }
    stage = DelayStage.make(configuration, tapCount: tapCount, tapSpacing: tapSpacing)
    extraction = FeatureExtraction(pulse: configuration.profile.pulse, tapSpacing: tapSpacing)
    featureMemory = extraction.makeWorkspace()
    estimates = (0..<antennaCount).map { _ in DelayEstimate() }
  }

  var tapCapacity: Int { taps[0].capacity }
  var antennaCapacity: Int { estimates.count }

  /// Whether there is room for as many antennas and taps.
  func fits(_ response: ChannelImpulseResponse) -> Bool {
    response.tapCount <= tapCapacity && response.antennaCount <= antennaCapacity
  }

  /// The joint fit of the last analysis, if that was what analysed it.
  var jointStage: JointStage? { isJoint ? joint : nil }

  func analyse(_ response: ChannelImpulseResponse, _ reported: ReportedAntennas) -> ReceptionAnalysis {
    var result = paths(response, reported)
    result.hasFeatures = features != nil
    return result
  }

  private func paths(_ response: ChannelImpulseResponse, _ reported: ReportedAntennas) -> ReceptionAnalysis {
    isJoint = false
    features = nil
    if let joint, response.antennaCount == joint.antennaCount {
      isJoint = true
      for antenna in 0..<response.antennaCount {
        taps[antenna].load(response, antenna: antenna)
      }
      let result = joint.analyse(taps, reported)
      if let (antenna, path) = joint.strongestFirstPath {
        features = extraction.features(
          of: taps[antenna], firstPath: path, receivedPowerdBm: reported.powerdBm, using: featureMemory)
      }
      // Each antenna by itself may settle where all together do not.
      guard result.status == .didNotConverge else { return result }
      isJoint = false
      features = nil
    }
    let single = taps[0]
    let phases = reported.phases(ofAll: response.antennaCount)
    let firstPaths = reported.firstPathTaps(ofAll: response.antennaCount)
    var strongest = 0
    var strongestdB = -Double.infinity
    for antenna in 0..<response.antennaCount {
      single.load(response, antenna: antenna)
      stage.estimate(single, into: &estimates[antenna])
      if let phases { estimates[antenna].turn(by: -phases[antenna]) }
      if estimates[antenna].status == .ok, let snr = estimates[antenna].snrdB, snr > strongestdB {
        strongest = antenna
        strongestdB = snr
        features = estimates[antenna].firstPath.map {
          extraction.features(
            of: single, firstPath: $0, receivedPowerdBm: reported.powerdBm, using: featureMemory)
        }
      }
    }
    /// Chips of their own count from where they please: by how much later than antenna 0's.
    func shift(_ antenna: Int) -> Double { firstPaths.map { $0[antenna] - $0[0] } ?? 0 }
    var result = ReceptionAnalysis()
    result.status = estimates[strongest].status
    guard strongestdB > -.infinity, let reference = estimates[strongest].firstPath else { return result }
    result.snrdB = strongestdB
    result.comparableAntennas = response.antennaCount
    var weights = 0.0
    var sum = 0.0
    var position = SIMD3<Double>()
    let referenceDelay = reference.delayTaps - shift(strongest)
    // A chip's first path errs by tenths of a tap: other chips' delays are no measure of antenna 0's.
    let isAligned = firstPaths == nil
    let onlyOne = isAligned ? nil : estimates[0].status == .ok ? 0 : strongest
    for antenna in 0..<response.antennaCount {
      guard estimates[antenna].status == .ok, let path = estimates[antenna].firstPath,
        abs(path.delayTaps - shift(antenna) - referenceDelay) <= Self.samePathTaps
      else {
        result.comparableAntennas = 0
        continue
      }
      guard onlyOne == nil || onlyOne == antenna else { continue }
      let weight = 1 / max(path.deviationTaps * path.deviationTaps, 1e-12)
      weights += weight
      sum += weight * (path.delayTaps - shift(antenna) - referenceDelay)
      if let positions = configuration.array?.positions, antenna < positions.count {
        position += weight * positions[antenna]
      }
    }
    guard weights > 0 else {
      result.delayTaps = referenceDelay
      result.deviationTaps = reference.deviationTaps
      return result
    }
    result.position = position / weights
    result.delayTaps = referenceDelay + sum / weights
    result.deviationTaps = (1 / weights).squareRoot()
    return result
  }

  /// What the last analysis found on an antenna; allocates nothing once `estimate` has held as many paths.
  func copyPaths(antenna: Int, into estimate: inout DelayEstimate) {
    guard let joint = jointStage?.estimate.paths else { return estimate.set(estimates[antenna]) }
    estimate.reset(joint.status, noiseVariance: taps[antenna].noiseVariance)
    for (index, path) in joint.paths.enumerated() {
      var own = path
      own.amplitude = joint.amplitude(path: index, antenna: antenna)
      own.phaseDeviation = joint.phaseDeviations[index * joint.antennaCount + antenna]
      estimate.paths.append(own)
    }
  }

  /// Where the last analysis found plane waves.
  var planeWaves: JointDelayAngle.Workspace? {
    guard let joint = jointStage, joint.estimate.isPlaneWave else { return nil }
    return joint.workspace
  }

  /// Amplitude of the first path on an antenna and the deviation of its phase, at the last analysis.
  func firstPath(antenna: Int) -> (amplitude: Complex<Double>, phaseDeviation: Double)? {
    if let joint = jointStage {
      let paths = joint.estimate.paths
      guard !paths.paths.isEmpty else { return nil }
      return (paths.amplitudes[antenna], paths.phaseDeviations[antenna])
    }
    return estimates[antenna].firstPath.map { ($0.amplitude, $0.phaseDeviation) }
  }
}
