/// Where a port leads: a serial device, a Unix socket or a TCP port.
///
/// As text: `/dev/ttyACM0`, `unix:/tmp/radio`, `tcp:localhost:7000`, `tcp:[::1]:7000`.
public enum PortAddress: Sendable, Hashable {
  /// The path of a serial device or pseudo-terminal.
  case serial(String)
  /// The path of a Unix socket.
  case unix(String)
  /// A TCP port of a host.
  case tcp(host: String, port: UInt16)

  /// - Throws: `PortError.invalidAddress`
  public init(_ text: String) throws(PortError) {
    if let path = text.suffix(after: "unix:") {
      guard !path.isEmpty else { throw .invalidAddress(text, "a path must follow “unix:”") }
      self = .unix(path)
    } else if let place = text.suffix(after: "tcp:") {
      guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]) else {
        throw .invalidAddress(text, "give tcp:HOST:PORT, the port from 0 to 65535")
      }
      var host = String(place[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      guard !host.isEmpty else { throw .invalidAddress(text, "give tcp:HOST:PORT") }
      self = .tcp(host: host, port: port)
    } else {
      guard !text.isEmpty, !text.utf8.contains(0) else { throw .invalidAddress(text, "give a device's path") }
      self = .serial(text)
    }
  }
}

extension PortAddress: CustomStringConvertible {
  public var description: String {
    switch self {
    case .serial(let path): path
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): host.utf8.contains(0x3A) ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    }
  }
}

extension String {
  fileprivate func suffix(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
