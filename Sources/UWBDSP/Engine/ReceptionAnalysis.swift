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
  /// Of the antenna with the strongest first path.
  var features: QualityFeatures?
}

/// Runs the delay stage on every antenna of a CIR and joins what it finds.
final class ReceptionAnalyser {
  /// Antennas further from the strongest one's delay than this (taps) found another path.
  private static let samePathTaps = 0.75

  private let configuration: RangingEngine.Configuration
  private let tapSpacing: Double
  private let taps: PreparedTaps
  private let stage: DelayStage
  private let extraction: FeatureExtraction
  private let featureMemory: FeatureExtraction.Workspace
  private(set) var estimates: [DelayEstimate]

  init(
    _ configuration: RangingEngine.Configuration, tapCount: Int, antennaCount: Int, tapSpacing: Double = UWB.tap
  ) {
    self.configuration = configuration
    self.tapSpacing = tapSpacing
    taps = PreparedTaps(tapCount: tapCount)
    stage = DelayStage.make(configuration, tapCount: tapCount, tapSpacing: tapSpacing)
    extraction = FeatureExtraction(pulse: configuration.profile.pulse, tapSpacing: tapSpacing)
    featureMemory = extraction.makeWorkspace()
    estimates = (0..<antennaCount).map { _ in DelayEstimate() }
  }

  /// Whether CIRs of this shape fit.
  func fits(_ response: ChannelImpulseResponse) -> Bool {
    response.tapCount <= taps.capacity && response.antennaCount <= estimates.count
      && response.tapSpacing == tapSpacing
  }

  /// One that CIRs of this shape fit, and of every shape that fits this one at the same tap spacing.
  func grown(toFit response: ChannelImpulseResponse) -> ReceptionAnalyser {
    ReceptionAnalyser(
      configuration, tapCount: max(response.tapCount, taps.capacity),
      antennaCount: max(response.antennaCount, estimates.count), tapSpacing: response.tapSpacing)
  }

  func analyse(_ response: ChannelImpulseResponse) -> ReceptionAnalysis {
    var strongest = 0
    var strongestdB = -Double.infinity
    var features: QualityFeatures?
    for antenna in 0..<response.antennaCount {
      taps.load(response, antenna: antenna, backgroundPeriodTaps: configuration.profile.backgroundPeriodTaps)
      stage.estimate(taps, into: &estimates[antenna])
      if estimates[antenna].status == .ok, let snr = estimates[antenna].snrdB, snr > strongestdB {
        strongest = antenna
        strongestdB = snr
        features = estimates[antenna].firstPath.map {
          extraction.features(of: taps, firstPath: $0, using: featureMemory)
        }
      }
    }
    var result = ReceptionAnalysis()
    result.features = features
    result.status = estimates[strongest].status
    guard strongestdB > -.infinity, let reference = estimates[strongest].firstPath else { return result }
    result.snrdB = strongestdB
    result.comparableAntennas = response.antennaCount
    var weights = 0.0
    var sum = 0.0
    var position = SIMD3<Double>()
    for antenna in 0..<response.antennaCount {
      guard estimates[antenna].status == .ok, let path = estimates[antenna].firstPath,
        abs(path.delayTaps - reference.delayTaps) <= Self.samePathTaps
      else {
        result.comparableAntennas = 0
        continue
      }
      let weight = 1 / max(path.deviationTaps * path.deviationTaps, 1e-12)
      weights += weight
      sum += weight * (path.delayTaps - reference.delayTaps)
      if let positions = configuration.array?.positions, antenna < positions.count {
        position += weight * positions[antenna]
      }
    }
    result.position = position / weights
    result.delayTaps = reference.delayTaps + sum / weights
    result.deviationTaps = (1 / weights).squareRoot()
    return result
  }
}
