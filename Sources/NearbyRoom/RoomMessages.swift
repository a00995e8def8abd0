#if !os(Windows)
  import NearbyPorts

  /// The messages that come over a port, in order. The port closes when its reader lets go.
  package struct RoomMessages {
    private var bytes: PortBytes.AsyncIterator
    private var frames = FrameStream(limit: RoomMessage.maximumLength)
    private var pending: ArraySlice<[UInt8]> = []

    package init(_ port: BytePort) {
      bytes = port.bytes.makeAsyncIterator()
    }

    /// - Returns: `nil` at the end.
    /// - Throws: `RoomMessageError`, `PortError`; nothing can be read after that.
    package mutating func next() async throws -> RoomMessage? {
      while true {
        if let frame = pending.popFirst() { return try RoomMessage(bytes: frame) }
        guard let more = try await bytes.next() else { return nil }
        pending = try frames.push(more)[...]
      }
    }
  }

  extension BytePort {
    /// Sends without waiting; `PortError.backlog` where the other end does not read.
    package func send(_ message: RoomMessage) throws(PortError) {
      try send(FrameStream.bytes(of: message.bytes))
    }
  }
#endif
