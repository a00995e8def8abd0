/// What a receiver reports of one received frame.
///
/// Everything but the timestamp is optional: captures differ in what they keep, and an absent value stays absent.
public struct Reception: Sendable {
  /// The frame's receive timestamp as the chip adjusted it to its own first path, on the receiver's clock.
  public var time: DeviceTime
  /// The chip's own first path (its leading edge), taps from the start of the accumulator; fractional.
  public var chipFirstPathTaps: Double?
  /// The accumulator, one row an antenna.
  public var impulseResponse: ChannelImpulseResponse?
  /// The accumulators of the segments of the scrambled timestamp sequence (STS), in the order in which they were received. Each has
  /// rows as `impulseResponse` has. With one antenna a segment (PDoA mode 3 of a DW3000) they are those of different antennas.
  public var stsImpulseResponses: [ChannelImpulseResponse]
  /// What each antenna's receiver added to the phase of its samples, rad, one for each antenna. That is the phase of its
  /// carrier loop at the first path (RCPHASE of a DW1000 or DW3000, 2π/128 a step), and what is known of its cables.
  /// It is subtracted: antennas m and 0 differ by arg(h_m·h_0*) − (φ_m − φ_0). `nil` where the samples' phases compare as
  /// they are.
  public var antennaPhases: [Double]?
  /// Each chip's own first path in its own row of the impulse response, taps, where every antenna has a chip. Their
  /// accumulators start at different times: row m is taken to be f_m − f_0 taps later than row 0, and the rest of that
  /// difference is estimated. Timestamp and `chipFirstPathTaps` are those of antenna 0. `nil` where one chip took all rows.
  public var antennaFirstPathTaps: [Double]?
  /// Preamble symbols that were accumulated (RXPACC).
  public var preambleCount: Int?
  /// The chip's estimate of the received power, dBm.
  public var receivedPowerdBm: Double?
  /// The chip's estimate of the power of the first path, dBm.
  public var firstPathPowerdBm: Double?
  /// The chip's own noise threshold, in accumulator counts.
  public var noiseThreshold: Int?
  /// Magnitudes of the accumulator at the three taps round the chip's first path, counts.
  @inlinable public var firstPathAmplitudes: SIMD3<Double>? {
    get { amplitudes?.vector }
    set { amplitudes = newValue.map(PackedVector.init) }
  }
  @usableFromInline var amplitudes: PackedVector?
  /// The chip's own standard deviation of the accumulator's noise, counts.
  public var noiseDeviation: Double?
  /// Offset of the clocks by the carrier: rate of the sender's over the receiver's less 1, parts per million. Registers have
  /// signs of their own: `ClockRegisters`.
  public var carrierOffsetppm: Double?
  /// The same by the receiver's time tracking, in the same sign.
  public var timeTrackingOffsetppm: Double?

  /// Creates one with the given values.
  @inlinable public init(
    time: DeviceTime, chipFirstPathTaps: Double? = nil, impulseResponse: ChannelImpulseResponse? = nil,
    preambleCount: Int? = nil, receivedPowerdBm: Double? = nil, firstPathPowerdBm: Double? = nil,
    noiseThreshold: Int? = nil, antennaPhases: [Double]? = nil, antennaFirstPathTaps: [Double]? = nil,
    firstPathAmplitudes: SIMD3<Double>? = nil, noiseDeviation: Double? = nil, carrierOffsetppm: Double? = nil,
    timeTrackingOffsetppm: Double? = nil, stsImpulseResponses: [ChannelImpulseResponse] = []
  ) {
    self.time = time
    self.chipFirstPathTaps = chipFirstPathTaps
    self.impulseResponse = impulseResponse
    self.preambleCount = preambleCount
    self.receivedPowerdBm = receivedPowerdBm
    self.firstPathPowerdBm = firstPathPowerdBm
    self.noiseThreshold = noiseThreshold
    self.antennaPhases = antennaPhases
    self.antennaFirstPathTaps = antennaFirstPathTaps
    amplitudes = firstPathAmplitudes.map(PackedVector.init)
    self.noiseDeviation = noiseDeviation
    self.carrierOffsetppm = carrierOffsetppm
    self.timeTrackingOffsetppm = timeTrackingOffsetppm
    self.stsImpulseResponses = stsImpulseResponses
  }

  /// The chip's own first path, where it is a place in or near an accumulator.
  package var usableChipFirstPathTaps: Double? {
    chipFirstPathTaps.flatMap { abs($0) <= 2 * Double(EngineLimits.tapCount.upperBound) ? $0 : nil }
  }
}
