/// Double-sided two-way ranging for replies of equal length: the mean of two single-sided rangings, without products.
///
///     time of flight = ((roundA − replyB) + (roundB − replyA)) / 4
///
/// IEEE 802.15.4a-2007, annex D1.3 (symmetric double-sided two-way ranging). Names as in `TwoWayRanging`. With clocks e
/// apart it errs by e·(replyB − replyA)/4: 20 ppm and replies that differ by 10 µs are 15 mm. So: for chips that can't
/// multiply, or as a check. `TwoWayRanging` is right for any replies at the same cost, and is what the engine uses.
public struct SymmetricTwoWayRanging: Sendable, Hashable {
  /// The four intervals, ticks.
  public var intervals: TwoWayRanging

  /// A ranging from these four intervals.
  public init(_ intervals: TwoWayRanging) {
    self.intervals = intervals
  }

  /// One-way time of flight, ticks.
  public var timeOfFlightTicks: Double {
    ((intervals.roundA - intervals.replyB) + (intervals.roundB - intervals.replyA)) / 4
  }

  /// The error that a clock offset leaves (initiator's rate over responder's, less 1), ticks.
  public func bias(clockOffset: Double) -> Double {
    clockOffset * (intervals.replyB - intervals.replyA) / 4
  }

  /// Time of flight with its variance: every reception's timestamp counts a quarter for each interval that it ends or
  /// begins; the response of three messages does both, with the same sign.
  ///
  /// - Parameter offsetVariance: of the clock offset, taken to be zero-mean.
  public func timeOfFlight(_ variances: TimestampVariances, offsetVariance: Double) -> TimeOfFlight {
    let unequal = bias(clockOffset: 1)
    let responses =
      intervals.messages == .three ? variances.response / 4 : (variances.response + variances.secondPoll) / 16
    return TimeOfFlight(
      ticks: timeOfFlightTicks,
      variance: (variances.poll + variances.final) / 16 + responses + unequal * unequal * offsetVariance)
  }
}
