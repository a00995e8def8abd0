import Numerics

/// What is measured of a CIR to tell line of sight from its loss, and to foresee how much too long a distance is.
///
/// The choice is that of the literature on non-line-of-sight identification (Guvenc, Chong & Watanabe, "NLOS
/// identification and mitigation for UWB localization systems", WCNC 2007: kurtosis, mean excess delay, delay spread;
/// Maranò, Gifford, Wymeersch & Win, "NLOS identification and mitigation for localization based on UWB experimental
/// data", IEEE J. Sel. Areas Commun. 28(7), 2010: energy, maximum amplitude, rise time), with the edges that a detector
/// would find at several thresholds. Delays are in taps from the first path, powers in dB of the CIR's scaled units.
public enum QualityFeature: String, Sendable, Hashable, CaseIterable, Codable {
  // Amplitudes.
  /// Power of the strongest tap. Over the preamble count, so that it does not grow with the time of listening.
  case peak
  /// Noise variance of a tap.
  case noise
  /// Energy of the window over the noise.
  case energy
  /// `peak` + 20·log₁₀ of the distance in metres: what free space would make independent of distance.
  case freeSpacePeak
  /// `peak` − `noise`
  case signalToNoise
  // The first path beside the rest.
  /// Energy from 1.5 taps before to 2 taps after the first path, over that of the window.
  case firstPathShare
  /// Power of the first path over that of the strongest tap.
  case firstPathToPeak
  /// Power of the first path.
  case firstPathPower
  // The shape of the power delay profile.
  /// From the first path to the strongest tap, at least −20, at most 100.
  case peakLag
  /// First moment of the power delay profile.
  case meanExcessDelay
  /// Root of its second central moment.
  case delaySpread
  /// Logarithm of the magnitudes' fourth moment over their second moment squared.
  case kurtosis
  /// Local maxima over 0.3 of the peak's magnitude and 3 noise deviations.
  case pathCount
  /// From the edge at 0.1 to that at 0.9 of the peak's magnitude.
  case riseTime
  /// Part of the energy round the first path that one pulse leaves unexplained, 0 … 1.
  case fitResidual
  /// Where the magnitude first rises over so many per cent of the peak.
  case edgeAt5Percent, edgeAt10Percent, edgeAt20Percent, edgeAt30Percent, edgeAt50Percent
  /// Where the magnitude first rises over so many deviations of the noise.
  case edgeAt5Noise, edgeAt7Noise, edgeAt10Noise, edgeAt14Noise
  /// Log-odds of line of sight of the model that ships, with the site's baseline where it is known.
  case siteOdds

  /// Where the feature lies in `QualityFeatures`.
  public var index: Int {
    switch self {
    case .peak: 0
    case .noise: 1
    case .energy: 2
    case .freeSpacePeak: 3
    case .signalToNoise: 4
    case .firstPathShare: 5
    case .firstPathToPeak: 6
    case .firstPathPower: 7
    case .peakLag: 8
    case .meanExcessDelay: 9
    case .delaySpread: 10
    case .kurtosis: 11
    case .pathCount: 12
    case .riseTime: 13
    case .fitResidual: 14
    case .edgeAt5Percent: 15
    case .edgeAt10Percent: 16
    case .edgeAt20Percent: 17
    case .edgeAt30Percent: 18
    case .edgeAt50Percent: 19
    case .edgeAt5Noise: 20
    case .edgeAt7Noise: 21
    case .edgeAt10Noise: 22
    case .edgeAt14Noise: 23
    case .siteOdds: 24
    }
  }
}

/// Features that are used together.
public enum QualityFeatureSet: String, Sendable, Hashable, CaseIterable {
  /// Amplitudes over the preamble count.
  case amplitudes
  /// Those and the first path's.
  case firstPath = "first-path"
  /// Amplitudes and edges.
  case edges
  /// Amplitudes, the first path's and edges.
  case firstPathAndEdges = "first-path-edges"
  /// Everything that is measured.
  case all
  /// What does not depend on how a receiver scales its taps, nor on the distance: for models that know no radio.
  case relative
  /// The log-odds of the model that ships: two coefficients move its threshold to a site.
  case site

  /// Whether a line-of-sight model of these features starts from the model that ships, which is made of `relative` ones.
  package var startsFromShipped: Bool { self != .relative }

  private static let amplitudeFeatures: [QualityFeature] = [.peak, .noise, .energy, .freeSpacePeak, .signalToNoise]
  private static let firstPathFeatures: [QualityFeature] = [.firstPathShare, .firstPathToPeak, .firstPathPower]
  private static let edgeFeatures: [QualityFeature] = [
    .edgeAt5Percent, .edgeAt10Percent, .edgeAt20Percent, .edgeAt30Percent, .edgeAt50Percent, .edgeAt5Noise,
    .edgeAt7Noise, .edgeAt10Noise, .edgeAt14Noise,
  ]

  /// Features of the set, in order.
  public var features: [QualityFeature] {
    switch self {
    case .amplitudes: Self.amplitudeFeatures
    case .firstPath: Self.amplitudeFeatures + Self.firstPathFeatures
    case .edges: Self.amplitudeFeatures + Self.edgeFeatures
    case .firstPathAndEdges: Self.amplitudeFeatures + Self.firstPathFeatures + Self.edgeFeatures
    case .all: QualityFeature.allCases.filter { $0 != .siteOdds }
    case .relative:
      [
        .firstPathShare, .firstPathToPeak, .peakLag, .meanExcessDelay, .delaySpread, .kurtosis, .pathCount, .riseTime,
        .fitResidual,
      ]
    case .site: [.siteOdds]
    }
  }
}

/// One number for each `QualityFeature`.
public struct QualityFeatures: Sendable, Hashable {
  // By index, eight each and one.
  private var low = SIMD8<Double>()
  private var middle = SIMD8<Double>()
  private var high = SIMD8<Double>()
  private var siteOdds = 0.0
  /// `nil` where the chip reported no power; of two receptions the mean, in decibels.
  public var reportedPower: ReportedPower?
  /// Taps from the first path to the end of what the features were measured on; of two receptions the mean.
  public var tapsAfter = Double(FeatureExtraction.tapsAfter)

  /// All features zero.
  public init() {}

  /// Value of a feature.
  public subscript(feature: QualityFeature) -> Double {
    get {
      let lane = feature.index & 7
      switch feature.index >> 3 {
      case 0: return low[lane]
      case 1: return middle[lane]
      case 2: return high[lane]
      default: return siteOdds
      }
    }
    set {
      let lane = feature.index & 7
      switch feature.index >> 3 {
      case 0: low[lane] = newValue
      case 1: middle[lane] = newValue
      case 2: high[lane] = newValue
      default: siteOdds = newValue
      }
    }
  }

  /// Becomes the mean of its own and another reception's.
  public mutating func average(with other: QualityFeatures) {
    low = 0.5 * (low + other.low)
    middle = 0.5 * (middle + other.middle)
    high = 0.5 * (high + other.high)
    siteOdds = 0.5 * (siteOdds + other.siteOdds)
    tapsAfter = 0.5 * (tapsAfter + other.tapsAfter)
    guard let own = reportedPower, let others = other.reportedPower else {
      reportedPower = reportedPower ?? other.reportedPower
      return
    }
    reportedPower = ReportedPower(
      total: 0.5 * (own.total + others.total), firstPath: 0.5 * (own.firstPath + others.firstPath))
  }

  /// Enters the distance, m, on which `freeSpacePeak` depends. Distances below 0.3 m count as that.
  public mutating func setDistance(_ distance: Double) {
    self[.freeSpacePeak] = self[.peak] + 20 * Double.log10(max(distance, 0.3))
  }

  /// Enters `siteOdds`: by the shape, and by the power of the first path where something is known of a clear one.
  ///
  /// - Parameters:
  ///   - baseline: the site's, where it was learnt.
  ///   - signal: the radio's, where it was not.
  public mutating func setSiteOdds(_ baseline: SignalBaseline?, signal: NominalSignal? = nil) {
    let shape = LineOfSightModel.simulated.logOdds(self)
    let withPower =
      baseline.map { ExcessLossModel.simulated.logOdds(shape: shape, excessLossdB: $0.excessLossdB(self)) }
      ?? signal?.logOdds(shape: shape, self)
    // Where the shape is unlike all training, so may be what the first path is.
    self[.siteOdds] = withPower.map { $0 * LineOfSightModel.simulated.trust(self) } ?? shape
  }
}
