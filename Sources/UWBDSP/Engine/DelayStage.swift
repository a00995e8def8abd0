/// One delay estimator with its workspace, whichever it is: what lets the engine, and whoever compares estimators,
/// choose by name. One for each thread.
public final class DelayStage {
  private let body: (PreparedTaps, inout DelayEstimate) -> Void

  /// A stage of this estimator, with its workspace for CIRs of so many taps.
  public init<Estimator: DelayEstimator>(_ estimator: Estimator, tapCount: Int) {
    let workspace = estimator.makeWorkspace(tapCount: tapCount)
    body = { estimator.estimate($0, into: &$1, using: workspace) }
  }

  /// The same answer whatever the taps.
  private init(status: DelayStatus) {
    body = { _, estimate in estimate.reset(status) }
  }

  /// Fills `estimate` with what `taps` hold; allocates nothing.
  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate) {
    body(taps, &estimate)
  }

  /// The estimator that `configuration` names. For `chip` it is the profile's own, or the edge fit: something has to
  /// give what the chip's index can't, amplitudes and their deviations. `beyondLimits` is the answer where the tap spacing is not
  /// within `EngineLimits`.
  public static func make(
    _ configuration: RangingEngine.Configuration, tapCount: Int, tapSpacing: Double = UWB.tap
  ) -> DelayStage {
    guard EngineLimits.tapSpacing.contains(tapSpacing) else { return DelayStage(status: .beyondLimits) }
    let receiver = configuration.receiver(tapSpacing: tapSpacing)
    let window = FrequencyWindow(receiver)
    func stage(_ estimator: some DelayEstimator) -> DelayStage { DelayStage(estimator, tapCount: tapCount) }

    switch configuration.delay == .chip ? configuration.profile.delay : configuration.delay {
    case .peak: return stage(PeakTap(receiver))
    case .leadingEdge: return stage(LeadingEdge(receiver))
    case .jumpBack: return stage(JumpBackSearchForward(receiver))
    case .serialBackward: return stage(SerialBackwardSearch(receiver))
    case .searchSubtract: return stage(SearchSubtract(receiver))
    case .searchSubtractReadjust: return stage(SearchSubtractReadjust(receiver))
    case .clean: return stage(Clean(receiver))
    case .music: return stage(DelayMUSIC(window))
    case .rootMUSIC: return stage(DelayRootMUSIC(window))
    case .esprit: return stage(DelayESPRIT(window))
    case .matrixPencil: return stage(DelayMatrixPencil(window))
    case .pulseFit: return stage(PulseFit(receiver))
    case .denseOnset: return stage(DenseOnset(receiver))
    case .riceFit: return stage(RiceFit(receiver))
    case .adaptive: return stage(AdaptiveFit(receiver))
    case .edgeFit, .chip: return stage(EdgeFit(receiver))
    }
  }
}
