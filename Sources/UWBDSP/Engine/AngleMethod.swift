/// The angle estimators by the names that the command line knows.
public enum AngleMethod: String, Sendable, Hashable, CaseIterable {
  /// `JointDelayAngle` where the delay estimator fits pulses (`pulse-fit`, `adaptive`) and the antennas see plane waves, else
  /// `phase-fit`.
  case joint
  /// `PhaseFit`
  case phaseFit = "phase-fit"
  /// No direction.
  case none
}
