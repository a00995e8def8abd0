/// What became of one exchange's distance.
public enum MeasurementStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// Distance is good; direction is too where it is not `nil`.
  case ok
  /// No tap of a reception rises above the detection threshold.
  case noFirstPath
  /// A reception holds no usable samples: all zero, not finite, or beyond what single precision can square.
  case emptyImpulseResponse
  /// A CIR or the antenna array is beyond `EngineLimits`.
  case beyondLimits
  /// A fit did not settle.
  case didNotConverge
  /// A timestamp that the ranging formula needs is absent: of the four intervals, or of a round and a reply with a known
  /// offset between the clocks.
  case missingTimestamps
  /// There are no CIRs and no timestamps, and the phase differences or angles that stand in their place give no direction.
  case noDirection
  /// The radio ranges by itself, and says that the round failed.
  case failedRound
  /// The timestamps give a distance that can't be: far below zero, or beyond the configured limit.
  case impossibleDistance
}

/// First paths, by the message in whose reception they were found: taps from the start of the accumulator.
public struct FirstPaths: Sendable, Hashable, Codable {
  /// First path of the poll, taps.
  public var poll: Double?
  /// First path of the response, taps.
  public var response: Double?
  /// First path of the final, taps.
  public var final: Double?

  /// Creates one with the given values.
  public init(poll: Double? = nil, response: Double? = nil, final: Double? = nil) {
    self.poll = poll
    self.response = response
    self.final = final
  }
}

/// What the engine makes of one exchange: calibrated, not tracked.
public struct RangingMeasurement: Sendable, Hashable, Codable {
  /// Counts the exchanges of a capture from 0.
  public var exchange: Int
  /// Seconds since the capture's first exchange, on the local device's clock.
  public var time: Double
  /// Address of the other device.
  public var peer: DeviceAddress
  /// Whether a distance was measured, and why not.
  public var status: MeasurementStatus
  /// m, what the calibration knows of taken off; `nil` unless the status is `ok`, and where there is nothing but a
  /// direction
  public var distance: Double?
  /// m, standard deviation
  public var distanceDeviation: Double?
  /// m, this exchange alone: no calibration, no memory of other exchanges
  public var rawDistance: Double?
  /// m, standard deviation
  public var rawDistanceDeviation: Double?
  /// Unit vector from the local device to the peer; needs two antennas. A row of antennas measures the angle to itself
  /// alone: the peer is then taken to be in the plane through the row and the −z axis.
  public var direction: SIMD3<Double>?
  /// rad, positive to the right; `nil` for a row of antennas along y
  public var azimuth: Double?
  /// rad, standard deviation
  public var azimuthDeviation: Double?
  /// rad, positive upwards; needs antennas in two dimensions, or a row along y
  public var elevation: Double?
  /// rad, standard deviation
  public var elevationDeviation: Double?
  /// How good the direction is; `nil` where none was sought, or the exchange has no usable first path.
  public var directionStatus: DirectionStatus?
  /// Where the peer may be instead, where the direction is ambiguous: the best of the other candidates.
  public var alternativeDirection: SourceDirection?
  /// First paths of the frames that the local device received, taps.
  public var firstPathTaps: FirstPaths
  /// Power of the first path over the noise variance of a tap, dB: the weakest of the exchange's receptions.
  public var snrdB: Double?
  /// Rate of the peer's clock over the local one less 1, parts per million.
  public var clockOffsetppm: Double?
  /// Exchanges in a row, up to this one, whose readings contradict the clock offset that the distance was made with; `nil`
  /// where no other exchange has a part in it. 0 is what it should be.
  public var clockRejections: Int?
  /// 0 … 1
  public var lineOfSightProbability: Double?
  /// Whether the CIRs are unlike all that the model was trained on; `lineOfSightProbability` is then 0.5 and no evidence.
  public var isLineOfSightUnknown = false
  /// What the CIRs' shape says that `distance` is too long by, m; needs a calibration with the delay estimator in use.
  public var rangeBias: Double?
  /// m, standard deviation of `distance` less `rangeBias`, noise included. Most of it is the place's, and no average
  /// over the exchanges of one place makes it smaller.
  public var rangeBiasDeviation: Double?
  /// What gave the first paths where the configured delay estimator gave no distance ; `nil` where it did. Line of
  /// sight and range bias are then not told.
  public var fallback: FirstPathFallback?

  /// Creates one with the given values.
  public init(
    exchange: Int, time: Double, peer: DeviceAddress, status: MeasurementStatus, distance: Double? = nil,
    distanceDeviation: Double? = nil, rawDistance: Double? = nil, rawDistanceDeviation: Double? = nil,
    direction: SIMD3<Double>? = nil, azimuth: Double? = nil,
    azimuthDeviation: Double? = nil, elevation: Double? = nil, elevationDeviation: Double? = nil,
    directionStatus: DirectionStatus? = nil, alternativeDirection: SourceDirection? = nil,
    firstPathTaps: FirstPaths = FirstPaths(), snrdB: Double? = nil, clockOffsetppm: Double? = nil,
    clockRejections: Int? = nil,
    lineOfSightProbability: Double? = nil, rangeBias: Double? = nil, rangeBiasDeviation: Double? = nil,
    fallback: FirstPathFallback? = nil
  ) {
    self.exchange = exchange
    self.time = time
    self.peer = peer
    self.status = status
    self.distance = distance
    self.distanceDeviation = distanceDeviation
    self.rawDistance = rawDistance ?? distance
    self.rawDistanceDeviation = rawDistanceDeviation ?? distanceDeviation
    self.direction = direction
    self.azimuth = azimuth
    self.azimuthDeviation = azimuthDeviation
    self.elevation = elevation
    self.elevationDeviation = elevationDeviation
    self.directionStatus = directionStatus
    self.alternativeDirection = alternativeDirection
    self.firstPathTaps = firstPathTaps
    self.snrdB = snrdB
    self.clockOffsetppm = clockOffsetppm
    self.clockRejections = clockRejections
    self.lineOfSightProbability = lineOfSightProbability
    self.rangeBias = rangeBias
    self.rangeBiasDeviation = rangeBiasDeviation
    self.fallback = fallback
  }
}
