/// The `global` object of a recording: what holds for all of it.
///
/// Fields named `core:` are those of the SigMF specification 1.2; `uwb:` fields are described in
/// `Documentation/reference/SigMF-uwb-extension.md`.
struct SigMFGlobal: Codable, Equatable {
  struct Extension: Codable, Equatable {
    var name: String
    var version: String
    var optional: Bool
  }

  var datatype: String
  var sampleRate: Double?
  var version: String
  var channelCount: Int?
  var recorder: String?
  var sha512: String?
  var extensions: [Extension]?
  var profile: String?
  var antennaPositions: [[Double]]?
  var carrier: Double?
  var notes: [String]?
  var hasPhase: Bool?

  enum CodingKeys: String, CodingKey {
    case datatype = "core:datatype"
    case sampleRate = "core:sample_rate"
    case version = "core:version"
    case channelCount = "core:num_channels"
    case recorder = "core:recorder"
    case sha512 = "core:sha512"
    case extensions = "core:extensions"
    case profile = "uwb:profile"
    case antennaPositions = "uwb:antenna_positions_m"
    case carrier = "uwb:carrier_hz"
    case notes = "uwb:notes"
    case hasPhase = "uwb:phase"
  }
}

/// One message of an exchange, as its own capture segment holds it, or `uwb:other_messages` where it has no CIR.
struct SigMFMessage: Encodable, Equatable {
  enum Name: String, Encodable {
    case poll, response, final
    case secondPoll = "second_poll"
  }

  var name: Name
  var transmitted: UInt64?
  var received: UInt64?
  var firstPath: Double?
  var preambleCount: Int?
  var receivedPower: Double?
  var firstPathPower: Double?
  var noiseThreshold: Int?
  /// Three of them.
  var firstPathAmplitudes: [Double]?
  var noiseDeviation: Double?
  var carrierOffset: Double?
  var timeTrackingOffset: Double?
  var antennaPhases: [Double]?
  var antennaFirstPaths: [Double]?

  enum CodingKeys: String, CodingKey {
    case name = "uwb:message"
    case transmitted = "uwb:transmitted_ticks"
    case received = "uwb:received_ticks"
    case firstPath = "uwb:first_path_taps"
    case preambleCount = "uwb:preamble_count"
    case receivedPower = "uwb:received_power_dbm"
    case firstPathPower = "uwb:first_path_power_dbm"
    case noiseThreshold = "uwb:noise_threshold"
    case firstPathAmplitudes = "uwb:first_path_amplitudes"
    case noiseDeviation = "uwb:noise_deviation"
    case carrierOffset = "uwb:carrier_offset_ppm"
    case timeTrackingOffset = "uwb:time_tracking_offset_ppm"
    case antennaPhases = "uwb:antenna_phases_rad"
    case antennaFirstPaths = "uwb:antenna_first_path_taps"
  }
}

/// What an exchange's first segment says of the whole exchange.
struct SigMFExchange: Encodable, Equatable {
  struct Report: Encodable, Equatable {
    var distance: Double?
    var rawDistance: Double?
    var clockOffset: Double?
    var azimuth: Double?
    var elevation: Double?

    enum CodingKeys: String, CodingKey {
      case distance = "uwb:distance_m"
      case rawDistance = "uwb:raw_distance_m"
      case clockOffset = "uwb:clock_offset_ppm"
      case azimuth = "uwb:azimuth_rad"
      case elevation = "uwb:elevation_rad"
    }
  }

  /// What a chip that ranges by itself has measured.
  struct Ready: Encodable, Equatable {
    struct Angle: Encodable, Equatable {
      var value: Double
      var deviation: Double
      var figureOfMerit: Double

      enum CodingKeys: String, CodingKey {
        case value = "uwb:value_rad"
        case deviation = "uwb:std_rad"
        case figureOfMerit = "uwb:figure_of_merit"
      }
    }

    var distance: Double?
    var distanceDeviation: Double
    var azimuth: Angle?
    var elevation: Angle?
    var lineOfSightProbability: Double?

    enum CodingKeys: String, CodingKey {
      case distance = "uwb:distance_m"
      case distanceDeviation = "uwb:distance_std_m"
      case azimuth = "uwb:azimuth"
      case elevation = "uwb:elevation"
      case lineOfSightProbability = "uwb:line_of_sight_probability"
    }
  }

  struct Truth: Encodable, Equatable {
    var distance: Double?
    var azimuth: Double?
    var elevation: Double?
    var isLineOfSight: Bool?

    enum CodingKeys: String, CodingKey {
      case distance = "uwb:distance_m"
      case azimuth = "uwb:azimuth_rad"
      case elevation = "uwb:elevation_rad"
      case isLineOfSight = "uwb:line_of_sight"
    }
  }

  enum Initiator: String, Encodable {
    case local, peer
  }

  var messageCount: Int
  var time: Double
  var peer: String
  var local: String?
  var initiator: Initiator
  /// Absent for 40.
  var counterBits: Int?
  var otherMessages: [SigMFMessage]?
  var phaseDifferences: [Double]?
  var report: Report?
  var ready: Ready?
  /// Absent for false.
  var hasFailed: Bool?
  /// x, y, z
  var peerPosition: [Double]?
  var truth: Truth?

  enum CodingKeys: String, CodingKey {
    case messageCount = "uwb:message_count"
    case time = "uwb:time_s"
    case peer = "uwb:peer"
    case local = "uwb:local"
    case initiator = "uwb:initiator"
    case counterBits = "uwb:counter_bits"
    case otherMessages = "uwb:other_messages"
    case phaseDifferences = "uwb:phase_differences_rad"
    case report = "uwb:chip_report"
    case ready = "uwb:ready_measurement"
    case hasFailed = "uwb:failed"
    case peerPosition = "uwb:peer_position_m"
    case truth = "uwb:truth"
  }
}

/// One capture segment: a message's CIR and what its receiver said of it. An exchange's first segment holds what
/// concerns the whole exchange, too.
struct SigMFSegment: Encodable, Equatable {
  var sampleStart: Int
  var frequency: Double?
  var index: Int
  var tapCount: Int
  var scale: Float?
  var tapSpacing: Double?
  /// Which segment of the STS the CIR is of, from 1; `nil` for that of the preamble.
  var stsSegment: Int?
  var message: SigMFMessage
  var exchange: SigMFExchange?

  enum CodingKeys: String, CodingKey {
    case sampleStart = "core:sample_start"
    case frequency = "core:frequency"
    case index = "uwb:exchange"
    case tapCount = "uwb:tap_count"
    case scale = "uwb:scale"
    case tapSpacing = "uwb:tap_spacing_s"
    case stsSegment = "uwb:sts_segment"
  }

  init(sampleStart: Int, frequency: Double?, index: Int, message: SigMFMessage) {
    self.sampleStart = sampleStart
    self.frequency = frequency
    self.index = index
    self.message = message
    tapCount = 0
  }

  // All of it lies side by side in one object: a segment is read in other tools without a second level.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(sampleStart, forKey: .sampleStart)
    try fields.encodeIfPresent(frequency, forKey: .frequency)
    try fields.encode(index, forKey: .index)
    try fields.encode(tapCount, forKey: .tapCount)
    try fields.encodeIfPresent(scale, forKey: .scale)
    try fields.encodeIfPresent(tapSpacing, forKey: .tapSpacing)
    try fields.encodeIfPresent(stsSegment, forKey: .stsSegment)
    try message.encode(to: encoder)
    try exchange?.encode(to: encoder)
  }
}
