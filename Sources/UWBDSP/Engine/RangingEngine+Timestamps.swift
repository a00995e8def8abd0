/// Timestamps moved to the first paths that CIRs tell, and the distance from them.
extension RangingEngine {
  /// How far a reception's timestamp is moved, ticks, and how uncertain it then is, ticks².
  struct Correction {
    /// By its own first path, or by what is expected of that.
    var ticks: Double
    var variance: Double
    /// By how much earlier the wave reached the antenna than the origin of the antennas' coordinates.
    var ahead = 0.0
    var moved: Double { ticks + ahead }
  }

  /// The chip stamped its own first path (a leading edge); ours is a peak, `peakOffsetTaps` later.
  /// Distance counts from the origin of the antennas' coordinates: a wave from direction u reaches place p earlier by
  /// p·u/c than the origin. `nil` where no CIR tells.
  func correction(
    _ analysis: ReceptionAnalysis?, by method: DelayMethod, direction: SIMD3<Double>?
  ) -> Correction? {
    guard method != .chip, let analysis, let chip = analysis.chipFirstPathTaps else { return nil }
    // The CIR may be sampled at another rate than the chip's own, in whose taps the profile holds its offset.
    let ticksPerTap = analysis.tapSpacing / UWB.tick
    let moved = (analysis.delayTaps - chip) * ticksPerTap - configuration.profile.peakOffsetTaps * UWB.ticksPerTap
    let ahead = direction.map { (analysis.position * $0).sum() } ?? 0
    let deviation = analysis.deviationTaps * ticksPerTap
    return Correction(
      ticks: moved, variance: deviation * deviation, ahead: ahead / (configuration.propagationSpeed * UWB.tick))
  }

  /// Standard deviation of a chip's first path less an estimator's in a clear channel, seconds: they call different places of a pulse its edge.
  private static let edgeDeviation = 0.2e-9

  /// For receptions of the exchange whose CIRs are not here, by those that are. A bias that is predicted from the CIRs is the whole of it,
  /// what the peer's chip missed included.
  func correctionWithoutCIR(_ exchange: RangingExchange, _ known: (Correction?, Correction?)) -> Correction {
    let profile = configuration.profile
    let (deviation, standing) = (profile.receptionDeviation / UWB.tick, Self.edgeDeviation / UWB.tick)
    var reciprocal = ReciprocalCorrection(chipVariance: deviation * deviation, standingVariance: standing * standing)
    if profile.missesFirstPaths, !quality.predictsRangeBias {
      if let first = known.0 { reciprocal.add(first.ticks, variance: first.variance) }
      if let second = known.1 { reciprocal.add(second.ticks, variance: second.variance) }
    }
    let receptions = 2 + (exchange.secondPoll == nil ? 0 : 1) + (exchange.final == nil ? 0 : 1)
    let move = reciprocal.move(receptions: receptions - reciprocal.count)
    return Correction(ticks: move.ticks, variance: move.variance)
  }

  func range(
    _ exchange: RangingExchange, clock: ClockTracker.Estimate?, poll: Correction, response: Correction,
    final: Correction, others: Correction, into result: inout RangingMeasurement
  ) {
    let own = ClockTracker.Estimate(exchange, configuration.clocks)
    // Until exchanges agree on the clocks, each is believed by itself.
    let clock = clock.flatMap { $0.isSettled || own == nil ? $0 : nil }
    guard let method = RangingMethod.fitting(exchange, clock: clock ?? own) else {
      takeReported(exchange, into: &result)
      return
    }
    // Timestamps come in whole ticks: 1/12 tick² each.
    let rounding = 1.0 / 12
    let variances = TimestampVariances(
      poll: poll.variance + rounding, response: response.variance + rounding,
      secondPoll: others.variance + rounding, final: final.variance + rounding)
    let metresPerTick = UWB.tick * configuration.propagationSpeed
    func flight(_ method: RangingMethod) -> (distance: Double, deviation: Double)? {
      let flight = method.timeOfFlight(
        movedBy: poll.moved, response.moved, secondPoll: others.moved, final.moved, variances)
      let distance = flight.ticks * metresPerTick
      guard distance.isFinite, configuration.possibleDistances.contains(distance) else { return nil }
      return (distance, flight.variance.squareRoot() * metresPerTick)
    }
    guard let measured = flight(method) else {
      result.status = .impossibleDistance
      return
    }
    result.distance = measured.distance
    result.distanceDeviation = measured.deviation
    // This exchange alone: by its own registers where it has any, whatever earlier ones told of the clocks.
    var alone = measured
    if clock != nil, own != nil, case .singleSided = method,
      let itself = RangingMethod.fitting(exchange, clock: own)
    {
      alone = flight(itself) ?? measured
    }
    result.rawDistance = alone.distance
    result.rawDistanceDeviation = alone.deviation
    if case .singleSided = method, let clock { result.clockRejections = clock.rejections }
    // `clockOffset` compares the initiator's clock with the responder's.
    let offset = method.clockOffset
    result.clockOffsetppm = 1e6 * (exchange.initiator == .peer ? offset : -offset)
  }
}
