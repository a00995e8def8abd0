/// One delay estimator with its workspace, whichever it is: what lets the engine choose by name.
final class DelayStage {
  private let body: (PreparedTaps, inout DelayEstimate) -> Void

  init<Estimator: DelayEstimator>(_ estimator: Estimator, tapCount: Int) {
    let workspace = estimator.makeWorkspace(tapCount: tapCount)
    body = { estimator.estimate($0, into: &$1, using: workspace) }
  }

  func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate) {
    body(taps, &estimate)
  }

  /// The estimator for `method`; a profile whose own method is `chip` falls back on the leading edge for what the
  /// chip's index can't give: amplitudes and their deviations.
  static func make(_ configuration: RangingEngine.Configuration, tapCount: Int) -> DelayStage {
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
    case .denseOnset:
      return DelayStage(
        DenseOnset(
          pulse: profile.pulse, modelError: profile.modelError, falseAlarmRate: configuration.falseAlarmRate,
          clutter: profile.clutter),
        tapCount: tapCount)
    case .adaptive:
      return DelayStage(
        AdaptiveFit(
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
