import UWBTypes

/// One reception as formats hold it that log CIRs alone: no timestamps of an exchange, often none at all.
struct CIRRecord {
  /// When the frame arrived, where the format says.
  var received: DeviceTime?
  var firstPathTaps: Double?
  /// When it was logged, s on the log's own clock, where it has one.
  var loggedTime: Double?
  var impulseResponse: ChannelImpulseResponse?
  var stsImpulseResponses: [ChannelImpulseResponse] = []
  var preambleCount: Int?
  var receivedPowerdBm: Double?
  var firstPathPowerdBm: Double?
  var noiseThreshold: Int?
  var firstPathAmplitudes: SIMD3<Double>?
  var noiseDeviation: Double?
  var phaseDifferences: [Double]?
  var peer = DeviceAddress(rawValue: 0)
  var local: DeviceAddress?
  var chipReport: ChipReport?
  var truth: GroundTruth?

  /// The exchange that has this reception for its poll and nothing else: the engine finds first paths in it, and says
  /// `missingTimestamps` of its distance. A format that names no peer has peer 0, one without a clock has time 0.
  func rangingExchange(index: Int, time: Double) -> RangingExchange {
    RangingExchange(
      index: index, time: time, peer: peer, local: local, initiator: .peer,
      poll: RangingMessage(
        reception: Reception(
          time: received ?? DeviceTime(ticks: 0), chipFirstPathTaps: firstPathTaps, impulseResponse: impulseResponse,
          preambleCount: preambleCount, receivedPowerdBm: receivedPowerdBm, firstPathPowerdBm: firstPathPowerdBm,
          noiseThreshold: noiseThreshold, firstPathAmplitudes: firstPathAmplitudes, noiseDeviation: noiseDeviation,
          stsImpulseResponses: stsImpulseResponses)),
      chipReport: chipReport, phaseDifferences: phaseDifferences, truth: truth)
  }

  /// Whether all numbers lie within `CaptureLimits`.
  var isInRange: Bool {
    func holds(_ range: ClosedRange<Double>, _ values: Double?...) -> Bool {
      values.allSatisfy { $0.map(range.contains) ?? true }
    }
    return holds(CaptureLimits.taps, firstPathTaps)
      && holds(CaptureLimits.power, receivedPowerdBm, firstPathPowerdBm)
      && holds(CaptureLimits.distance, chipReport?.distance, chipReport?.rawDistance, truth?.distance)
      && holds(CaptureLimits.amplitude, firstPathAmplitudes?.x, firstPathAmplitudes?.y, firstPathAmplitudes?.z)
      && holds(CaptureLimits.amplitude, noiseDeviation)
      && holds(CaptureLimits.time, loggedTime)
      && (noiseThreshold.map(CaptureLimits.count.contains) ?? true)
      && (preambleCount.map(CaptureLimits.count.contains) ?? true)
  }

  /// Longest CIR that is believed, taps; a DW1000 or DW3000 has at most 1016 of the preamble.
  static let maximumTapCount = 4096
}
