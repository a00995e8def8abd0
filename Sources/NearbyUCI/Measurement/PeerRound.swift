import UWBTypes

/// One peer's part in a round, whatever kind of ranging it was.
struct PeerRound: Sendable {
  var peer: DeviceAddress
  var status: UCIStatus
  /// `nil` where the round failed.
  var measurement: RadioMeasurement?
  /// Downlink alone: when the anchor's message left and came, each on its own clock.
  var transmitted: DeviceTime?
  var received: DeviceTime?
}

extension PeerRound {
  fileprivate init(_ round: TwoWayMeasurement) {
    self.init(peer: round.address.device, status: round.status, measurement: round.radioMeasurement)
  }

  fileprivate init(_ round: OneWayAngleMeasurement) {
    self.init(
      peer: round.address.device, status: round.status,
      measurement: RadioMeasurement(
        status: round.status, azimuth: round.azimuth, elevation: round.elevation, lineOfSight: round.lineOfSight))
  }

  fileprivate init(_ message: DownlinkMeasurement) {
    self.init(
      peer: message.address.device, status: message.status,
      measurement: RadioMeasurement(
        status: message.status, azimuth: message.azimuth, elevation: message.elevation,
        lineOfSight: message.lineOfSight),
      transmitted: DeviceTime(ticks: message.transmitTime), received: DeviceTime(ticks: message.receiveTime))
  }
}

extension SessionInfo.Measurements {
  /// Peers that have a part; none for kinds of ranging that have no layout here.
  var peerCount: Int {
    switch self {
    case .twoWay(let list): list.count
    case .oneWayAngle(let list): list.count
    case .downlink(let list): list.count
    case .sizedDownlink, .other: 0
    }
  }

  /// A peer's part, in the notification's order; `nil` from `peerCount` on.
  func peer(_ index: Int) -> PeerRound? {
    guard index < peerCount else { return nil }
    switch self {
    case .twoWay(let list): return PeerRound(list[index])
    case .oneWayAngle(let list): return PeerRound(list[index])
    case .downlink(let list): return PeerRound(list[index])
    case .sizedDownlink, .other: return nil
    }
  }

  /// Whether a peer has this address.
  func isOf(_ emitter: UInt16) -> Bool {
    let address = UInt64(emitter)
    return switch self {
    case .twoWay(let list): list.contains { $0.address.value == address }
    case .oneWayAngle(let list): list.contains { $0.address.value == address }
    case .downlink(let list): list.contains { $0.address.value == address }
    case .sizedDownlink, .other: false
    }
  }

  /// Whether what they say is known.
  var isRead: Bool {
    switch self {
    case .twoWay, .oneWayAngle, .downlink: true
    case .sizedDownlink, .other: false
    }
  }
}

extension UCIAddress {
  var device: DeviceAddress { DeviceAddress(rawValue: value) }
}

extension TwoWayMeasurement {
  /// What the round has measured; `nil` where it failed, or gave neither a distance nor an angle.
  public var radioMeasurement: RadioMeasurement? {
    guard distance != nil || azimuth.degrees != nil || elevation.degrees != nil else { return nil }
    return RadioMeasurement(
      status: status, distance: distance, azimuth: azimuth, elevation: elevation, lineOfSight: lineOfSight)
  }
}

extension RadioMeasurement {
  /// Standard deviation of a distance, m: chips give whole centimetres, and none of them says how good they are.
  private static let distanceDeviation = 0.1
  /// Chips say yes or no to line of sight. They are taken to be right nine times in ten.
  private static let lineOfSightCertainty = 0.9

  /// `nil` for a round that failed.
  fileprivate init?(
    status: UCIStatus, distance: Double? = nil, azimuth: UCIAngle, elevation: UCIAngle, lineOfSight: UCILineOfSight
  ) {
    guard status.hasMeasured else { return nil }
    self.init(
      distance: distance, distanceDeviation: Self.distanceDeviation, azimuth: azimuth.radioAngle,
      elevation: elevation.radioAngle)
    switch lineOfSight {
    case .clear: lineOfSightProbability = Self.lineOfSightCertainty
    case .obstructed: lineOfSightProbability = 1 - Self.lineOfSightCertainty
    default: break
    }
  }
}

extension UCIAngle {
  /// Standard deviation of an angle with a figure of merit of 100 %, rad.
  private static let deviation = Double.pi / 36

  /// The deviation grows as the figure of merit falls.
  fileprivate var radioAngle: RadioMeasurement.Angle? {
    degrees.map {
      let merit = min(1, Double(figureOfMerit) / 100)
      return RadioMeasurement.Angle($0 * .pi / 180, deviation: Self.deviation / merit, figureOfMerit: merit)
    }
  }
}
