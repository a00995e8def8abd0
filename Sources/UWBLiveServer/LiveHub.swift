import NIOCore
import UWBLive
import UWBTypes

/// Counts that the event loop writes and others read.
final class SharedCounts: Sendable {
  let value = StateLock(LiveServerCounts())
}

/// All clients of one server, on its event loop: hands each what has come since the last time.
final class LiveHub {
  /// Seconds after which a page gets a state though its view has not changed: rates have, and it sees that the server is there.
  private static let heartbeatSeconds = 1.0

  let settings: LiveServerSettings
  let feed: LiveFeed
  let gate: LiveGate
  private let shared: SharedCounts
  private let loop: any EventLoop
  private var connections: [ObjectIdentifier: LiveConnection] = [:]
  private var ticks = 0
  private var task: RepeatedTask?
  private(set) var isStopping = false

  init(feed: LiveFeed, settings: LiveServerSettings, shared: SharedCounts, loop: any EventLoop) {
    self.feed = feed
    self.settings = settings
    self.shared = shared
    self.loop = loop
    gate = LiveGate(names: [settings.host])
  }

  func start() {
    let length = TimeAmount.nanoseconds(Int64(settings.tickSeconds * 1e9))
    let bound = NIOLoopBound(self, eventLoop: loop)
    task = loop.scheduleRepeatedTask(initialDelay: length, delay: length) { _ in bound.value.tick() }
  }

  var counts: LiveServerCounts { shared.value.withLock { $0 } }

  /// Done at once.
  var loopFuture: EventLoopFuture<Void> { loop.makeSucceededVoidFuture() }

  func count(_ body: (inout LiveServerCounts) -> Void) { shared.value.withLock { body(&$0) } }

  // MARK: Connections

  /// - Returns: whether there is room for it.
  func admit(_ connection: LiveConnection) -> Bool {
    guard !isStopping, connections.count < settings.maximumConnectionCount else {
      count { $0.refused += 1 }
      return false
    }
    connections[ObjectIdentifier(connection)] = connection
    count {
      $0.accepted += 1
      $0.connections += 1
    }
    return true
  }

  func forget(_ connection: LiveConnection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    count {
      $0.connections -= 1
      switch connection.stream {
      case .events: $0.lineClients -= 1
      case .live: $0.pageClients -= 1
      case nil: break
      }
    }
    connectionChanged()
  }

  /// Views that pages look at are made whole; those of the others are not.
  func connectionChanged() {
    feed.watch(
      Set(
        connections.values.compactMap {
          if case .live(let device) = $0.stream { feed.shown(device) } else { nil }
        }))
  }

  // MARK: Time

  private func tick() {
    ticks += 1
    let isEnded = feed.isEnded
    let lines = feed.takeLines()
    let buffer = lines.count > 0 ? ByteBuffer(bytes: lines.bytes) : nil
    var snapshots: [String?: (version: Int, bytes: ByteBuffer)] = [:]
    for connection in connections.values {
      switch connection.stream {
      case .events:
        if let buffer { connection.offer(buffer, lines: lines.count) }
        if isEnded { connection.finishLines() }
      case .live(let asked) where ticks.isMultiple(of: 2):
        let device = feed.shown(asked)
        let version = feed.version(of: device)
        guard connection.needs(version, heartbeat: Self.heartbeatSeconds) else { break }
        let state = snapshots[device] ?? (version, snapshot(device, version))
        snapshots[device] = state
        connection.offer(state: state.bytes, version: state.version)
      case .live, nil: break
      }
      connection.checkTime()
    }
  }

  private func snapshot(_ device: String?, _ version: Int) -> ByteBuffer {
    var buffer = ByteBuffer(string: "id: \(version)\ndata: ")
    buffer.writeBytes(feed.snapshot(of: device, clients: counts.pageClients))
    buffer.writeStaticString("\n\n")
    return buffer
  }

  /// Says goodbye to all; done once the connections are closed, or a second has gone.
  func stop() -> EventLoopFuture<Void> {
    isStopping = true
    task?.cancel()
    let lines = feed.takeLines()
    let buffer = lines.count > 0 ? ByteBuffer(bytes: lines.bytes) : nil
    let done = loop.makePromise(of: Void.self)
    let closed = connections.values.map { connection in
      if let buffer, case .events = connection.stream { connection.offer(buffer, lines: lines.count) }
      return connection.sayGoodbye()
    }
    EventLoopFuture.andAllComplete(closed, on: loop).cascade(to: done)
    let bound = NIOLoopBound(self, eventLoop: loop)
    let limit = loop.scheduleTask(in: .seconds(1)) {
      for connection in bound.value.connections.values { connection.close() }
    }
    done.futureResult.whenComplete { _ in limit.cancel() }
    return done.futureResult
  }
}
