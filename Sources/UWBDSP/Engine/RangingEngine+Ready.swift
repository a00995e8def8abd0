extension RangingEngine {
  /// What a radio has ranged by itself, with what its impulse responses add: first paths, their strength, and line of sight where the radio
  /// has not told. Distances stay the radio's: an impulse response without timestamps moves none.
  func complete(
    _ ready: RadioMeasurement, of exchange: RangingExchange, using workspace: Workspace
  ) -> RangingMeasurement {
    var result = ready.measurement(of: exchange.peer, exchange: exchange.index, at: exchange.time)
    workspace.qualityFeatures = nil
    guard isSupported else { return result }
    let isResponder = exchange.initiator == .peer
    let (first, second) = exchange.localMessages
    guard first?.isReceived == true || second?.isReceived == true else { return result }
    let firstAnalysis = analyse(first, &workspace.poll, by: configuration.delay)
    let secondAnalysis = analyse(second, &workspace.final, by: configuration.delay)
    var seen = result
    let method = configuration.delay
    let opening = report(firstAnalysis, chip: first?.chipFirstPathTaps, by: method, in: &seen)
    seen.firstPathTaps.final = report(secondAnalysis, chip: second?.chipFirstPathTaps, by: method, in: &seen)
    if isResponder { seen.firstPathTaps.poll = opening } else { seen.firstPathTaps.response = opening }
    (result.firstPathTaps, result.snrdB) = (seen.firstPathTaps, seen.snrdB)
    workspace.joinFeatures(firstAnalysis, secondAnalysis)
    quality.judge(&workspace.qualityFeatures, into: &seen)
    if ready.lineOfSightProbability == nil {
      result.lineOfSightProbability = seen.lineOfSightProbability
      result.isLineOfSightUnknown = seen.isLineOfSightUnknown
    }
    return result
  }
}
