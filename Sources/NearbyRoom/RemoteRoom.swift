#if !os(Windows)
  import NearbyPorts
  import NearbySession
  import UWBTypes

  /// A radio in a room that another program serves (`uwb room serve`): apps in several processes range with each other.
  ///
  ///     let room = try await RemoteRoom.join(PortAddress("unix:/tmp/room"), as: "anna")
  ///     let host = NearbyHost(radio: room, request: …)
  ///
  /// The room measures; this end needs no engine. When the room is gone its reports end and sessions are suspended, until the host is
  /// attached to another radio, such as a room joined anew.
  public final class RemoteRoom: RangingRadio {
    private typealias Welcome = (device: String, capabilities: DeviceCapabilities)

    /// Which device of the room this is.
    public let device: String
    /// Capabilities of the device, as the room told them.
    public let capabilities: DeviceCapabilities
    /// None of its own: each session ranges under its token's address.
    public var address: DeviceAddress? { nil }
    public let reports: AsyncStream<RadioReport>

    private let port: BytePort
    private let failure: Failure

    /// Why the reports ended, for both who reads and who asks.
    private final class Failure: Sendable {
      let error = StateLock<RoomError?>(nil)
    }

    /// Connects to a room and joins it.
    ///
    /// - Parameters:
    ///   - device: a device of the room's file; `nil` takes the first that is free.
    ///   - patience: how long to wait for the room's answer.
    /// - Throws: `RoomError`
    public static func join(
      _ address: PortAddress, as device: String? = nil, patience: Duration = .seconds(10)
    ) async throws(RoomError) -> RemoteRoom {
      let port: BytePort
      do {
        port = try await PortThread.run { () throws(PortError) in try BytePort.open(address) }
      } catch {
        throw .port(error)
      }
      return try await join(over: port, as: device, patience: patience)
    }

    /// The same over a connection that stands; it is the radio's from now on.
    public static func join(
      over port: BytePort, as device: String? = nil, patience: Duration = .seconds(10)
    ) async throws(RoomError) -> RemoteRoom {
      let alarm = Task {
        try await Task.sleep(for: patience)
        port.close()
      }
      defer { alarm.cancel() }
      let (reports, continuation) = AsyncStream<RadioReport>.makeStream()
      let failure = Failure()
      do {
        let welcome: Welcome = try await withCheckedThrowingContinuation { answer in
          Task {
            await read(port, asking: device ?? "", answer: answer, into: continuation, failure)
          }
        }
        return RemoteRoom(welcome, port: port, reports: reports, failure: failure)
      } catch {
        throw RoomError(error)
      }
    }

    private init(_ welcome: Welcome, port: BytePort, reports: AsyncStream<RadioReport>, failure: Failure) {
      (device, capabilities) = welcome
      self.port = port
      self.reports = reports
      self.failure = failure
    }

    deinit { port.close() }

    /// Why the room is gone; `nil` while it is there, and where it closed in order.
    public var error: RoomError? { failure.error.withLock { $0 } }

    /// Leaves the room; the reports end.
    public func leave() { port.close() }

    public func start(_ link: RangingLink, parameters: RangingParameters) async throws {
      try tell(.start(link, parameters))
    }

    /// Stops ranging on a link.
    public func stop(_ link: RangingLink) async {
      try? tell(.stop(link))
    }

    /// A room that is gone says so by the end of its reports, and harms no session.
    private func tell(_ message: RoomMessage) throws(PortError) {
      do throws(PortError) {
        try port.send(message)
      } catch .closed {
      } catch .disconnected {
      }
    }

    // MARK: What the room says

    private static func read(
      _ port: BytePort, asking device: String, answer: CheckedContinuation<Welcome, any Error>,
      into reports: AsyncStream<RadioReport>.Continuation, _ failure: Failure
    ) async {
      var messages = RoomMessages(port)
      do {
        try port.send(.join(version: RoomMessage.version, device: device))
        let welcome = try await welcome(&messages)
        answer.resume(returning: welcome)
      } catch {
        port.close()
        return answer.resume(throwing: error)
      }
      do {
        while let message = try await messages.next() { reports.yield(try report(message)) }
      } catch {
        failure.error.withLock { $0 = RoomError(error) }
      }
      port.close()
      reports.finish()
    }

    private static func welcome(_ messages: inout RoomMessages) async throws -> Welcome {
      switch try await messages.next() {
      case .welcome(let device, let capabilities)?: return (device, capabilities)
      case .refused(let reason)?: throw RoomError.refused(reason)
      case nil: throw RoomError.noAnswer
      case .some: throw RoomError.unexpectedMessage
      }
    }

    private static func report(_ message: RoomMessage) throws(RoomError) -> RadioReport {
      switch message {
      case .measured(let measurement, let link): return .measured(measurement, of: link)
      case .missed(let link): return .missed(link)
      case .failed(let reason, let link): return .failed(reason, of: link)
      case .refused(let reason): throw .refused(reason)
      case .join, .start, .stop, .welcome: throw .unexpectedMessage
      }
    }
  }
#endif
