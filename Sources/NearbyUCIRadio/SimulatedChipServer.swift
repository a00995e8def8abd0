#if !os(Windows)
  import NearbyPorts
  import NearbyUCI
  import UWBPlatform
  import UWBTypes

  /// A simulated chip at a place where hosts find it: a pseudo-terminal, or a socket that one host at a time connects to.
  ///
  /// `run` blocks and belongs on a thread of its own. Unplugged, the chip has no power and its place is gone; plugged in again it is as new.
  public final class SimulatedChipServer: Sendable {
    /// Where a server is reached.
    public enum Place: Sendable, Hashable {
      /// `link` is a symbolic link to the device, whose own path changes each time that it is plugged in.
      case pseudoTerminal(link: String?)
      /// It listens at this address.
      case listening(PortAddress)
    }

    private struct State {
      var isPlugged = true
      var isClosed = false
      var path: String?
      var port: BytePort?
    }

    private let place: Place
    private let makeChip: @Sendable () -> SimulatedChip
    private let state = StateLock(State())
    private let start = ContinuousClock.now

    /// Serves chips at a place; `chip` makes one for each connection.
    public init(at place: Place, chip: @escaping @Sendable () -> SimulatedChip) {
      self.place = place
      makeChip = chip
    }

    /// Where hosts find the chip, as `PortAddress` reads it; `nil` before `run` and while it is unplugged.
    public var path: String? { state.withLock { $0.path } }

    /// Drops the connection and takes no new one, as if the cable were pulled.
    public func unplug() { change { $0.isPlugged = false } }
    /// Takes connections again.
    public func plug() { change { $0.isPlugged = true } }
    /// Ends `run`.
    public func close() { change { $0.isClosed = true } }

    private func change(_ body: (inout State) -> Void) {
      state.withLock { state in
        body(&state)
        state.port?.wake()
      }
    }

    /// Serves until `close`.
    ///
    /// - Parameter started: is called with the path, each time that the chip is there.
    public func run(started: (String) throws -> Void = { _ in }) throws {
      while !state.withLock({ $0.isClosed }) {
        guard state.withLock({ $0.isPlugged }) else {
          usleep(5000)
          continue
        }
        defer { state.withLock { ($0.path, $0.port) = (nil, nil) } }
        switch place {
        case .pseudoTerminal(let link): try serveTerminal(link, started)
        case .listening(let address): try serveSocket(address, started)
        }
      }
    }

    private var isOn: Bool { state.withLock { $0.isPlugged && !$0.isClosed } }

    /// s
    private var now: Double {
      let (seconds, attoseconds) = start.duration(to: .now).components
      return Double(seconds) + Double(attoseconds) * 1e-18
    }

    private func serveTerminal(_ link: String?, _ started: (String) throws -> Void) throws {
      let terminal = try PseudoTerminal()
      defer { terminal.close() }
      if let link {
        unlink(link)
        guard symlink(terminal.path, link) == 0 else {
          throw PortError.system("make the link", link, code: errno)
        }
      }
      defer { if let link { unlink(link) } }
      let path = link ?? terminal.path
      state.withLock { ($0.path, $0.port) = (path, terminal.port) }
      try started(path)
      var chip = makeChip()
      try terminal.port.send(chip.powerOn(at: now))
      while isOn { try step(&chip, terminal.port) }
    }

    private func serveSocket(_ address: PortAddress, _ started: (String) throws -> Void) throws {
      let listener = try PortListener(address)
      defer { listener.close() }
      state.withLock { $0.path = "\(listener.address)" }
      try started("\(listener.address)")
      var chip = makeChip()
      _ = chip.powerOn(at: now)
      var port: BytePort?
      defer { port?.close() }
      while isOn {
        guard let connection = port else {
          // Nobody hears what the chip says meanwhile.
          _ = chip.advance(to: now)
          port = try listener.accept(timeout: 0.02)
          let accepted = port
          state.withLock { $0.port = accepted }
          continue
        }
        do throws(PortError) {
          try step(&chip, connection)
        } catch {
          guard case .disconnected = error else { throw error }
          connection.close()
          port = nil
        }
      }
    }

    private func step(_ chip: inout SimulatedChip, _ port: BytePort) throws(PortError) {
      let longest = 0.2
      let bytes = try port.receive(timeout: max(0, min(chip.nextDeadline.map { $0 - now } ?? longest, longest)))
      let answer = bytes.isEmpty ? chip.advance(to: now) : chip.receive(bytes, at: now)
      guard !answer.isEmpty else { return }
      do throws(PortError) {
        try port.send(answer)
      } catch {
        // As on a serial line, what nobody takes is lost.
        guard case .backlog = error else { throw error }
      }
    }
  }
#endif
