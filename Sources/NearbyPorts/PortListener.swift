#if !os(Windows)
  import UWBPlatform

  /// A socket that others connect to.
  public final class PortListener: Sendable {
    private let descriptor: SharedDescriptor
    private let wakeup: WakePipe
    /// The path of a Unix socket that is removed at the end.
    private let path: String?
    /// Where others connect; the port that the system chose where 0 was asked for.
    public let address: PortAddress

    /// Listens at once. A Unix socket's path that a program left behind is taken over; one that somebody listens on is not.
    ///
    /// - Parameter address: a Unix socket or a TCP port; port 0 takes a free one.
    public init(_ address: PortAddress) throws(PortError) {
      let name = "\(address)"
      let candidates: [SocketAddress]
      switch address {
      case .serial: throw .invalidAddress(name, "listen on unix:PATH or tcp:HOST:PORT")
      case .unix(let path):
        candidates = try SocketAddress.unix(path)
        try Self.removeAbandoned(path, name)
        self.path = path
      case .tcp(let host, let port):
        candidates = try SocketAddress.tcp(host, port, isListening: true)
        path = nil
      }
      guard let candidate = candidates.first else { throw .invalidAddress(name, "the host has no address") }
      wakeup = try WakePipe(name)
      descriptor = SharedDescriptor(try candidate.makeSocket(name))
      self.address = try descriptor.use(name) { (socket) throws(PortError) in
        var on: Int32 = 1
        if case .tcp = address {
          setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard candidate.withPointer({ bind(socket, $0, $1) }) == 0, listen(socket, 64) == 0 else {
          throw .last("listen", name)
        }
        return Self.resolved(address, socket)
      }
      try descriptor.makeNonBlocking(name)
    }

    deinit { close() }

    /// The next connection; `nil` where the time has run out. Blocks.
    ///
    /// - Throws: `PortError.closed`, `system`
    public func accept(timeout: Double? = nil) throws(PortError) -> BytePort? {
      let name = "\(address)"
      let ready: Int32 = try descriptor.use(name) { (socket) throws(PortError) in
        try wakeup.wait(for: Int32(POLLIN), on: socket, timeout: timeout, name)
      }
      let socket: Int32 = try descriptor.use(name) { (socket) throws(PortError) in
        guard ready != 0 else { return -1 }
        let connection = UWBPlatform.accept(socket, nil, nil)
        // A connection that was given up before it was taken is none.
        guard connection >= 0 || [EAGAIN, EWOULDBLOCK, ECONNABORTED, EINTR].contains(errno) else {
          throw .last("accept a connection", name)
        }
        return connection
      }
      guard socket >= 0 else { return nil }
      SocketAddress.prepare(socket, isTCP: path == nil)
      return try BytePort(socket, name: name, isSocket: true)
    }

    /// Connections as they come, until the listener is closed.
    public var connections: AsyncThrowingStream<BytePort, any Error> {
      AsyncThrowingStream { continuation in
        continuation.onTermination = { _ in self.close() }
        do throws(PortError) {
          try PortThread.start { self.accept(into: continuation) }
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }

    private func accept(into continuation: AsyncThrowingStream<BytePort, any Error>.Continuation) {
      while true {
        do throws(PortError) {
          if let port = try accept() { continuation.yield(port) }
        } catch .closed {
          return continuation.finish()
        } catch {
          return continuation.finish(throwing: error)
        }
      }
    }

    /// Ends listening; connections stay. A Unix socket's path is removed.
    public func close() {
      do throws(PortError) {
        // Once: the path may be another listener's later.
        try descriptor.use("") { _ in if let path { unlink(path) } }
      } catch {
        return
      }
      descriptor.close()
      wakeup.wake()
    }

    private static func removeAbandoned(_ path: String, _ name: String) throws(PortError) {
      do throws(PortError) {
        try BytePort.open(.unix(path)).close()
      } catch .system(_, _, code: ECONNREFUSED) {
        unlink(path)
        return
      } catch {
        return
      }
      throw .system("listen", name, code: EADDRINUSE)
    }

    private static func resolved(_ address: PortAddress, _ socket: Int32) -> PortAddress {
      guard case .tcp(let host, 0) = address else { return address }
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let port: UInt16 = withUnsafeMutableBytes(of: &storage) { bytes in
        let code = bytes.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &length) }
        // The port follows the family, high byte first, in both families of the Internet.
        return code == 0 ? UInt16(bytes[2]) << 8 | UInt16(bytes[3]) : 0
      }
      return .tcp(host: host, port: port)
    }
  }
#endif
