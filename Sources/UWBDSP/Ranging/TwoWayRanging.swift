/// Double-sided two-way ranging from its four intervals.
///
/// A polls, B responds, A closes with a final:
///
///     roundA = response received − poll sent      (A's clock)      replyB = response sent − poll received    (B's)
///     replyA = final sent − response received     (A's clock)      roundB = final received − response sent   (B's)
///
///     time of flight = (roundA·roundB − replyA·replyB) / (roundA + roundB + replyA + replyB)
///
/// The asymmetric form of Neirynck, Luk & McLaughlin, "An alternative double-sided two-way ranging method" (2016). A clock
/// that runs fast by e scales the result by about e/2 alone, whatever the replies: 20 ppm at 10 m is 0.1 mm.
/// Single-sided ranging would be off by half the clock offset times the reply: 150 ms at 1 ppm is 22 m.
///
/// With four messages B sends a poll of its own after the response, which the final answers. replyA then begins where
/// A receives that second poll, roundB where B sent it. The formula is the same; the timestamps are all different.
public struct TwoWayRanging: Sendable, Hashable {
  /// How many frames gave the intervals.
  public enum Messages: Sendable, Hashable {
    /// The response ends roundA and begins replyA.
    case three
    /// The response ends roundA, the second poll begins replyA.
    case four
  }

  /// Intervals in ticks, fractions allowed.
  public var roundA: Double
  /// From the poll's arrival to the response's departure, ticks of B.
  public var replyB: Double
  /// From the departure of B's last frame to the final's arrival, ticks of B.
  public var roundB: Double
  /// From the arrival of B's last frame to the final's departure, ticks of A.
  public var replyA: Double
  /// Number of messages.
  public var messages: Messages

  /// Creates one with the given values.
  public init(roundA: Double, replyB: Double, roundB: Double, replyA: Double, messages: Messages = .three) {
    self.roundA = roundA
    self.replyB = replyB
    self.roundB = roundB
    self.replyA = replyA
    self.messages = messages
  }

  private var sum: Double { roundA + roundB + replyA + replyB }

  /// One-way time of flight, ticks. Its rounding error is below 10⁻⁶ ticks for intervals of up to a wrap.
  public var timeOfFlightTicks: Double {
    // The plain difference of two products of up to 2⁸⁰ would lose 10⁻⁶ ticks as well; factored, it loses less:
    // roundA·roundB − replyA·replyB = (roundA − replyB)·roundB + replyB·(roundB − replyA).
    ((roundA - replyB) * roundB + replyB * (roundB - replyA)) / sum
  }

  /// A's clock rate over B's, less 1: both saw the time from the poll to the final, less the pause between the two halves
  /// of four messages.
  public var clockOffset: Double {
    // The difference of nearly equal sums, taken pairwise so that nothing is lost.
    ((roundA - replyB) + (replyA - roundB)) / (replyB + roundB)
  }

  /// What one tick of each reception's timestamp moves the time of flight by, ticks: poll and final are received by
  /// B, the response (and a second poll, 0 without one) by A.
  public var sensitivity: (poll: Double, response: Double, secondPoll: Double, final: Double) {
    let tof = timeOfFlightTicks
    // ∂N/∂x − tof·∂S/∂x over S; receptions that end one interval and begin another leave S as it is.
    switch messages {
    case .three:
      return (
        poll: (replyA + tof) / sum, response: (roundB + replyB) / sum, secondPoll: 0, final: (roundA - tof) / sum
      )
    case .four:
      return (
        poll: (replyA + tof) / sum, response: (roundB - tof) / sum, secondPoll: (replyB + tof) / sum,
        final: (roundA - tof) / sum
      )
    }
  }

  /// Time of flight with its variance, to first order in the timestamps' errors; a clock offset adds nothing to it.
  public func timeOfFlight(_ variances: TimestampVariances) -> TimeOfFlight {
    let weights = sensitivity
    var variance =
      weights.poll * weights.poll * variances.poll
      + weights.response * weights.response * variances.response
      + weights.final * weights.final * variances.final
    if messages == .four { variance += weights.secondPoll * weights.secondPoll * variances.secondPoll }
    return TimeOfFlight(ticks: timeOfFlightTicks, variance: variance)
  }

  /// The same ranging with receptions moved by so many ticks (later is positive).
  public func moving(poll: Double, response: Double, secondPoll: Double = 0, final: Double) -> TwoWayRanging {
    TwoWayRanging(
      roundA: roundA + response, replyB: replyB - poll, roundB: roundB + final,
      replyA: replyA - (messages == .three ? response : secondPoll), messages: messages)
  }
}

extension TwoWayRanging {
  /// The intervals of an exchange; `nil` where a timestamp is missing.
  public init?(_ exchange: borrowing RangingExchange) {
    guard let pollSent = exchange.poll.transmitted, let pollReceived = exchange.poll.reception?.time,
      let responseSent = exchange.response?.transmitted, let responseReceived = exchange.response?.reception?.time,
      let finalSent = exchange.final?.transmitted, let finalReceived = exchange.final?.reception?.time
    else { return nil }
    let bits = exchange.counterBits
    var secondSent = responseSent
    var secondReceived = responseReceived
    if let second = exchange.secondPoll {
      guard let sent = second.transmitted, let received = second.reception?.time else { return nil }
      secondSent = sent
      secondReceived = received
    }
    self.init(
      roundA: Double(responseReceived.ticks(since: pollSent, counterBits: bits)),
      replyB: Double(responseSent.ticks(since: pollReceived, counterBits: bits)),
      roundB: Double(finalReceived.ticks(since: secondSent, counterBits: bits)),
      replyA: Double(finalSent.ticks(since: secondReceived, counterBits: bits)),
      messages: exchange.secondPoll == nil ? .three : .four)
  }
}
