#if !os(Windows)
  import NearbyPorts
  import NearbyRoom
  import NearbySession
  import UWBTypes

  /// A simulated room that apps in other processes join, each in the place of one of the scenario's devices (`RemoteRoom`).
  ///
  /// The room goes on in real time. Devices that nobody has joined are silent; the file's sessions and events, which are for scripted apps,
  /// are not played. A visitor that floods is heard more slowly, and one that reads nothing is sent away once a megabyte waits for it: neither
  /// delays another.
  public actor RoomServer {
    /// What happens at the door.
    public enum Event: Sendable, Hashable {
      /// An app joined as this device.
      case joined(device: String)
      /// An app was refused.
      case refused(RoomError)
      /// With the error that ended the visit; `nil` where the visitor closed.
      case left(device: String, RoomError?)
    }

    /// A connection that has joined.
    private final class Visitor {
      let port: BytePort
      /// Why it was sent away.
      var error: RoomError?

      init(_ port: BytePort) { self.port = port }

      /// One that takes no more has its connection closed, which ends its reading as well. One that has gone says so by its reading.
      func tell(_ message: RoomMessage) {
        do throws(PortError) {
          try port.send(message)
        } catch .closed {
        } catch .disconnected {
        } catch {
          self.error = .port(error)
          port.close()
        }
      }
    }

    /// Connections that have not said yet who they are.
    static let waitingLimit = 64
    /// Messages of one visitor between two pauses.
    static let burst = 64
    private static let burstPause = Duration.milliseconds(50)
    private static let tick = Duration.milliseconds(5)
    /// s; a machine that slept, or can't keep up, makes the room late and not busy.
    private static let longestStep = 0.25

    /// The scenario of the room.
    public nonisolated let scenario: RoomScenario
    private let room: SimulatedRoom
    private let patience: Duration
    private let onEvent: @Sendable (Event) -> Void
    private var waiting = 0
    private var visitors: [Int: Visitor] = [:]

    /// - Parameters:
    ///   - patience: how long a connection may take to say who it is.
    ///   - onEvent: called in order, on any thread.
    public init(
      _ scenario: RoomScenario, patience: Duration = .seconds(10),
      onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(ScenarioError) {
      room = try SimulatedRoom(scenario)
      self.scenario = room.scenario
      self.patience = patience
      self.onEvent = onEvent
    }

    // MARK: Time

    /// Lets the room's time go on, `speed` of its seconds a second, until the task is cancelled.
    public func run(speed: Double = 1) async {
      let clock = ContinuousClock()
      var last = clock.now
      while !Task.isCancelled {
        try? await clock.sleep(for: Self.tick)
        let now = clock.now
        advance(by: min((now - last) / .seconds(1), Self.longestStep) * speed)
        last = now
      }
    }

    /// The same by hand, s.
    func advance(by step: Double) { room.advance(to: room.time + step) }

    // MARK: Visitors

    /// Serves one connection until either end closes it.
    public nonisolated func serve(_ port: BytePort) async {
      defer { port.close() }
      guard await enter() else { return }
      let alarm = Task {
        try await Task.sleep(for: patience)
        port.close()
      }
      var messages = RoomMessages(port)
      let device: Int
      do {
        let first = try await messages.next()
        alarm.cancel()
        device = try await admit(first, port)
      } catch {
        alarm.cancel()
        return await refuse(RoomError(error), port)
      }
      do {
        var count = 0
        while let message = try await messages.next() {
          try await take(message, from: device)
          count += 1
          if count.isMultiple(of: Self.burst) { try await Task.sleep(for: Self.burstPause) }
        }
        await dismiss(device, nil)
      } catch {
        await dismiss(device, RoomError(error))
      }
    }

    private func enter() -> Bool {
      guard waiting < Self.waitingLimit else { return false }
      waiting += 1
      return true
    }

    private func refuse(_ error: RoomError, _ port: BytePort) {
      waiting -= 1
      if case .refused(let reason) = error { try? port.send(.refused(reason)) }
      onEvent(.refused(error))
    }

    /// Gives a connection its place; returns the device's.
    private func admit(_ message: RoomMessage?, _ port: BytePort) throws(RoomError) -> Int {
      guard let message else { throw .noAnswer }
      guard case .join(let version, let name) = message else { throw .unexpectedMessage }
      guard version == RoomMessage.version else {
        throw .refused("it speaks version \(RoomMessage.version) of the messages, not \(version)")
      }
      let device = try place(name)
      do {
        try port.send(.welcome(device: room.plan.nodes[device].name, room.capabilities(of: device)))
      } catch {
        throw RoomError(error)
      }
      waiting -= 1
      let visitor = Visitor(port)
      visitors[device] = visitor
      room.admit(device) { visitor.tell($0) }
      onEvent(.joined(device: room.plan.nodes[device].name))
      return device
    }

    private func place(_ name: String) throws(RoomError) -> Int {
      let devices = room.deviceNames
      if name.isEmpty {
        guard let free = devices.compactMap({ room.plan.indices[$0] }).first(where: { visitors[$0] == nil }) else {
          throw .refused("all of its \(devices.count) devices are taken")
        }
        return free
      }
      guard devices.contains(name), let index = room.plan.indices[name] else {
        throw .refused("it has no device “\(name)”; it has \(devices.prefix(10).joined(separator: ", "))")
      }
      guard visitors[index] == nil else { throw .refused("its device “\(name)” is taken") }
      return index
    }

    private func take(_ message: RoomMessage, from device: Int) throws(RoomError) {
      switch message {
      case .start(let link, let parameters):
        room.change(device) { $0.start(link, parameters) }
      case .stop(let link):
        room.change(device) { $0.stop(link) }
      case .join, .welcome, .refused, .measured, .missed, .failed:
        throw .unexpectedMessage
      }
    }

    private func dismiss(_ device: Int, _ error: RoomError?) {
      room.dismiss(device)
      let visitor = visitors.removeValue(forKey: device)
      onEvent(.left(device: room.plan.nodes[device].name, error ?? visitor?.error))
    }
  }
#endif
