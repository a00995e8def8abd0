/// One delay estimator with its workspace, whichever it is: what lets the engine, and whoever compares estimators,
/// choose by name. One for each thread.
public final class DelayStage {
  private let body: (PreparedTaps, inout DelayEstimate) -> Void

  /// A stage of this estimator, with its workspace for CIRs of so many taps.
  public init<Estimator: DelayEstimator>(_ estimator: Estimator, tapCount: Int) {
    let workspace = estimator.makeWorkspace(tapCount: tapCount)
    body = { taps, estimate in
      estimator.estimate(taps, into: &estimate, using: workspace)
      // Estimators needn't say what the taps say.
      if estimate.noiseVariance == 0 { estimate.noiseVariance = taps.noiseVariance }
    }
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
    let method = configuration.delay == .chip ? configuration.profile.delay : configuration.delay
    return method.stage(configuration.receiver(tapSpacing: tapSpacing), tapCount: tapCount)
  }
}
