import NearbySession

/// How far camera assistance has come.
public enum NIAlgorithmConvergenceStatus: Sendable, Hashable {
  public typealias Reason = AlgorithmConvergence.Reason

  case unknown
  case notConverged([Reason])
  case converged
}

/// What a delegate is told of camera assistance: `AlgorithmConvergence` underneath.
public struct NIAlgorithmConvergence: Sendable, Hashable {
  public let convergence: AlgorithmConvergence

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
