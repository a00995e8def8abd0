#if !os(Windows)
  import NearbyPorts
  import NearbyUCI
  import UWBPlatform
  import UWBTypes

  /// One chip at one port, kept up: opened, reset, its sessions started; and all that again after it was unplugged or stopped to answer.
  ///
  /// `run` blocks and belongs on a thread of its own (`PortThread`); orders may come from any thread. A session that was ordered ranges until
  /// `stop`, or until it fails for a reason that another try does not change.
  public final class UCIConnection: Sendable {
    /// Settings of a connection.
    public struct Settings: Sendable, Hashable {
      /// Settings of the protocol's driver.
      public var driver: UCIDriver.Settings
      /// Bd, of a serial port
      public var speed = 115_200
      /// s until a port that is gone is opened again; twice as long after each failure, up to the second number.
      public var firstWait = 0.05
      /// Longest time between two attempts to connect again, s.
      public var longestWait = 0.25
      /// How often a session may lose its chip without a round between.
      public var maximumStarts = 3

      /// Creates one with default values.
      public init() {
        driver = UCIDriver.Settings()
        driver.silentRounds = 20
      }
    }

    /// What a connection reports.
    public enum Event: Sendable {
      /// The chip was reset and has said what it is: the first time, and after each `unavailable`.
      case ready(DeviceInfo, Capabilities)
      /// The chip is gone; it is tried again until `run` ends.
      case unavailable(UCIConnectionError)
      /// By the session's id.
      case started(UInt32)
      /// The ranging session of this identifier has stopped.
      case stopped(UInt32)
      /// The session has ended, and is not tried again.
      case failed(UInt32, UCIDriverError)
      /// Results of the ranging session of this identifier.
      case info(UInt32, SessionInfo)
      /// Traffic, as it goes over the wire.
      case packet(UCIPacket)
    }

    enum Order: Sendable {
      case start(UInt32, UCISessionType, [UCIParameter])
      case stop(UInt32)
    }

    private struct Shared {
      var orders: [Order] = []
      var port: BytePort?
      var isClosed = false
    }

    /// Where the radio is reached.
    public let address: PortAddress
    /// Settings of this connection.
    public let settings: Settings
    private let shared = StateLock(Shared())

    /// A connection that is not open yet.
    public init(_ address: PortAddress, settings: Settings = Settings()) {
      self.address = address
      self.settings = settings
    }

    // MARK: Orders

    /// Ranges a session from now on, whenever the chip is there. Its id must be the peer's too.
    public func start(_ id: UInt32, type: UCISessionType = .ranging, parameters: [UCIParameter]) {
      order(.start(id, type, parameters))
    }

    /// Stops the ranging session of this identifier.
    public func stop(_ id: UInt32) { order(.stop(id)) }

    /// Ends `run`, once its sessions are stopped.
    public func close() {
      shared.withLock { shared in
        shared.isClosed = true
        shared.port?.wake()
      }
    }

    private func order(_ order: Order) {
      shared.withLock { shared in
        shared.orders.append(order)
        shared.port?.wake()
      }
    }

    // MARK: Running

    /// Keeps the chip ranging until `close`, or until `isEnded` says so, which is asked five times a second.
    ///
    /// - Parameter handler: is told what happens; an error that it throws ends the run.
    public func run(isEnded: () -> Bool = { false }, _ handler: @escaping (Event) throws -> Void) throws {
      var dialogue = UCIDialogue(settings, handler)
      var wait = settings.firstWait
      func isOver() -> Bool { isEnded() || shared.withLock { $0.isClosed } }
      while !isOver() {
        dialogue.beginAttempt()
        do throws(any Error) {
          let port = try BytePort.open(address, speed: settings.speed)
          defer {
            shared.withLock { $0.port = nil }
            port.close()
          }
          shared.withLock { $0.port = port }
          try converse(on: port, &dialogue, isOver: isOver)
          return
        } catch let error as PortError {
          try dialogue.leave(.port(error))
        } catch let error as UCIDriverError {
          try dialogue.leave(.chip(error))
        }
        if dialogue.wasReady { wait = settings.firstWait }
        dialogue.note(takeOrders())
        pause(wait, isOver: isOver)
        wait = min(2 * wait, settings.longestWait)
      }
    }

    private func converse(on port: BytePort, _ dialogue: inout UCIDialogue, isOver: () -> Bool) throws {
      let check = 0.2
      try dialogue.open(port)
      while !isOver() {
        for order in takeOrders() { try dialogue.obey(order, port) }
        try dialogue.step(port, longest: check)
      }
      let end = dialogue.now + 1
      try dialogue.stopAll(port)
      while dialogue.hasSessions, dialogue.now < end { try dialogue.step(port, longest: check) }
    }

    private func takeOrders() -> [Order] {
      shared.withLock { shared in
        defer { shared.orders.removeAll() }
        return shared.orders
      }
    }

    private func pause(_ seconds: Double, isOver: () -> Bool) {
      var left = seconds
      while left > 0, !isOver() {
        let step = min(left, 0.05)
        usleep(UInt32(step * 1e6))
        left -= step
      }
    }
  }
#endif
