import UWBCapture

/// Counts of a replay: of one capture, or of all.
struct ReplayTotals {
  var exchanges = 0
  var updates = 0
  var rejected: [String: Int] = [:]
  /// Updates whose distance an estimator gave that stands in for the configured one, by its name.
  var fallbacks: [String: Int] = [:]
  var skipped = SkippedInput()
  /// From the first exchange to the last, on the local device's clock.
  var seconds = 0.0
  /// Exchanges at whose time a pose table that was given says nothing.
  var withoutPose = 0

  /// Rejected for want of timestamps, though they hold CIRs.
  var pathsAlone = 0

  mutating func add(_ other: ReplayTotals) {
    exchanges += other.exchanges
    updates += other.updates
    rejected.merge(other.rejected, uniquingKeysWith: +)
    fallbacks.merge(other.fallbacks, uniquingKeysWith: +)
    skipped.merge(other.skipped)
    seconds += other.seconds
    withoutPose += other.withoutPose
    pathsAlone += other.pathsAlone
  }
}
