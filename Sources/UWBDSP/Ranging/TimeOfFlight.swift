/// One-way time of flight with its variance: what every two-way ranging formula yields.
public struct TimeOfFlight: Sendable, Hashable {
  /// Whether the number can be a flight at all.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// The number can be a flight.
    case ok
    /// Shorter than what is allowed: the reply took longer than the round. Antenna delays set too large do that to short
    /// distances; a timestamp of another exchange does it by far.
    case negative
    /// Longer than what is allowed: a wrapped interval, or timestamps of different exchanges.
    case tooLong
    /// Not a number: intervals that add up to nothing, or are not finite.
    case undetermined
  }

  /// Ticks; meaningless where the status is `undetermined`.
  public var ticks: Double
  /// Ticks², from the variances of the timestamps and of the clock offset.
  public var variance: Double

  /// Creates one with the given values.
  public init(ticks: Double, variance: Double) {
    self.ticks = ticks
    self.variance = variance
  }

  /// - Parameter allowed: possible flights, ticks; its lower end may be negative.
  public func status(allowed: ClosedRange<Double>) -> Status {
    guard ticks.isFinite, variance.isFinite, variance >= 0 else { return .undetermined }
    if ticks < allowed.lowerBound { return .negative }
    return ticks > allowed.upperBound ? .tooLong : .ok
  }
}

/// Variances of an exchange's timestamps, ticks². A transmission set to a tick has none.
public struct TimestampVariances: Sendable, Hashable {
  /// Variance of the poll's reception, ticks².
  public var poll: Double
  /// Variance of the response's reception, ticks².
  public var response: Double
  /// The responder's own poll, where the exchange has four messages.
  public var secondPoll: Double
  /// Variance of the final's reception, ticks².
  public var final: Double

  /// Creates one with the given values.
  public init(poll: Double = 0, response: Double = 0, secondPoll: Double = 0, final: Double = 0) {
    self.poll = poll
    self.response = response
    self.secondPoll = secondPoll
    self.final = final
  }
}
