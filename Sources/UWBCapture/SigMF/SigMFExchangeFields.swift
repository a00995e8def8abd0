import UWBTypes

// From the types of the engine to the fields of a recording, and back. JSON knows no infinity and no NaN: such a number
// becomes absent.

extension SigMFMessage {
  init(_ name: Name, _ message: RangingMessage) {
    self.name = name
    transmitted = message.transmitted?.ticks
    guard let reception = message.reception else { return }
    received = reception.time.ticks
    firstPath = reception.chipFirstPathTaps?.finite
    preambleCount = reception.preambleCount
    receivedPower = reception.receivedPowerdBm?.finite
    firstPathPower = reception.firstPathPowerdBm?.finite
    noiseThreshold = reception.noiseThreshold
    firstPathAmplitudes = reception.firstPathAmplitudes.flatMap { amplitudes in
      let list = [amplitudes.x, amplitudes.y, amplitudes.z]
      return list.finite
    }
    noiseDeviation = reception.noiseDeviation?.finite
    carrierOffset = reception.carrierOffsetppm?.finite
    timeTrackingOffset = reception.timeTrackingOffsetppm?.finite
    antennaPhases = reception.antennaPhases?.finite
    antennaFirstPaths = reception.antennaFirstPathTaps?.finite
  }

  /// The message, with the CIRs that belong to it.
  func rangingMessage(
    _ impulseResponse: ChannelImpulseResponse? = nil, _ stsImpulseResponses: [ChannelImpulseResponse] = []
  ) -> RangingMessage {
    RangingMessage(
      transmitted: transmitted.map { DeviceTime(ticks: $0) },
      reception: received.map { time in
        Reception(
          time: DeviceTime(ticks: time), chipFirstPathTaps: firstPath, impulseResponse: impulseResponse,
          preambleCount: preambleCount, receivedPowerdBm: receivedPower, firstPathPowerdBm: firstPathPower,
          noiseThreshold: noiseThreshold, antennaPhases: antennaPhases, antennaFirstPathTaps: antennaFirstPaths,
          firstPathAmplitudes: firstPathAmplitudes.flatMap { $0.count == 3 ? SIMD3($0[0], $0[1], $0[2]) : nil },
          noiseDeviation: noiseDeviation, carrierOffsetppm: carrierOffset, timeTrackingOffsetppm: timeTrackingOffset,
          stsImpulseResponses: stsImpulseResponses)
      })
  }
}

extension SigMFExchange {
  init(_ exchange: RangingExchange, messageCount: Int, otherMessages: [SigMFMessage]) {
    self.messageCount = messageCount
    time = exchange.time.finite ?? 0
    peer = exchange.peer.description
    local = exchange.local?.description
    initiator = exchange.initiator == .local ? .local : .peer
    counterBits = exchange.counterBits == 40 ? nil : exchange.counterBits
    self.otherMessages = otherMessages.isEmpty ? nil : otherMessages
    phaseDifferences = exchange.phaseDifferences?.finite
    report = exchange.chipReport.map {
      Report(
        distance: $0.distance?.finite, rawDistance: $0.rawDistance?.finite, clockOffset: $0.clockOffsetppm?.finite,
        azimuth: $0.azimuth?.finite, elevation: $0.elevation?.finite)
    }
    ready = exchange.ready.map(Ready.init)
    hasFailed = exchange.hasFailed ? true : nil
    peerPosition = exchange.peerPosition.flatMap { [$0.x, $0.y, $0.z].finite }
    truth = exchange.truth.map {
      Truth(
        distance: $0.distance?.finite, azimuth: $0.azimuth?.finite, elevation: $0.elevation?.finite,
        isLineOfSight: $0.isLineOfSight)
    }
  }

  // Byte by byte: a recording has two addresses for each exchange.
  private static func address(_ text: String) -> DeviceAddress? {
    var value: UInt64 = 0
    guard (1...16).contains(text.utf8.count) else { return nil }
    for byte in text.utf8 {
      guard let digit = ByteText.hexadecimalDigit(byte) else { return nil }
      value = value << 4 | digit
    }
    return DeviceAddress(rawValue: value)
  }

  /// The exchange of these messages; `nil` where an address is none, or the poll is missing.
  func rangingExchange(index: Int, messages: [(name: SigMFMessage.Name, message: RangingMessage)]) -> RangingExchange? {
    func message(_ name: SigMFMessage.Name) -> RangingMessage? { messages.first { $0.name == name }?.message }
    guard let peer = Self.address(peer), let poll = message(.poll) else { return nil }
    var localAddress: DeviceAddress?
    if let local {
      guard let address = Self.address(local) else { return nil }
      localAddress = address
    }
    var exchange = RangingExchange(
      index: index, time: time, peer: peer, local: localAddress, initiator: initiator == .local ? .local : .peer,
      poll: poll, response: message(.response), secondPoll: message(.secondPoll), final: message(.final),
      counterBits: counterBits ?? 40,
      chipReport: report.map {
        ChipReport(
          distance: $0.distance, rawDistance: $0.rawDistance, clockOffsetppm: $0.clockOffset, azimuth: $0.azimuth,
          elevation: $0.elevation)
      },
      phaseDifferences: phaseDifferences,
      truth: truth.map {
        GroundTruth(
          distance: $0.distance, azimuth: $0.azimuth, elevation: $0.elevation, isLineOfSight: $0.isLineOfSight)
      })
    exchange.ready = ready?.measurement
    exchange.hasFailed = hasFailed ?? false
    exchange.peerPosition = peerPosition.flatMap { $0.count == 3 ? SIMD3($0[0], $0[1], $0[2]) : nil }
    return exchange
  }
}

extension SigMFExchange.Ready {
  init(_ measurement: RadioMeasurement) {
    distance = measurement.distance?.finite
    distanceDeviation = measurement.distanceDeviation.finite ?? 0
    azimuth = measurement.azimuth.flatMap(Angle.init)
    elevation = measurement.elevation.flatMap(Angle.init)
    lineOfSightProbability = measurement.lineOfSightProbability?.finite
  }

  var measurement: RadioMeasurement {
    RadioMeasurement(
      distance: distance, distanceDeviation: distanceDeviation, azimuth: azimuth?.measured,
      elevation: elevation?.measured, lineOfSightProbability: lineOfSightProbability)
  }
}

extension SigMFExchange.Ready.Angle {
  init?(_ angle: RadioMeasurement.Angle) {
    guard angle.value.isFinite, angle.deviation.isFinite, angle.figureOfMerit.isFinite else { return nil }
    (value, deviation, figureOfMerit) = (angle.value, angle.deviation, angle.figureOfMerit)
  }

  fileprivate var measured: RadioMeasurement.Angle {
    RadioMeasurement.Angle(value, deviation: deviation, figureOfMerit: figureOfMerit)
  }
}

extension RangingExchange {
  /// The messages that there are, by name, in the order in which they were sent.
  var namedMessages: [(name: SigMFMessage.Name, message: RangingMessage)] {
    [
      (SigMFMessage.Name.poll, poll as RangingMessage?), (.response, response), (.secondPoll, secondPoll),
      (.final, final),
    ]
    .compactMap { name, message in message.map { (name, $0) } }
  }
}

extension Double {
  fileprivate var finite: Double? { isFinite ? self : nil }
}

extension [Double] {
  // A list that lost an element would speak of other antennas.
  fileprivate var finite: [Double]? { allSatisfy(\.isFinite) ? self : nil }
}
