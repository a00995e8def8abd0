/// Angle of arrival of one antenna pair: eight bytes.
public struct DiagnosticAngle: UCILayout {
  /// Difference of the arrival times at the two antennas, in the steps of the chip.
  public var timeDifference: Int16 = 0
  /// Q5.11 rad on Qorvo's chips.
  public var rawPhaseDifference: Int16 = 0
  /// Q5.11 rad on Qorvo's chips.
  public var rawAngle: Int16 = 0
  /// Confidence in the angle, in the scale of the chip.
  public var figureOfMerit: UInt8 = 0
  /// 0 x, 1 y, 2 z
  public var axis: UInt8 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&timeDifference, "time difference")
    try coder.code(&rawPhaseDifference, "phase difference")
    try coder.code(&rawAngle, "angle")
    try coder.code(&figureOfMerit, "figure of merit")
    try coder.code(&axis, "axis")
  }

  /// rad, on Qorvo's chips
  public var phaseDifference: Double { Double(rawPhaseDifference) / 2048 }
  /// rad, on Qorvo's chips
  public var angle: Double { Double(rawAngle) / 2048 }
}

/// Which part of a frame, at which receiver.
public struct SegmentID: Sendable, Hashable {
  /// The three parts in one byte.
  public var rawValue: UInt8 = 0
  /// 0 preamble, 1 – 4 segments 0 – 3 of the scrambled timestamp sequence
  public var segment: UInt8 { rawValue & 7 }
  /// Whether the receiver is the primary one.
  public var isPrimaryReceiver: Bool { rawValue & 8 != 0 }
  /// Number of the receiver.
  public var receiver: UInt8 { rawValue >> 4 }
}

/// A path's place and strength in an impulse response.
public struct SegmentPath: UCILayout {
  /// Place of the path, in the steps of the chip.
  public var index: UInt16 = 0
  /// Level, in the steps of the chip.
  public var rawLevel: UInt16 = 0
  /// 1/64 tap
  public var rawPosition: UInt16 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&index, "path's index")
    try coder.code(&rawLevel, "path's level")
    try coder.code(&rawPosition, "path's position")
  }

  /// Taps
  public var position: Double { Double(rawPosition) / 64 }
  /// dBm
  public var level: Double { SegmentMetrics.level(rawLevel) }
}

/// Noise, level and paths of one segment: 17 bytes.
public struct SegmentMetrics: UCILayout {
  /// Which segment of which receiver.
  public var id = SegmentID()
  /// dB
  public var noise: Int16 = 0
  /// Level, in the steps of the chip.
  public var rawLevel: UInt16 = 0
  /// The first path.
  public var firstPath = SegmentPath()
  /// The strongest path.
  public var peak = SegmentPath()

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&id.rawValue, "segment")
    try coder.code(&noise, "noise")
    try coder.code(&rawLevel, "level")
    try firstPath.code(&coder)
    try peak.code(&coder)
  }

  /// dBm
  public var level: Double { Self.level(rawLevel) }

  /// Q8.8 of the level below 0 dBm. Chips that write whole dBm, signed, have values from F000 on.
  static func level(_ raw: UInt16) -> Double {
    raw >= 0xF000 ? Double(Int16(bitPattern: raw)) : -Double(raw) / 256
  }
}

/// Android's window of an impulse response; the samples' format is the chip's own.
public struct PathWindow: UCILayout {
  /// Place of the first path.
  public var firstPathIndex: UInt16 = 0
  /// Signal-to-noise ratio of the first path.
  public var firstPathSNR: UInt16 = 0
  /// Time of the first path.
  public var firstPathTime: UInt16 = 0
  /// Place of the strongest path.
  public var peakIndex: UInt16 = 0
  /// Signal-to-noise ratio of the strongest path.
  public var peakSNR: UInt16 = 0
  /// Time of the strongest path.
  public var peakTime: UInt16 = 0
  /// Place of the first path in the window.
  public var firstPathOffset: UInt8 = 0
  /// Number of samples.
  public var sampleCount: UInt8 = 0
  /// Samples, in the format of the chip.
  public var samples: [UInt8] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&firstPathIndex, "first path's index")
    try coder.code(&firstPathSNR, "first path's SNR")
    try coder.code(&firstPathTime, "first path's time")
    try coder.code(&peakIndex, "peak's index")
    try coder.code(&peakSNR, "peak's SNR")
    try coder.code(&peakTime, "peak's time")
    try coder.code(&firstPathOffset, "first path's offset")
    try coder.code(&sampleCount, "samples")
    try coder.codeCounted(&samples, UInt16.self, "window")
  }
}

/// Qorvo's window of an impulse response.
public struct SegmentImpulseResponse: UCILayout {
  /// Which segment of which receiver.
  public var id = SegmentID()
  /// Taps; how the window lies to the first path is not documented.
  public var firstPathOffset: Int8 = 0
  /// As the message has them.
  var packed = PackedTaps()
  /// Octets of a tap: half in phase, half quadrature.
  public var tapOctets: UInt8 { packed.octets }
  /// Tap after tap, in phase and quadrature, signed.
  public var taps: [SIMD2<Int64>] {
    get { packed.values }
    set { packed = PackedTaps(newValue, octets: tapOctets) }
  }

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&id.rawValue, "segment")
    try coder.code(&firstPathOffset, "first path's offset")
    let count = try coder.codeCount(packed.count, UInt8.self, "taps")
    let place = coder.offset
    var octets = tapOctets
    try coder.code(&octets, "octets of a tap")
    guard coder.isReading else { return coder.write(packed.bytes) }
    guard PackedTaps.isTap(octets: Int(octets)) else {
      throw .invalid(field: "octets of a tap", offset: place, value: UInt64(octets))
    }
    packed = PackedTaps(try coder.read(count: count * Int(octets), "tap"), octets: octets)
  }
}
