/// The delay estimators by the names that the command line knows, `chip` included.
public enum DelayMethod: String, Sendable, Hashable, CaseIterable, Codable {
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
  /// `RiceFit`
  case riceFit = "rice-fit"
  /// `AdaptiveFit`
  case adaptive
  /// `LeadingEdge`
  case leadingEdge = "leading-edge"
  /// `JumpBackSearchForward`
  case jumpBack = "jump-back"
  /// `SerialBackwardSearch`
  case serialBackward = "serial-backward"
  /// `SearchSubtract`
  case searchSubtract = "search-subtract"
  /// `SearchSubtractReadjust`
  case searchSubtractReadjust = "search-subtract-readjust"
  /// `Clean`
  case clean
  /// `DelayMUSIC`
  case music
  /// `DelayRootMUSIC`
  case rootMUSIC = "root-music"
  /// `DelayESPRIT`
  case esprit
  /// `DelayMatrixPencil`
  case matrixPencil = "matrix-pencil"

  /// What is asked in turn where this one gives no distance.
  public var fallbacks: [DelayMethod] {
    switch self {
    case .chip: []
    case .leadingEdge: [.chip]
    default: [.leadingEdge, .chip]
    }
  }
}
