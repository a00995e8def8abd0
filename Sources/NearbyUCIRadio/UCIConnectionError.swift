import NearbyPorts
import NearbyUCI

/// Why a chip is not there, or can't range as asked.
public enum UCIConnectionError: Error, Sendable, Hashable {
  /// The port can't be opened, or was unplugged.
  case port(PortError)
  /// The port is there, and the chip does not do what it must.
  case chip(UCIDriverError)
  /// A session's parameter that no chip takes: its name and value.
  case parameter(String, Int)
  /// Another link has the session with this id.
  case sessionInUse(UInt32)
}

extension UCIConnectionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .port(let error): "\(error)"
    case .chip(let error): "the UWB chip: \(error)"
    case .parameter(let name, let value): "\(name) can't be \(value) on a UCI radio"
    case .sessionInUse(let id): "session \(id) is ranged for another link already"
    }
  }
}
