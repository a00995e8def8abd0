import UWBTypes

/// What the log has told so far of one exchange.
struct PartialDecaRangingExchange {
  /// A frame that the anchor received.
  struct ReceivedFrame {
    var time: DeviceTime
    var function: UInt8
    var sequence: UInt8
    var frame: DecaRangingFrame?
    var quality: DecaRangingLine.Quality?
    var accumulator: (storage: TapStorage, tapCount: Int)?

    /// The frame as the engine takes it. Amplitudes grow with the preamble symbols accumulated, hence the scale.
    var reception: Reception {
      Reception(
        time: time, chipFirstPathTaps: quality?.firstPathTaps,
        impulseResponse: accumulator.map {
          ChannelImpulseResponse(
            storage: $0.storage, format: .int16, tapCount: $0.tapCount, scale: 1 / Float(quality?.preambleCount ?? 1))
        },
        preambleCount: quality?.preambleCount, receivedPowerdBm: quality?.receivedPowerdBm,
        firstPathPowerdBm: quality?.firstPathPowerdBm, noiseThreshold: quality?.noiseThreshold)
    }
  }

  /// Waits between the messages, ticks, as either side's clock measures them.
  struct Intervals: Equatable {
    /// Ra and Db.
    var pollToResponse: (tag: UInt64, anchor: UInt64)?
    /// Da and Rb.
    var responseToFinal: (tag: UInt64, anchor: UInt64)?

    static func == (one: Intervals, other: Intervals) -> Bool {
      one.pollToResponse?.tag == other.pollToResponse?.tag
        && one.pollToResponse?.anchor == other.pollToResponse?.anchor
        && one.responseToFinal?.tag == other.responseToFinal?.tag
        && one.responseToFinal?.anchor == other.responseToFinal?.anchor
    }
  }

  var poll: ReceivedFrame?
  var responseTransmitted: DeviceTime?
  var final: ReceivedFrame?
  var report: ChipReport?
  /// The intervals as the log prints them after its report.
  var logged = Intervals()

  /// Whether all six timestamps are there.
  var isWhole: Bool { intervals != nil }

  /// Whether the report is there to its end.
  var isReported: Bool { report != nil && logged.pollToResponse != nil && logged.responseToFinal != nil }

  /// The intervals from the timestamps.
  var intervals: Intervals? {
    guard let poll, let sent = responseTransmitted, let final, let tag = final.frame?.tagTimes else { return nil }
    return Intervals(
      pollToResponse: (tag.responseReceived.ticks(since: tag.pollTransmitted), sent.ticks(since: poll.time)),
      responseToFinal: (tag.finalTransmitted.ticks(since: tag.responseReceived), final.time.ticks(since: sent)))
  }

  /// Whether poll, response and final can be of one exchange: both sides measured about the same waits, and the poll
  /// and the final came from one tag.
  ///
  /// Two clocks within the 20 ppm of IEEE 802.15.4 and a flight of kilometres differ by far less than a millisecond;
  /// frames of different exchanges, whose lines in between were lost, by tens of milliseconds.
  var isConsistent: Bool {
    guard let intervals, let one = intervals.pollToResponse, let other = intervals.responseToFinal else { return false }
    let tolerance = UInt64(1e-3 / UWB.tick)
    func agree(_ tag: UInt64, _ anchor: UInt64) -> Bool {
      max(tag, anchor) - min(tag, anchor) <= tolerance
    }
    guard agree(one.tag, one.anchor), agree(other.tag, other.anchor) else { return false }
    guard let first = poll?.frame, first.isIntact, let second = final?.frame, second.isIntact else { return true }
    return first.source == second.source && first.destination == second.destination
  }

  /// The exchange as the engine takes it; `nil` unless all six timestamps are there.
  func rangingExchange(index: Int, time: Double) -> RangingExchange? {
    guard let poll, let sent = responseTransmitted, let final, let frame = final.frame, let tag = frame.tagTimes else {
      return nil
    }
    return RangingExchange(
      index: index, time: time, peer: frame.source, local: frame.destination, initiator: .peer,
      poll: RangingMessage(transmitted: tag.pollTransmitted, reception: poll.reception),
      response: RangingMessage(transmitted: sent, reception: Reception(time: tag.responseReceived)),
      final: RangingMessage(transmitted: tag.finalTransmitted, reception: final.reception), chipReport: report)
  }
}
