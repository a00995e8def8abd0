#if !os(Windows)
  import NearbyPorts
  import NearbyUCI

  /// A driver on a port, with the sessions that are to range there: what lives as long as `UCIConnection.run`.
  struct UCIDialogue: ~Copyable {
    private struct Wanted {
      var type: UCISessionType
      var parameters: [UCIParameter]
      /// Starts in a row that the chip was lost after, without a round between.
      var lostStarts = 0
    }

    private let settings: UCIConnection.Settings
    private let handler: (UCIConnection.Event) throws -> Void
    private let start = ContinuousClock.now
    private var driver: UCIDriver
    private var wanted: [UInt32: Wanted] = [:]
    /// Sessions that the chip has, from their start to their end.
    private var present: Set<UInt32> = []
    private var isReady = false
    /// Whether the application knows that the chip is gone.
    private var isTold = false
    /// Whether the chip became ready in this attempt.
    private(set) var wasReady = false

    init(_ settings: UCIConnection.Settings, _ handler: @escaping (UCIConnection.Event) throws -> Void) {
      self.settings = settings
      self.handler = handler
      driver = UCIDriver(settings: settings.driver)
    }

    /// s
    var now: Double {
      let (seconds, attoseconds) = start.duration(to: .now).components
      return Double(seconds) + Double(attoseconds) * 1e-18
    }

    var hasSessions: Bool { !present.isEmpty }

    // MARK: Orders

    /// Orders that came while there was no port.
    mutating func note(_ orders: [UCIConnection.Order]) {
      for order in orders {
        switch order {
        case .start(let id, let type, let parameters): wanted[id] = Wanted(type: type, parameters: parameters)
        case .stop(let id): wanted[id] = nil
        }
      }
    }

    mutating func obey(_ order: UCIConnection.Order, _ port: BytePort) throws {
      note([order])
      guard isReady else { return }
      switch order {
      case .start(let id, _, _): try begin(id, port)
      case .stop(let id): try handle(driver.stop(id, at: now), port)
      }
    }

    mutating func stopAll(_ port: BytePort) throws {
      wanted.removeAll()
      for id in present.sorted() { try handle(driver.stop(id, at: now), port) }
    }

    // MARK: Bytes and time

    mutating func beginAttempt() { wasReady = false }

    mutating func open(_ port: BytePort) throws {
      driver = UCIDriver(settings: settings.driver)
      try handle(driver.open(at: now), port)
    }

    /// Waits for bytes, for the driver's next deadline or for an order, and goes on.
    mutating func step(_ port: BytePort, longest: Double) throws {
      let deadline = driver.nextDeadline.map { $0 - now } ?? longest
      let bytes = try port.receive(timeout: max(0, min(deadline, longest)))
      let time = now
      try handle(bytes.isEmpty ? driver.advance(to: time) : driver.receive(bytes, at: time), port)
    }

    /// The port or the chip is gone. The first failure of a series is told.
    mutating func leave(_ error: UCIConnectionError) throws {
      present.removeAll()
      try tell(error)
    }

    private mutating func tell(_ error: UCIConnectionError) throws {
      isReady = false
      guard !isTold else { return }
      isTold = true
      try handler(.unavailable(error))
    }

    private mutating func begin(_ id: UInt32, _ port: BytePort) throws {
      // One that is still being stopped begins again once it has ended.
      guard let session = wanted[id], present.insert(id).inserted else { return }
      try handle(driver.start(id, type: session.type, parameters: session.parameters, at: now), port)
    }

    private mutating func handle(_ events: [UCIDriver.Event], _ port: BytePort) throws {
      for event in events {
        switch event {
        case .send(let bytes): try send(bytes, port)
        case .packet(let packet): try handler(.packet(packet))
        case .ready(let info, let capabilities):
          if isReady { try handler(.unavailable(.chip(.chipLost))) }
          isReady = true
          wasReady = true
          isTold = false
          try handler(.ready(info, capabilities))
          for id in wanted.keys.sorted() { try begin(id, port) }
        case .lost(let error): throw error
        case .started(let id): try handler(.started(id))
        case .stopped(let id):
          present.remove(id)
          try handler(.stopped(id))
          try begin(id, port)
        case .failed(let id, let error): try end(id, error)
        case .info(let id, let info):
          wanted[id]?.lostStarts = 0
          try handler(.info(id, info))
        case .dataFailed, .message, .unknown: break
        }
      }
      if isReady, driver.state != .ready { try tell(.chip(.chipLost)) }
    }

    /// A session whose chip was lost is tried again, though not for ever.
    private mutating func end(_ id: UInt32, _ error: UCIDriverError) throws {
      present.remove(id)
      if error == .chipLost, var session = wanted[id] {
        session.lostStarts += 1
        wanted[id] = session
        if session.lostStarts < settings.maximumStarts { return }
      }
      wanted[id] = nil
      try handler(.failed(id, error))
    }

    private func send(_ bytes: [UInt8], _ port: BytePort) throws {
      try port.send(bytes)
      var rest = bytes[...]
      while let packet = try UCIPacket(bytes: rest) {
        try handler(.packet(packet))
        rest = rest.dropFirst(packet.length)
      }
    }
  }
#endif
