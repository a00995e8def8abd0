/// The ranging formula that fits what an exchange holds: double-sided where all four intervals are there, single-sided
/// where one round and the clocks' offset are.
enum RangingMethod {
  case doubleSided(TwoWayRanging)
  case singleSided(SingleSidedRanging, offsetVariance: Double)

  /// - Parameter clock: what is known of the two clocks; single-sided ranging needs it.
  static func fitting(_ exchange: RangingExchange, clock: ClockTracker.Estimate?) -> RangingMethod? {
    if let whole = TwoWayRanging(exchange) { return .doubleSided(whole) }
    guard let clock,
      let half = SingleSidedRanging(exchange, clockOffset: clock.offset(ofInitiator: exchange.initiator))
    else { return nil }
    return .singleSided(half, offsetVariance: clock.offsetVariance)
  }

  /// Initiator's clock rate over the responder's, less 1.
  var clockOffset: Double {
    switch self {
    case .doubleSided(let ranging): ranging.clockOffset
    case .singleSided(let ranging, _): ranging.clockOffset
    }
  }

  /// Time of flight with receptions moved by so many ticks (later is positive).
  func timeOfFlight(
    movedBy poll: Double, _ response: Double, secondPoll: Double, _ final: Double, _ variances: TimestampVariances
  ) -> TimeOfFlight {
    switch self {
    case .doubleSided(let ranging):
      ranging.moving(poll: poll, response: response, secondPoll: secondPoll, final: final).timeOfFlight(variances)
    case .singleSided(let ranging, let offsetVariance):
      ranging.moving(poll: poll, response: response).timeOfFlight(variances, offsetVariance: offsetVariance)
    }
  }
}
