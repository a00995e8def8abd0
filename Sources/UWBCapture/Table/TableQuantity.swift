/// What a table's column may hold. A quantity is described once: its name for `--columns`, what it counts, and the headers that are
/// usual for it.
public enum TableQuantity: Int, Sendable, Hashable, CaseIterable {
  /// When, and between which devices.
  case time, peer, local
  /// Measured distance and its standard deviation.
  case distance, deviation
  /// Timestamps of poll and response.
  case pollSent, pollReceived, responseSent, responseReceived
  /// Timestamps of the second poll and of the final.
  case secondPollSent, secondPollReceived, finalSent, finalReceived
  /// Phase of an antenna.
  case phase1, phase2, phase3, phase4, phase5, phase6, phase7
  /// Angles and distance that are true, and whether the line of sight is blocked.
  case azimuth, elevation, trueDistance, nlos
  /// Angles that the chip measured.
  case chipAzimuth, chipElevation
  /// Power and amplitudes as the chip reports them.
  case receivedPower, firstPathPower, firstPathAmplitude1, firstPathAmplitude2, firstPathAmplitude3
  /// Noise, preamble symbols, clock offset, round time and reply time as the chip reports them.
  case noiseThreshold, noiseDeviation, preambleCount, clockOffset, round, reply
  /// Position and orientation of the device.
  case x, y, z, qx, qy, qz, qw, yaw, pitch, roll

  static let phases: [TableQuantity] = [.phase1, .phase2, .phase3, .phase4, .phase5, .phase6, .phase7]
  static let timestamps: [TableQuantity] = [
    .pollSent, .pollReceived, .responseSent, .responseReceived, .secondPollSent, .secondPollReceived, .finalSent,
    .finalReceived,
  ]
  static let quaternion: [TableQuantity] = [.qx, .qy, .qz, .qw]
  static let angles: [TableQuantity] = [.yaw, .pitch, .roll]
  static let place: [TableQuantity] = [.x, .y, .z]

  struct Definition {
    /// As `--columns` takes it.
    var name: String
    var meaning: String
    var dimension: TableUnit.Dimension
    /// In lower case, with nothing but letters and digits, and without the unit.
    var usualNames: [String]

    init(_ name: String, _ meaning: String, _ dimension: TableUnit.Dimension, _ usualNames: [String]) {
      self.name = name
      self.meaning = meaning
      self.dimension = dimension
      self.usualNames = usualNames
    }
  }

  private static let definitions = allCases.map(\.described)

  var definition: Definition { Self.definitions[rawValue] }
  /// Name of the column, as the command line takes it.
  public var name: String { definition.name }
  /// One line on what the column holds, with its unit.
  public var meaning: String { definition.meaning }

  /// The quantity of this name; nil where there is none.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  private var described: Definition {
    switch self {
    case .time:
      Definition(
        "time", "time of the row", .time,
        [
          "stamp", "time", "t", "timestamp", "datetime", "utc", "hosttime", "systemtime", "hosttimestamp", "unixtime",
          "epoch", "rostime",
        ])
    case .peer:
      Definition(
        "peer", "the other radio", .number,
        [
          "peer", "address", "mac", "macaddress", "peerid", "peeraddress", "anchor", "anchorid", "anchoraddress",
          "responder", "responderid", "beacon", "beaconid", "node", "nodeid", "destination", "dst", "target", "id",
        ])
    case .local:
      Definition(
        "local", "this radio", .number,
        ["local", "localid", "localaddress", "tag", "tagid", "tagaddress", "initiator", "initiatorid", "source", "src"])
    case .distance:
      Definition(
        "distance", "the chip's own distance", .length,
        [
          "distance", "range", "measureddistance", "dist", "distancefromtag", "rawdistance", "rawrange",
          "measuredrange", "ranging", "rng", "uwbdistance", "uwbrange", "distanceest", "estimateddistance", "twr",
        ])
    case .deviation:
      Definition(
        "deviation", "standard deviation of the distance", .length,
        ["deviation", "distancestd", "distancedeviation", "rangestd", "std", "sigma", "stddev", "stdev"])
    case .pollSent: Definition("poll-sent", "T1, poll sent", .counter, Self.stamps(1, ["poll", "poll1"], sent: true))
    case .pollReceived:
      Definition("poll-received", "T2, poll received", .counter, Self.stamps(2, ["poll", "poll1"], sent: false))
    case .responseSent:
      Definition("response-sent", "T3, response sent", .counter, Self.stamps(3, Self.responses, sent: true))
    case .responseReceived:
      Definition("response-received", "T4, response received", .counter, Self.stamps(4, Self.responses, sent: false))
    case .secondPollSent:
      Definition(
        "second-poll-sent", "the responder's own poll, sent", .counter, Self.stamps(nil, Self.second, sent: true))
    case .secondPollReceived:
      Definition(
        "second-poll-received", "the responder's own poll, received", .counter,
        Self.stamps(nil, Self.second, sent: false))
    case .finalSent: Definition("final-sent", "final sent", .counter, Self.stamps(nil, ["final", "fin"], sent: true))
    case .finalReceived:
      Definition("final-received", "final received", .counter, Self.stamps(nil, ["final", "fin"], sent: false))
    case .phase1: Definition("phase1", "phase difference", .angle, Self.phaseNames(1))
    case .phase2: Definition("phase2", "phase difference", .angle, Self.phaseNames(2))
    case .phase3: Definition("phase3", "phase difference", .angle, Self.phaseNames(3))
    case .phase4: Definition("phase4", "phase difference", .angle, Self.phaseNames(4))
    case .phase5: Definition("phase5", "phase difference", .angle, Self.phaseNames(5))
    case .phase6: Definition("phase6", "phase difference", .angle, Self.phaseNames(6))
    case .phase7: Definition("phase7", "phase difference", .angle, Self.phaseNames(7))
    case .azimuth: Definition("azimuth", "true azimuth", .angle, Self.truthNames("azimuth"))
    case .elevation: Definition("elevation", "true elevation", .angle, Self.truthNames("elevation"))
    case .trueDistance:
      Definition(
        "true-distance", "true distance", .length,
        Self.truthNames("distance") + Self.truthNames("range") + ["groundtruth", "gt", "truth"])
    case .nlos: Definition("nlos", "1 where the direct path is blocked", .number, ["nlos", "isnlos"])
    case .chipAzimuth:
      Definition(
        "chip-azimuth", "the chip's own azimuth", .angle,
        ["aoa1", "aoaazimuth", "azimuthaoa", "aoaaz", "chipazimuth", "aoa", "azimuth"])
    case .chipElevation:
      Definition(
        "chip-elevation", "the chip's own elevation", .angle,
        ["aoa2", "aoaelevation", "elevationaoa", "aoael", "chipelevation", "elevation"])
    case .receivedPower:
      Definition("received-power", "received power", .power, ["rssi", "rxpower", "receivedpower", "rxlevel"])
    case .firstPathPower:
      Definition(
        "first-path-power", "power of the first path", .power, ["rssifp", "fppower", "firstpathpower", "fplevel"])
    case .firstPathAmplitude1: Definition("first-path-amplitude1", "first-path amplitude", .number, ["firstpathamp1"])
    case .firstPathAmplitude2: Definition("first-path-amplitude2", "first-path amplitude", .number, ["firstpathamp2"])
    case .firstPathAmplitude3: Definition("first-path-amplitude3", "first-path amplitude", .number, ["firstpathamp3"])
    case .noiseThreshold: Definition("noise-threshold", "noise threshold", .number, ["maxnoise"])
    case .noiseDeviation: Definition("noise-deviation", "noise deviation", .number, ["standardnoise", "stdnoise"])
    case .preambleCount:
      Definition("preamble-count", "preamble symbols", .number, ["rxpreamblecount", "preamblecount"])
    case .clockOffset:
      Definition("clock-offset", "rate of the peer's clock less 1", .number, ["clockoffset", "carrieroffset", "cfo"])
    case .round: Definition("round", "ticks from poll to response", .number, ["rtdinit"])
    case .reply: Definition("reply", "ticks from poll to response, the responder's", .number, ["rtdresp"])
    case .x: Definition("x", "place", .length, ["x", "px", "posx", "positionx", "anchorx"])
    case .y: Definition("y", "place", .length, ["y", "py", "posy", "positiony", "anchory"])
    case .z: Definition("z", "place", .length, ["z", "pz", "posz", "positionz", "anchorz"])
    case .qx: Definition("qx", "quaternion", .number, ["qx", "quaternionx", "orientationx", "rotationx"])
    case .qy: Definition("qy", "quaternion", .number, ["qy", "quaterniony", "orientationy", "rotationy"])
    case .qz: Definition("qz", "quaternion", .number, ["qz", "quaternionz", "orientationz", "rotationz"])
    case .qw: Definition("qw", "quaternion", .number, ["qw", "quaternionw", "orientationw", "rotationw"])
    case .yaw: Definition("yaw", "turn", .angle, ["yaw", "heading"])
    case .pitch: Definition("pitch", "turn", .angle, ["pitch"])
    case .roll: Definition("roll", "turn", .angle, ["roll"])
    }
  }

  private static let responses = ["resp", "response", "answer"]
  private static let second = ["secondpoll", "poll2", "resp2", "response2", "secondresponse", "secondresp"]

  /// `tx_poll`, `poll_sent_ts`, … and the paper's `T1`, `t_sp` (sent poll).
  private static func stamps(_ number: Int?, _ messages: [String], sent: Bool) -> [String] {
    let ways = sent ? ["tx", "sent", "transmit", "transmitted"] : ["rx", "received", "receive", "recv"]
    let letters = ["poll": "p", "resp": "r", "final": "f"]
    var names: [String] = number.map { ["t\($0)"] } ?? []
    for message in messages {
      if let letter = letters[message] { names.append("t" + (sent ? "s" : "r") + letter) }
      for way in ways {
        for order in [message + way, way + message] {
          names += ["", "ts", "time", "timestamp", "stamp"].map { order + $0 }
          names.append("t" + order)
        }
      }
    }
    return names
  }

  private static func phaseNames(_ number: Int) -> [String] {
    let names = ["pdoa\(number)", "phasedifference\(number)", "phasediff\(number)", "pd\(number)", "phase\(number)"]
    switch number {
    case 1: return names + ["pdoaazimuth", "pdoaaz", "pdoa", "phasedifference"]
    case 2: return names + ["pdoaelevation", "pdoael"]
    default: return names
    }
  }

  private static func truthNames(_ name: String) -> [String] {
    [
      "real\(name)", "true\(name)", "\(name)true", "\(name)real", "actual\(name)", "ref\(name)", "gt\(name)",
      "groundtruth\(name)",
    ]
  }
}
