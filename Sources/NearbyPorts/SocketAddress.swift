#if !os(Windows)
  import UWBPlatform

  /// An address that the system knows, with its family.
  struct SocketAddress {
    let family: Int32
    private let bytes: [UInt8]

    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
      // A copy in storage that is aligned for every family.
      var storage = sockaddr_storage()
      return withUnsafeMutableBytes(of: &storage) { target in
        target.copyBytes(from: bytes.prefix(target.count))
        return target.withMemoryRebound(to: sockaddr.self) { addresses in
          // A storage is larger than an address: there is one.
          guard let address = addresses.baseAddress else { preconditionFailure("a socket address without storage") }
          return body(UnsafePointer(address), socklen_t(bytes.count))
        }
      }
    }

    static func unix(_ path: String) throws(PortError) -> [SocketAddress] {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let capacity = MemoryLayout.size(ofValue: address.sun_path)
      guard path.utf8.count < capacity, !path.utf8.contains(0) else {
        throw .invalidAddress(path, "a Unix socket's path has at most \(capacity - 1) bytes")
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      return [SocketAddress(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { Array($0) })]
    }

    /// All addresses of a host.
    static func tcp(_ host: String, _ port: UInt16, isListening: Bool) throws(PortError) -> [SocketAddress] {
      var hints = addrinfo()
      hints.ai_family = AF_UNSPEC
      hints.ai_socktype = streamType
      hints.ai_flags = isListening ? Int32(AI_PASSIVE) : 0
      var list: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, "\(port)", &hints, &list)
      guard code == 0 else { throw .invalidAddress("tcp:\(host):\(port)", String(cString: gai_strerror(code))) }
      defer { freeaddrinfo(list) }
      var addresses: [SocketAddress] = []
      var next = list
      while let entry = next?.pointee {
        if let address = entry.ai_addr {
          let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
          addresses.append(SocketAddress(family: entry.ai_family, bytes: Array(bytes)))
        }
        next = entry.ai_next
      }
      return addresses
    }

    func makeSocket(_ name: String) throws(PortError) -> Int32 {
      let socket = UWBPlatform.socket(family, Self.streamType, 0)
      guard socket >= 0 else { throw .last("make a socket", name) }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      Self.prepare(socket, isTCP: family != AF_UNIX)
      return socket
    }

    /// Small packets leave at once; a closed connection is an error, not a signal.
    static func prepare(_ socket: Int32, isTCP: Bool) {
      var on: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      if isTCP { setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size) }
      #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
      #endif
    }

    #if canImport(Glibc)
      private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
      private static let streamType = SOCK_STREAM
    #endif
  }
#endif
