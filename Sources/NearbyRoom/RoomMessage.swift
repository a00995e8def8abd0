import NearbySession
import UWBTypes

/// What a radio outside a room and the room tell each other: `RemoteRoom` at one end, `RoomServer` at the other.
public enum RoomMessage: Sendable, Hashable {
  /// The version of the messages that this code reads and writes.
  public static let version: UInt8 = 1

  /// From the radio, first of all: which device of the room it is; an empty name takes any that is free.
  case join(version: UInt8, device: String)
  /// From the radio: ranges a link, or ranges it anew with other parameters.
  case start(RangingLink, RangingParameters)
  /// From the radio: ranges the link no more.
  case stop(RangingLink)
  /// From the room: the radio is this device, which can do so much.
  case welcome(device: String, DeviceCapabilities)
  /// From the room, and its last message: why the radio can't be there.
  case refused(String)
  /// From the room: the result of one round.
  case measured(RadioMeasurement, of: RangingLink)
  /// From the room: a round without a result.
  case missed(RangingLink)
  /// From the room: a link can't be ranged, or none can.
  case failed(String, of: RangingLink?)

  var kind: UInt8 {
    switch self {
    case .join: 0x01
    case .start: 0x02
    case .stop: 0x03
    case .welcome: 0x11
    case .refused: 0x12
    case .measured: 0x13
    case .missed: 0x14
    case .failed: 0x15
    }
  }
}

/// Why bytes are no message between a room and a radio. Offsets count from the message's first byte, its kind.
public enum RoomMessageError: Error, Sendable, Hashable {
  /// The message has no bytes.
  case empty
  /// The first byte names no kind of message.
  case unknownKind(UInt8)
  /// The message ends before the field at the offset is whole.
  case truncated(offset: Int)
  /// So many bytes follow the last field.
  case excess(count: Int)
  /// The token at this offset, bytes, is not valid.
  case token(DiscoveryTokenError, offset: Int)
  /// The field at the offset has a value that it can't have.
  case value(offset: Int)
}
