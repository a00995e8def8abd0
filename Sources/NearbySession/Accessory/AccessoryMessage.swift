/// One message between an app and an accessory: an id byte, then the data. The app's transport keeps messages apart.
public enum AccessoryMessage: Sendable, Hashable {
  /// From the accessory, 0x01.
  case configurationData(AccessoryConfigurationData)
  /// From the accessory, 0x02: it ranges.
  case started
  /// From the accessory, 0x03: it ranges no more.
  case stopped
  /// To the accessory, 0x0A: send your configuration data.
  case initialize
  /// To the accessory, 0x0B: range as this says.
  case configureAndStart(ShareableConfigurationData)
  /// To the accessory, 0x0C: stop ranging.
  case stop
  /// A message of the app's own, or of a later version, passed on as it came.
  case other(id: UInt8, data: [UInt8])

  /// Reads a message.
  public init(bytes: some Sequence<UInt8>) throws(AccessoryMessageError) {
    let bytes = [UInt8](bytes)
    guard let id = bytes.first else { throw .empty }
    let data = bytes.dropFirst()
    switch id {
    case 0x01: self = .configurationData(try AccessoryConfigurationData(data: data))
    case 0x0B: self = .configureAndStart(try ShareableConfigurationData(data: data))
    case 0x02, 0x03, 0x0A, 0x0C:
      guard data.isEmpty else { throw .unexpectedData(id: id, count: data.count) }
      switch id {
      case 0x02: self = .started
      case 0x03: self = .stopped
      case 0x0A: self = .initialize
      default: self = .stop
      }
    default: self = .other(id: id, data: [UInt8](data))
    }
  }

  /// First byte of the message, which names its kind.
  public var id: UInt8 {
    switch self {
    case .configurationData: 0x01
    case .started: 0x02
    case .stopped: 0x03
    case .initialize: 0x0A
    case .configureAndStart: 0x0B
    case .stop: 0x0C
    case .other(let id, _): id
    }
  }

  /// The whole message, its id first.
  public var bytes: [UInt8] {
    switch self {
    case .configurationData(let configuration): [id] + configuration.data
    case .configureAndStart(let configuration): [id] + configuration.data
    case .other(let id, let data): [id] + data
    case .started, .stopped, .initialize, .stop: [id]
    }
  }
}
