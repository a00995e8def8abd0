import Numerics

/// How a delay estimate ended.
public enum DelayStatus: String, Sendable, Hashable, CaseIterable {
  /// A first path was found and its delay settled.
  case ok
  /// No tap rises above the detection threshold.
  case noFirstPath
  /// The samples are all zero, not all finite, or larger or smaller than `EngineLimits.peakPower`.
  case emptyImpulseResponse
  /// Antennas, taps or their spacing lie beyond `EngineLimits`.
  case beyondLimits
  /// The iteration hit its limit; the last delay is given, with the deviation of a fit that had settled there.
  case didNotConverge
}

/// One propagation path as an estimator found it.
public struct PathEstimate: Sendable, Hashable {
  /// Where the path's pulse peaks, taps from the start of the accumulator.
  public var delayTaps: Double
  /// Complex amplitude at the peak, in the CIR's scaled units.
  public var amplitude: Complex<Double>
  /// Standard deviation of `delayTaps`.
  public var deviationTaps: Double
  /// Standard deviation of the amplitude's phase, rad.
  public var phaseDeviation: Double

  /// Creates one with the given values.
  public init(delayTaps: Double, amplitude: Complex<Double>, deviationTaps: Double, phaseDeviation: Double) {
    self.delayTaps = delayTaps
    self.amplitude = amplitude
    self.deviationTaps = deviationTaps
    self.phaseDeviation = phaseDeviation
  }

  /// Adds to the variance of `delayTaps`, taps².
  mutating func add(variance: Double) {
    deviationTaps = (deviationTaps * deviationTaps + variance).squareRoot()
  }
}

/// What a delay estimator makes of one antenna's CIR. Made once, then filled again for each CIR: `paths` keeps its
/// memory.
public struct DelayEstimate: Sendable, Hashable {
  /// Most paths that any estimator reports.
  public static let pathCapacity = 16

  /// Whether there is a first path, and why not.
  public var status: DelayStatus = .noFirstPath
  /// Paths by increasing delay; the first is the first path. Estimators that know one path give one. Empty unless the
  /// status is `ok` or `didNotConverge`.
  public var paths: [PathEstimate] = []
  /// Variance of the complex noise of a tap, scaled units squared.
  public var noiseVariance = 0.0
  /// The magnitude that a tap had to reach to count as signal, scaled units.
  public var threshold = 0.0
  /// Variance, taps², of the first path's delay for the chance that the search took another candidate for the first path.
  public private(set) var ambiguityVariance = 0.0

  /// An estimate without paths.
  public init() {
    paths.reserveCapacity(Self.pathCapacity)
  }

  /// The first path, where there is one.
  public var firstPath: PathEstimate? { paths.first }

  /// |a|²/σ² of the first path, dB.
  public var snrdB: Double? {
    guard let amplitude = firstPath?.amplitude, noiseVariance > 0 else { return nil }
    return 10 * Double.log10(amplitude.lengthSquared / noiseVariance)
  }

  /// Begins anew: no paths, whose memory is kept. The parameters are those of the properties.
  public mutating func reset(
    _ status: DelayStatus, noiseVariance: Double = 0, threshold: Double = 0, ambiguityVariance: Double = 0
  ) {
    self.status = status
    self.noiseVariance = noiseVariance
    self.threshold = threshold
    self.ambiguityVariance = ambiguityVariance
    paths.removeAll(keepingCapacity: true)
  }

  /// Takes over all that `other` holds, in the memory that is there.
  mutating func set(_ other: DelayEstimate) {
    reset(
      other.status, noiseVariance: other.noiseVariance, threshold: other.threshold,
      ambiguityVariance: other.ambiguityVariance)
    paths.append(contentsOf: other.paths)
  }

  /// Adds `ambiguityVariance` to the first path's: once, at an estimate's end.
  package mutating func addAmbiguity() {
    guard ambiguityVariance > 0, !paths.isEmpty else { return }
    paths[0].add(variance: ambiguityVariance)
  }

  /// Turns the phases of all paths, rad.
  mutating func turn(by phase: Double) {
    for index in paths.indices { paths[index].amplitude *= Complex(length: 1, phase: phase) }
  }
}

/// Finds the first path in one antenna's CIR.
///
/// A configuration is a small value; `makeWorkspace` allocates everything; `estimate` allocates nothing and may run on
/// any thread that has its own workspace.
public protocol DelayEstimator: Sendable, Hashable {
  /// Buffers of one estimation, one for each thread.
  associatedtype Workspace
  /// Allocates what estimating needs for CIRs of at most `tapCount` taps.
  func makeWorkspace(tapCount: Int) -> Workspace
  /// Fills `estimate` with what `taps` hold.
  func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace)
}

extension DelayEstimator {
  /// Estimates from a CIR in one call; allocates a workspace each time.
  public func estimate(_ response: ChannelImpulseResponse, antenna: Int = 0) -> DelayEstimate {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: antenna)
    var result = DelayEstimate()
    estimate(taps, into: &result, using: makeWorkspace(tapCount: response.tapCount))
    return result
  }
}
