import UWBTypes

/// Results of ranging rounds from a chip's traffic, live or recorded: packets of both directions go in, in their order.
///
/// It follows the dialogue as far as a result's meaning depends on it: the chip's generation, the own address, resets. Traffic that begins in the middle is read as well.
public struct UCIRoundReader: Sendable {
  /// One peer's part in a round.
  public struct Result: Sendable, Hashable {
    /// The session's handle or, in 1.x, its id.
    public var token: UInt32
    public var sequence: UInt32
    public var local: DeviceAddress?
    public var peer: DeviceAddress
    public var status: UCIStatus
    /// `nil` where the round failed.
    public var measurement: RadioMeasurement?
    /// Rounds whose results should have come since the session's last one.
    public var lost = 0
  }

  private struct Session {
    var sequence: UInt32?
    var local: DeviceAddress?
  }

  public private(set) var dialect = UCIDialect()
  /// Messages that could not be read.
  public private(set) var unreadable = 0
  private var commands = UCIReassembler()
  private var answers = UCIReassembler()
  private var sessions: [UInt32: Session] = [:]
  /// Whether the chip was told to reset and has not answered: what it still says is of sessions that are no more.
  private var isResetting = false
  /// Of the session whose making was asked for last.
  private var initializing: UInt32?

  public init() {}

  /// Takes the next packet; returns the results that it completes.
  public mutating func push(_ packet: UCIPacket) -> [Result] {
    do throws(UCIError) {
      let isCommand = packet.kind.type == .command
      guard let message = try isCommand ? commands.push(packet) : answers.push(packet),
        let decoded = try message.decoded(in: dialect)
      else { return [] }
      return take(decoded.message)
    } catch {
      unreadable += 1
      return []
    }
  }

  private mutating func take(_ message: any UCIMessage) -> [Result] {
    switch message {
    case is ResetDevice:
      sessions.removeAll()
      isResetting = true
    case is UCIStatusResponse<ResetDevice>: isResetting = false
    case let info as DeviceInfo where info.status == .ok: dialect.generation = info.generation
    case let command as InitializeSession: initializing = command.sessionID
    case let answer as SessionHandle where answer.status == .ok:
      if let token = answer.handle ?? initializing { sessions[token] = Session() }
    case let command as SetSessionConfiguration:
      if let address = command.parameters.last(where: { $0.id == .deviceAddress })?.number {
        sessions[command.token, default: Session()].local = DeviceAddress(rawValue: address)
      }
    case let command as StartSession: sessions[command.token]?.sequence = nil
    case let info as SessionInfo: return results(of: info)
    default: break
    }
    return []
  }

  private mutating func results(of info: SessionInfo) -> [Result] {
    guard case .twoWay(let list) = info.measurements, !isResetting else { return [] }
    var session = sessions[info.token] ?? Session()
    let lost = session.sequence.map { Int(info.sequence &- $0 &- 1) } ?? 0
    session.sequence = info.sequence
    sessions[info.token] = session
    return list.enumerated().map { index, round in
      Result(
        token: info.token, sequence: info.sequence, local: session.local,
        peer: DeviceAddress(rawValue: round.address.value), status: round.status,
        // A number that goes back is a session's that began anew.
        measurement: round.radioMeasurement, lost: index == 0 && lost < 1 << 16 ? lost : 0)
    }
  }
}

extension TwoWayMeasurement {
  /// Standard deviation of a distance, m: chips give whole centimetres, and none of them says how good they are.
  static let distanceDeviation = 0.1
  /// Standard deviation of an angle with a figure of merit of 100 %, rad.
  static let angleDeviation = Double.pi / 36
  /// Chips say yes or no to line of sight. They are taken to be right nine times in ten.
  static let lineOfSightCertainty = 0.9

  /// What the round has measured; `nil` where it failed, or gave neither a distance nor an angle.
  public var radioMeasurement: RadioMeasurement? {
    guard status.hasMeasured, distance != nil || azimuth.degrees != nil || elevation.degrees != nil else { return nil }
    return RadioMeasurement(
      distance: distance, distanceDeviation: Self.distanceDeviation, azimuth: azimuth.radioAngle,
      elevation: elevation.radioAngle,
      lineOfSightProbability: lineOfSightProbability)
  }

  private var lineOfSightProbability: Double? {
    switch lineOfSight {
    case .clear: Self.lineOfSightCertainty
    case .obstructed: 1 - Self.lineOfSightCertainty
    default: nil
    }
  }
}

extension UCIAngle {
  /// The deviation grows as the figure of merit falls.
  fileprivate var radioAngle: RadioMeasurement.Angle? {
    degrees.map {
      let merit = min(1, Double(figureOfMerit) / 100)
      return RadioMeasurement.Angle(
        $0 * .pi / 180, deviation: TwoWayMeasurement.angleDeviation / merit, figureOfMerit: merit)
    }
  }
}
