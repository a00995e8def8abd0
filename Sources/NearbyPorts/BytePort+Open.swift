#if !os(Windows)
  import UWBPlatform

  extension BytePort {
    /// Opens the port at `address`. Blocks while a host's name is looked up or does not answer.
    ///
    /// - Parameter speed: Bd, of serial devices. Eight bits, no parity, one stop bit, no flow control.
    public static func open(_ address: PortAddress, speed: Int = 115_200) throws(PortError) -> BytePort {
      switch address {
      case .serial(let path): try openSerial(path, speed: speed)
      case .unix(let path):
        try connect(try SocketAddress.unix(path), "\(address)")
      case .tcp(let host, let port):
        try connect(try SocketAddress.tcp(host, port, isListening: false), "\(address)")
      }
    }

    /// Tries one address after the other.
    private static func connect(_ candidates: [SocketAddress], _ name: String) throws(PortError) -> BytePort {
      var failure = PortError.disconnected(name)
      for candidate in candidates {
        do throws(PortError) {
          let socket = try candidate.makeSocket(name)
          guard candidate.withPointer({ UWBPlatform.connect(socket, $0, $1) }) == 0 else {
            let error = PortError.last("connect", name)
            _ = UWBPlatform.close(socket)
            throw error
          }
          return try BytePort(socket, name: name, isSocket: true)
        } catch {
          failure = error
        }
      }
      throw failure
    }

    private static func openSerial(_ path: String, speed: Int) throws(PortError) -> BytePort {
      let descriptor = UWBPlatform.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw .last("open it", path) }
      do throws(PortError) {
        guard isatty(descriptor) == 1 else { throw .notSerial(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .busy(path) }
        try SerialLine.makeRaw(descriptor, path, speed: speed)
        // What was sent to whoever had the device before.
        tcflush(descriptor, TCIOFLUSH)
      } catch {
        _ = UWBPlatform.close(descriptor)
        throw error
      }
      return try BytePort(descriptor, name: path, isSocket: false)
    }
  }
#endif
