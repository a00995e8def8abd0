/// An angle estimator over snapshots: an immutable configuration that works in a caller's workspace.
public protocol DirectionEstimator: Sendable, Hashable {
  /// Buffers of one estimation, one for each thread.
  associatedtype Workspace

  /// The antennas: positions and patterns.
  var array: AntennaArray { get }

  /// All memory that `estimate` needs for up to `snapshotCount` snapshots; one for each thread.
  func makeWorkspace(snapshotCount: Int) -> Workspace

  /// Finds the sources of `snapshots`, strongest first; allocates nothing once `estimate` has been used before.
  ///
  /// - Precondition: as many antennas as `array` has; no more snapshots than the workspace is for.
  func estimate(_ snapshots: Snapshots, into estimate: inout DirectionEstimate, using workspace: Workspace)
}

extension DirectionEstimator {
  /// As `estimate(_:into:using:)`, with memory of its own.
  public func estimate(_ snapshots: Snapshots) -> DirectionEstimate {
    var result = DirectionEstimate()
    estimate(snapshots, into: &result, using: makeWorkspace(snapshotCount: snapshots.snapshotCount))
    return result
  }
}

/// How many sources an estimator looks for.
public enum SourceCount: Sendable, Hashable {
  /// So many.
  case known(Int)
  /// By Akaike's information criterion, at most so many.
  case aic(atMost: Int)
  /// By the minimum description length, at most so many.
  case mdl(atMost: Int)

  /// The largest answer.
  public var limit: Int {
    switch self {
    case .known(let count), .aic(let count), .mdl(let count): count
    }
  }
}

/// What is done to the covariance before an estimator sees it.
public struct CovarianceAveraging: Sendable, Hashable {
  /// Average with the conjugate seen from the array's other end, R ← (R + J·R*·J)/2, where the array is the same from
  /// both (Evans, Johnson & Sun 1982; Pillai & Kwon 1989): twice the snapshots, and two coherent sources told apart
  /// unless their phases are unlucky. Ignored for other arrays.
  public var forwardBackward: Bool
  /// Spatial smoothing: so many overlapping subarrays of a uniform row are averaged (Shan, Wax & Kailath 1985), which
  /// tells as many coherent sources apart and costs that much aperture. 1 is none.
  public var subarrayCount: Int

  /// Creates one with the given values.
  public init(forwardBackward: Bool = true, subarrayCount: Int = 1) {
    self.forwardBackward = forwardBackward
    self.subarrayCount = subarrayCount
  }
}

/// What all angle estimators share.
public struct DirectionOptions: Sendable, Hashable {
  /// Number of sources, or how it is found.
  public var sources: SourceCount
  /// How the covariance is averaged.
  public var averaging: CovarianceAveraging
  /// Half-angle round the array's broadside in which sources are looked for, rad, up to π/2.
  public var fieldOfView: Double
  /// A direction whose likelihood is at least that of the best over this number makes the answer `.ambiguous`.
  public var likelihoodRatio: Double

  /// Creates one with the given values.
  public init(
    sources: SourceCount = .known(1), averaging: CovarianceAveraging = .init(), fieldOfView: Double = .pi / 2,
    likelihoodRatio: Double = 100
  ) {
    precondition(
      sources.limit >= 1 && averaging.subarrayCount >= 1, "\(sources) over \(averaging.subarrayCount) subarrays")
    self.sources = sources
    self.averaging = averaging
    self.fieldOfView = fieldOfView
    self.likelihoodRatio = likelihoodRatio
  }
}
