import NearbyPorts

/// Why a radio can't join a room, or is in it no more.
public enum RoomError: Error, Sendable, Hashable {
  /// The room's reason.
  case refused(String)
  /// The other end closed, or said nothing in time.
  case noAnswer
  /// A message that is not for this end, or not now.
  case unexpectedMessage
  /// Bytes that are no message.
  case message(RoomMessageError)
  /// The connection to the room failed.
  case port(PortError)

  /// What another error means here.
  package init(_ error: any Error) {
    self =
      switch error {
      case let error as RoomError: error
      case let error as RoomMessageError: .message(error)
      case PortError.closed, PortError.disconnected: .noAnswer
      case let error as PortError: .port(error)
      default: .unexpectedMessage
      }
  }
}

extension RoomError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let reason): "the room refuses: \(reason)"
    case .noAnswer: "there is no room at the other end, or it does not answer"
    case .unexpectedMessage: "the other end sent a message that is not for this end, or not now"
    case .message(let error): "the other end sent bytes that are no message: \(error)"
    case .port(let error): "\(error)"
    }
  }
}
