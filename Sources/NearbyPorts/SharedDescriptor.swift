#if !os(Windows)
  import UWBPlatform
  import UWBTypes

  /// An open descriptor that is closed once, after its last use: its number can't become another file's under a thread that waits on it.
  final class SharedDescriptor: Sendable {
    private struct State {
      var users = 0
      var isClosing = false
      var isClosed = false
    }

    private let descriptor: Int32
    private let state = StateLock(State())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    func use<Value: Sendable>(
      _ name: String, _ body: (Int32) throws(PortError) -> Value
    ) throws(PortError) -> Value {
      let isOpen = state.withLock { state in
        if !state.isClosing { state.users += 1 }
        return !state.isClosing
      }
      guard isOpen else { throw .closed(name) }
      defer {
        state.withLock { state in
          state.users -= 1
          finish(&state)
        }
      }
      return try body(descriptor)
    }

    func close() {
      state.withLock { state in
        state.isClosing = true
        finish(&state)
      }
    }

    /// Ends a socket's connection for both ends, whoever still uses it.
    func shutDown() {
      state.withLock { if !$0.isClosed { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    func makeNonBlocking(_ name: String) throws(PortError) {
      let flags = fcntl(descriptor, F_GETFL)
      guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
      else { throw .last("set up", name) }
    }

    private func finish(_ state: inout State) {
      guard state.isClosing, state.users == 0, !state.isClosed else { return }
      state.isClosed = true
      _ = UWBPlatform.close(descriptor)
    }
  }
#endif
