/// Single-sided two-way ranging: one round, one reply, and the offset between the two clocks from elsewhere.
///
///     round = response received − poll sent   (A's clock)      reply = response sent − poll received   (B's clock)
///
///     time of flight = (round − reply·(1 + e)) / 2,   e = rate of A's clock over B's, less 1
///
/// (IEEE 802.15.4a-2007, annex D1.3, whose two-way ranging lacks the term with e.) In ticks of A's clock. With e wrong by δ
/// the result is off by δ·reply/2: at 1 ppm 17 cm for a reply of 1.1 ms, 22 m for one of 150 ms. Where e comes from:
///
/// - `ClockRegisters`: the carrier or the receiver's time tracking, from the response alone
/// - `ClockTracker`: earlier exchanges, by least squares
///
/// Not for long replies without a tracked clock: the carrier's 0.05–0.1 ppm is a metre or two at 150 ms.
public struct SingleSidedRanging: Sendable, Hashable {
  /// Ticks of the initiator's clock, fractions allowed.
  public var round: Double
  /// Ticks of the responder's clock.
  public var reply: Double
  /// Rate of the initiator's clock over the responder's, less 1.
  public var clockOffset: Double

  /// Creates one with the given values.
  public init(round: Double, reply: Double, clockOffset: Double) {
    self.round = round
    self.reply = reply
    self.clockOffset = clockOffset
  }

  /// One-way time of flight, ticks of the initiator's clock.
  public var timeOfFlightTicks: Double {
    // The difference of the two long intervals is exact in a `Double`; the small product comes after it.
    ((round - reply) - reply * clockOffset) / 2
  }

  /// What one tick later of each reception's timestamp moves the time of flight by, ticks: the responder receives the
  /// poll, the initiator the response.
  public var sensitivity: (poll: Double, response: Double) { (poll: (1 + clockOffset) / 2, response: 0.5) }

  /// What a clock offset greater by 1 moves it by, ticks.
  public var offsetSensitivity: Double { -reply / 2 }

  /// Time of flight with its variance.
  ///
  /// - Parameter offsetVariance: of `clockOffset` (a ratio, not ppm), independent of the timestamps.
  public func timeOfFlight(_ variances: TimestampVariances, offsetVariance: Double) -> TimeOfFlight {
    let weights = sensitivity
    return TimeOfFlight(
      ticks: timeOfFlightTicks,
      variance: weights.poll * weights.poll * variances.poll + weights.response * weights.response * variances.response
        + offsetSensitivity * offsetSensitivity * offsetVariance)
  }

  /// The same ranging with receptions moved by so many ticks (later is positive).
  public func moving(poll: Double, response: Double) -> SingleSidedRanging {
    SingleSidedRanging(round: round + response, reply: reply - poll, clockOffset: clockOffset)
  }
}

extension SingleSidedRanging {
  /// The poll and the response of an exchange; `nil` where a timestamp is missing.
  public init?(_ exchange: borrowing RangingExchange, clockOffset: Double) {
    guard let pollSent = exchange.poll.transmitted, let pollReceived = exchange.poll.reception?.time,
      let responseSent = exchange.response?.transmitted, let responseReceived = exchange.response?.reception?.time
    else { return nil }
    let bits = exchange.counterBits
    self.init(
      round: Double(responseReceived.ticks(since: pollSent, counterBits: bits)),
      reply: Double(responseSent.ticks(since: pollReceived, counterBits: bits)), clockOffset: clockOffset)
  }
}
