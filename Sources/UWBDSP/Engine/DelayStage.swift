/// One delay estimator with its workspace, whichever it is: what lets the engine, and whoever compares estimators,
/// choose by name. One for each thread.
public final class DelayStage {
  private let body: (PreparedTaps, inout DelayEstimate) -> Void

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
    let profile = configuration.profile
    let (pulse, modelError, clutter) = (profile.pulse, profile.modelError, profile.clutter)
    let falseAlarmRate = configuration.falseAlarmRate
    let window = FrequencyWindow(
      pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate, clutter: clutter)
    func stage(_ estimator: some DelayEstimator) -> DelayStage { DelayStage(estimator, tapCount: tapCount) }

    switch configuration.delay == .chip ? profile.delay : configuration.delay {
    case .peak:
      return stage(PeakTap(pulse: pulse, tapSpacing: tapSpacing, falseAlarmRate: falseAlarmRate))
    case .leadingEdge:
      return stage(
        LeadingEdge(pulse: pulse, tapSpacing: tapSpacing, falseAlarmRate: falseAlarmRate, clutter: clutter))
    case .jumpBack:
      return stage(
        JumpBackSearchForward(
          pulse: pulse, tapSpacing: tapSpacing, falseAlarmRate: falseAlarmRate, clutter: clutter))
    case .serialBackward:
      return stage(
        SerialBackwardSearch(pulse: pulse, tapSpacing: tapSpacing, falseAlarmRate: falseAlarmRate, clutter: clutter))
    case .searchSubtract:
      return stage(
        SearchSubtract(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter))
    case .searchSubtractReadjust:
      return stage(
        SearchSubtractReadjust(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter))
    case .clean:
      return stage(
        Clean(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter))
    case .music: return stage(DelayMUSIC(window))
    case .rootMUSIC: return stage(DelayRootMUSIC(window))
    case .esprit: return stage(DelayESPRIT(window))
    case .matrixPencil: return stage(DelayMatrixPencil(window))
    case .pulseFit:
      return stage(
        PulseFit(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter, noise: profile.noise))
    case .denseOnset:
      return stage(
        DenseOnset(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter, noise: profile.noise))
    case .riceFit:
      return stage(
        RiceFit(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter, noise: profile.noise))
    case .adaptive:
      return stage(
        AdaptiveFit(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter, noise: profile.noise))
    case .edgeFit, .chip:
      return stage(
        EdgeFit(
          pulse: pulse, tapSpacing: tapSpacing, modelError: modelError, falseAlarmRate: falseAlarmRate,
          clutter: clutter))
    }
  }
}
