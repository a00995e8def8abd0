import UWBPlatform

/// Why a port can't be opened, or carries no more bytes.
public enum PortError: Error, Sendable, Hashable {
  /// The text, and what is wrong with it.
  case invalidAddress(String, String)
  /// The other end has closed, or the device was unplugged.
  case disconnected(String)
  /// This end has closed the port.
  case closed(String)
  /// The other end takes no more bytes; so many wait.
  case backlog(String, waiting: Int)
  /// A peer sends a frame longer than allowed.
  case frameTooLong(length: Int, limit: Int)
  /// Another program has the device.
  case busy(String)
  /// The path is not that of a serial device.
  case notSerial(String)
  /// A speed that the system does not know, Bd.
  case unsupportedSpeed(Int)
  /// A system call failed: what it was for, on which port, with which error number.
  case system(String, String, code: Int32)
}

extension PortError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidAddress(let text, let remedy): "“\(text)” is not a port's address: \(remedy)"
    case .disconnected(let name): "\(name): the other end is gone"
    case .closed(let name): "\(name) is closed"
    case .backlog(let name, let waiting): "\(name): the other end takes no more bytes, \(waiting) wait"
    case .frameTooLong(let length, let limit): "a frame of \(length) bytes, the limit is \(limit)"
    case .busy(let name): "\(name) is in use by another program; end that one first"
    case .notSerial(let name): "\(name) is not a serial device; sockets are written unix:PATH or tcp:HOST:PORT"
    case .unsupportedSpeed(let speed): "a serial port can't run at \(speed) Bd here"
    case .system(let action, let name, let code): "\(name): can't \(action): \(Self.text(code))"
    }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// The failure of the last system call.
  static func last(_ action: String, _ name: String) -> PortError { .system(action, name, code: errno) }
}
