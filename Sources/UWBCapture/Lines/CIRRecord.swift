import UWBTypes

/// One reception as formats hold it that log CIRs alone: no timestamps of an exchange, often none at all.
struct CIRRecord {
  /// When the frame arrived, where the format says.
  var received: DeviceTime?
  var firstPathTaps: Double?
  var impulseResponse: ChannelImpulseResponse?
  var preambleCount: Int?
  var receivedPowerdBm: Double?
  var firstPathPowerdBm: Double?
  var local: DeviceAddress?
  var chipReport: ChipReport?
  var truth: GroundTruth?

  /// The exchange that has this reception for its poll and nothing else: the engine finds first paths in it, and says
  /// `missingTimestamps` of its distance. A format that names no peer has peer 0, one without a clock has time 0.
  func rangingExchange(index: Int, time: Double) -> RangingExchange {
    RangingExchange(
      index: index, time: time, peer: DeviceAddress(rawValue: 0), local: local, initiator: .peer,
      poll: RangingMessage(
        reception: Reception(
          time: received ?? DeviceTime(ticks: 0), chipFirstPathTaps: firstPathTaps, impulseResponse: impulseResponse,
          preambleCount: preambleCount, receivedPowerdBm: receivedPowerdBm, firstPathPowerdBm: firstPathPowerdBm)),
      chipReport: chipReport, truth: truth)
  }

  /// Whether all numbers lie within `CaptureLimits`.
  var isInRange: Bool {
    func holds(_ range: ClosedRange<Double>, _ values: Double?...) -> Bool {
      values.allSatisfy { $0.map(range.contains) ?? true }
    }
    return holds(CaptureLimits.taps, firstPathTaps)
      && holds(CaptureLimits.power, receivedPowerdBm, firstPathPowerdBm)
      && holds(CaptureLimits.distance, chipReport?.distance)
      && (preambleCount.map(CaptureLimits.count.contains) ?? true)
  }

  /// Longest CIR that is believed, taps; a DW1000 or DW3000 has at most 1016 of the preamble.
  static let maximumTapCount = 4096
}
