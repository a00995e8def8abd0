/// The delay estimators by the names that the command line knows, `chip` included.
public enum DelayMethod: String, Sendable, Hashable, CaseIterable {
  /// The chip's own first path, as it was recorded.
  case chip
  /// `PeakTap`
  case peak
  /// `EdgeFit`
  case edgeFit = "edge-fit"
  /// `PulseFit`
  case pulseFit = "pulse-fit"
  /// `DenseOnset`
  case denseOnset = "dense-onset"
  /// `AdaptiveFit`
  case adaptive
}
