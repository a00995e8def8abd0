/// How far assistance has come with a peer's place.
public enum AlgorithmConvergence: Sendable, Hashable {
  /// What the user can do for it.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The device has to move more.
    case insufficientMovement
    /// The device has to be turned from side to side.
    case insufficientHorizontalSweep
    /// The device has to be tilted up and down.
    case insufficientVerticalSweep
    /// The camera sees too little light.
    case insufficientLighting
    /// The radio signal is too weak.
    case insufficientSignalStrength
  }

  /// No pose and no measurement yet.
  case unknown
  /// Not converged, for these reasons.
  case notConverged(Set<Reason>)
  /// Converged: the position of the object is known.
  case converged
}

/// What assistance asks for before it trusts a peer's place.
public struct AssistanceSettings: Sendable, Hashable {
  /// m that the device has to move from where it started
  public var movement = 0.15
  /// rad that the device's back has to sweep to the sides
  public var horizontalSweep = Double.pi / 9
  /// rad that the device's back has to sweep up and down
  public var verticalSweep = Double.pi / 18
  /// m: beyond it the signal counts as weak, as the framework says of ranging at its best
  public var bestDistance = 9.0
  /// dB: below it the signal counts as weak
  public var minimumSNRdB = 10.0
  /// A line of sight that is less likely counts as a weak signal.
  public var minimumLineOfSightProbability = 0.3
  /// m: where the measured distance is farther off from the one to the remembered place, the peer has moved away.
  public var placeTolerance = 1.0

  /// Creates one with default values.
  public init() {}
}
