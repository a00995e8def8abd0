/// One delay estimator with its workspace, whichever it is: what lets the engine, and whoever compares estimators,
/// choose by name. One for each thread.
public final class DelayStage {
  private let body: (PreparedTaps, inout DelayEstimate) -> Void

  public init<Estimator: DelayEstimator>(_ estimator: Estimator, tapCount: Int) {
    let workspace = estimator.makeWorkspace(tapCount: tapCount)
    body = { estimator.estimate($0, into: &$1, using: workspace) }
  }

  /// Fills `estimate` with what `taps` hold; allocates nothing.
  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate) {
    body(taps, &estimate)
  }

  /// The estimator that `configuration` names; a profile whose own method is `chip` falls back on the leading edge for what the
  /// chip's index can't give: amplitudes and their deviations.
  public static func make(_ configuration: RangingEngine.Configuration, tapCount: Int) -> DelayStage {
    let profile = configuration.profile
    let method = configuration.delay == .chip ? profile.delay : configuration.delay
    switch method {
    case .peak:
      return DelayStage(
        PeakTap(pulse: profile.pulse, falseAlarmRate: configuration.falseAlarmRate), tapCount: tapCount)
    case .pulseFit:
      return DelayStage(
        PulseFit(
          pulse: profile.pulse, modelError: profile.modelError, falseAlarmRate: configuration.falseAlarmRate,
          clutter: profile.clutter),
        tapCount: tapCount)
    case .leadingEdge:
      return DelayStage(
        LeadingEdge(
          pulse: profile.pulse, falseAlarmRate: configuration.falseAlarmRate, clutter: profile.clutter),
        tapCount: tapCount)
    case .jumpBack:
      return DelayStage(
        JumpBackSearchForward(
          pulse: profile.pulse, falseAlarmRate: configuration.falseAlarmRate, clutter: profile.clutter),
        tapCount: tapCount)
    case .serialBackward:
      return DelayStage(
        SerialBackwardSearch(
          pulse: profile.pulse, falseAlarmRate: configuration.falseAlarmRate, clutter: profile.clutter),
        tapCount: tapCount)
    case .searchSubtract:
      return DelayStage(
        SearchSubtract(
          pulse: profile.pulse, modelError: profile.modelError, falseAlarmRate: configuration.falseAlarmRate,
          clutter: profile.clutter),
        tapCount: tapCount)
    case .searchSubtractReadjust:
      return DelayStage(
        SearchSubtractReadjust(
          pulse: profile.pulse, modelError: profile.modelError, falseAlarmRate: configuration.falseAlarmRate,
          clutter: profile.clutter),
        tapCount: tapCount)
    case .clean:
      return DelayStage(
        Clean(
          pulse: profile.pulse, modelError: profile.modelError, falseAlarmRate: configuration.falseAlarmRate,
          clutter: profile.clutter),
        tapCount: tapCount)
    case .edgeFit, .chip:
      return DelayStage(
        EdgeFit(
          pulse: profile.pulse, modelError: profile.modelError, falseAlarmRate: configuration.falseAlarmRate,
          clutter: profile.clutter),
        tapCount: tapCount)
    }
  }
}
