import NearbySession

/// How far camera assistance has come.
public enum NIAlgorithmConvergenceStatus: Sendable, Hashable {
  /// Why camera assistance has not converged.
  public typealias Reason = AlgorithmConvergence.Reason

  /// Not known.
  case unknown
  /// Not converged, for these reasons.
  case notConverged([Reason])
  /// Converged: the position of the object is known.
  case converged
}

/// What a delegate is told of camera assistance: `AlgorithmConvergence` underneath.
public struct NIAlgorithmConvergence: Sendable, Hashable {
  /// The convergence as this package has it.
  public let convergence: AlgorithmConvergence

  /// The convergence under the name of the framework.
  public init(_ convergence: AlgorithmConvergence) {
    self.convergence = convergence
  }

  /// The reasons come in the order of their declaration.
  public var status: NIAlgorithmConvergenceStatus {
    switch convergence {
    case .unknown: .unknown
    case .notConverged(let reasons): .notConverged(AlgorithmConvergence.Reason.allCases.filter(reasons.contains))
    case .converged: .converged
    }
  }
}
