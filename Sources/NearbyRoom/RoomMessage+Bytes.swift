import NearbySession
import UWBTypes

extension RoomMessage {
  /// The longest message; `FrameStream` keeps them apart in a stream.
  public static let maximumLength = 1024

  /// The kind of message, then its fields.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 160)
    writer.write(kind)
    switch self {
    case .join(let version, let device):
      writer.write(version)
      writer.write(device)
    case .start(let link, let parameters):
      writer.write(link)
      writer.write(parameters)
    case .stop(let link), .missed(let link):
      writer.write(link)
    case .welcome(let device, let capabilities):
      writer.write(device)
      writer.write(capabilities.bits)
    case .refused(let reason):
      writer.write(reason)
    case .measured(let measurement, let link):
      writer.write(link)
      writer.write(measurement)
    case .failed(let reason, let link):
      writer.write(reason)
      writer.write(link) { $0.write($1) }
    }
    return writer.bytes
  }

  /// Reads what `bytes` gave; any other bytes throw.
  public init(bytes: [UInt8]) throws(RoomMessageError) {
    guard let kind = bytes.first else { throw .empty }
    var reader = RoomFieldReader(bytes)
    switch kind {
    case 0x01: self = .join(version: try reader.integer(), device: try reader.text())
    case 0x02: self = .start(try reader.link(), try reader.parameters())
    case 0x03: self = .stop(try reader.link())
    case 0x11: self = .welcome(device: try reader.text(), DeviceCapabilities(bits: try reader.integer()))
    case 0x12: self = .refused(try reader.text())
    case 0x13:
      let link = try reader.link()
      self = .measured(try reader.measurement(), of: link)
    case 0x14: self = .missed(try reader.link())
    case 0x15:
      self = .failed(
        try reader.text(),
        of: try reader.optional { (reader) throws(RoomMessageError) in try reader.link() })
    default: throw .unknownKind(kind)
    }
    try reader.end()
  }
}

extension RoomFieldReader {
  fileprivate mutating func parameters() throws(RoomMessageError) -> RangingParameters {
    let parameters = RangingParameters(
      sessionIdentifier: try integer(), isController: try flag(), localAddress: try integer(),
      peerAddress: try integer(), channel: try integer(), preambleIndex: try integer(), slotsPerRound: try integer(),
      slotRSTU: try integer(), blockMilliseconds: try integer(), roundControl: try integer(),
      stsInitialVector: ShareableConfigurationData.InitialVector(rawValue: 0))
    let vector: UInt64 = try integer()
    guard vector < 1 << 48 else { throw invalid(8) }
    var complete = parameters
    complete.stsInitialVector = ShareableConfigurationData.InitialVector(rawValue: vector)
    return complete
  }

  fileprivate mutating func measurement() throws(RoomMessageError) -> RadioMeasurement {
    let any = -1e9...1e9
    func number(_ range: ClosedRange<Double>) -> (inout RoomFieldReader) throws(RoomMessageError) -> Double {
      { (reader) throws(RoomMessageError) in try reader.number(in: range) }
    }
    func angle(_ reader: inout RoomFieldReader) throws(RoomMessageError) -> RadioMeasurement.Angle {
      RadioMeasurement.Angle(
        try reader.number(in: -Double.pi...Double.pi), deviation: try reader.number(in: 0...1e9),
        figureOfMerit: try reader.number(in: 0...1))
    }
    return RadioMeasurement(
      distance: try optional(number(any)), distanceDeviation: try self.number(in: 0...1e9),
      azimuth: try optional(angle), elevation: try optional(angle),
      lineOfSightProbability: try optional(number(0...1)), time: try optional(number(any)))
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ parameters: RangingParameters) {
    write(parameters.sessionIdentifier)
    write(parameters.isController)
    write(parameters.localAddress)
    write(parameters.peerAddress)
    write(parameters.channel)
    write(parameters.preambleIndex)
    write(parameters.slotsPerRound)
    write(parameters.slotRSTU)
    write(parameters.blockMilliseconds)
    write(parameters.roundControl)
    write(parameters.stsInitialVector.rawValue)
  }

  fileprivate mutating func write(_ measurement: RadioMeasurement) {
    func angle(_ writer: inout ByteWriter, _ angle: RadioMeasurement.Angle) {
      writer.write(angle.value)
      writer.write(angle.deviation)
      writer.write(angle.figureOfMerit)
    }
    write(measurement.distance) { $0.write($1) }
    write(measurement.distanceDeviation)
    write(measurement.azimuth, angle)
    write(measurement.elevation, angle)
    write(measurement.lineOfSightProbability) { $0.write($1) }
    write(measurement.time) { $0.write($1) }
  }
}
