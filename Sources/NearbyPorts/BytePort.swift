#if !os(Windows)
  import UWBPlatform
  import UWBTypes

  /// One end of a two-way stream of bytes: a serial device, a socket or a pseudo-terminal.
  ///
  /// `send` never blocks. `receive` does, and belongs on a thread of its own (`PortThread`); it also writes out what `send` could not. `bytes`
  /// does the same for asynchronous code. All may be called from any thread.
  public final class BytePort: Sendable {
    /// Most bytes that wait for the other end.
    public static let backlogLimit = 1 << 20
    private static let pieceLength = 1 << 16

    private struct State {
      /// Not written yet.
      var outgoing: [UInt8] = []
      var isClosed = false
    }

    /// For messages.
    public let name: String
    let descriptor: SharedDescriptor
    private let isSocket: Bool
    private let wakeup: WakePipe
    private let state = StateLock(State())

    /// Takes over an open descriptor.
    init(_ descriptor: Int32, name: String, isSocket: Bool) throws(PortError) {
      let shared = SharedDescriptor(descriptor)
      self.descriptor = shared
      self.name = name
      self.isSocket = isSocket
      do throws(PortError) {
        wakeup = try WakePipe(name)
        try shared.makeNonBlocking(name)
      } catch {
        shared.close()
        throw error
      }
    }

    deinit { descriptor.close() }

    // MARK: Bytes

    /// Writes what the other end takes at once; the rest goes while `receive` waits.
    ///
    /// - Throws: `PortError.backlog` where too much waits, and nothing of `bytes` was sent; `disconnected`, `closed`
    public func send(_ bytes: some Collection<UInt8>) throws(PortError) {
      let rest = try state.withLock { (state) throws(PortError) -> Int in
        guard !state.isClosed else { throw .closed(name) }
        guard state.outgoing.count + bytes.count <= Self.backlogLimit else {
          throw .backlog(name, waiting: state.outgoing.count)
        }
        state.outgoing.append(contentsOf: bytes)
        try flush(&state.outgoing)
        return state.outgoing.count
      }
      if rest > 0 { wakeup.wake() }
    }

    /// The bytes that have come, at most 65 536 at once, or none where the time has run out or `wake` was called.
    ///
    /// - Parameters:
    ///   - timeout: s; `nil` waits for as long as it takes.
    ///   - isReading: whether to take bytes at all; `false` only writes out what waits.
    /// - Throws: `PortError.disconnected` after the last byte, `closed`, `system`
    public func receive(timeout: Double? = nil, isReading: Bool = true) throws(PortError) -> [UInt8] {
      let isSending = try state.withLock { (state) throws(PortError) -> Bool in
        guard !state.isClosed else { throw .closed(name) }
        return !state.outgoing.isEmpty
      }
      let ready: Int32 = try descriptor.use(name) { (descriptor) throws(PortError) in
        let wanted = (isReading ? Int32(POLLIN) : 0) | (isSending ? Int32(POLLOUT) : 0)
        return try wakeup.wait(for: wanted, on: descriptor, timeout: timeout, name)
      }
      if ready & Int32(POLLOUT) != 0 {
        try state.withLock { (state) throws(PortError) in try flush(&state.outgoing) }
      }
      // A hang-up shows in reading, after the last byte.
      guard isReading, ready & ~Int32(POLLOUT) != 0 else { return [] }
      do throws(PortError) {
        return try descriptor.use(name) { (descriptor) throws(PortError) in try read(descriptor) }
      } catch {
        // Closing from another thread looks like the other end's.
        throw state.withLock { $0.isClosed } ? .closed(name) : error
      }
    }

    /// Lets a `receive` that waits return.
    public func wake() { wakeup.wake() }

    /// Ends the port at once for both ends; what was not written is lost.
    public func close() {
      let isFirst = state.withLock { state in
        defer { state.isClosed = true }
        return !state.isClosed
      }
      guard isFirst else { return }
      if isSocket { descriptor.shutDown() }
      descriptor.close()
      wakeup.wake()
    }

    // MARK: System calls

    private func read(_ descriptor: Int32) throws(PortError) -> [UInt8] {
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceLength) { buffer, count in
        count = 0
        guard let base = buffer.baseAddress else { return }
        let read = UWBPlatform.read(descriptor, base, buffer.count)
        if read < 0 { code = errno } else if read == 0 { code = EPIPE }
        count = max(0, read)
      }
      if code == 0 || code == EAGAIN || code == EWOULDBLOCK || code == EINTR { return bytes }
      throw isGone(code) ? .disconnected(name) : .system("read", name, code: code)
    }

    private func flush(_ bytes: inout [UInt8]) throws(PortError) {
      var start = 0
      defer { bytes.removeFirst(start) }
      while start < bytes.count {
        let written = try descriptor.use(name) { (descriptor) throws(PortError) in
          bytes[start...].withUnsafeBytes { rest in
            isSocket
              ? UWBPlatform.send(descriptor, rest.baseAddress, rest.count, Self.sendFlags)
              : UWBPlatform.write(descriptor, rest.baseAddress, rest.count)
          }
        }
        if written >= 0 {
          start += written
        } else if errno == EAGAIN || errno == EWOULDBLOCK {
          return
        } else if errno != EINTR {
          throw isGone(errno) ? .disconnected(name) : .last("write", name)
        }
      }
    }

    /// Whether the error says that there is nobody, or nothing, there any more.
    private func isGone(_ code: Int32) -> Bool {
      [EPIPE, ECONNRESET, ENOTCONN, EIO, ENODEV, ENXIO, ETIMEDOUT].contains(code)
    }

    // Elsewhere the socket itself was told to raise no signal.
    #if canImport(Darwin)
      private static let sendFlags: Int32 = 0
    #else
      private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
  }
#endif
