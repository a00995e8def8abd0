import Foundation
import NearbyPorts
import NearbyRoom
import NearbySession
import Testing
import UWBTypes

@testable import NearbySimulation

/// Apps that join a served room over real sockets. The room's time goes on by hand.
@Suite(.timeLimit(.minutes(2))) struct RoomServerTests {
  private typealias Event = RoomServer.Event

  /// A served room, what happens at its door, and its address.
  private final class Served: Sendable {
    let server: RoomServer
    let address: PortAddress
    private let listener: PortListener
    private let log = Log()
    private let folder: URL

    init(_ scenario: RoomScenario, patience: Duration = .seconds(10)) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "room-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      // Sockets of this kind hold little, so that one that nobody reads is full soon.
      listener = try PortListener(.unix(folder.appending(path: "room").path))
      address = listener.address
      let log = log
      server = try RoomServer(scenario, patience: patience) { log.add($0) }
      let (listener, server) = (listener, server)
      Task { for try await port in listener.connections { Task { await server.serve(port) } } }
    }

    deinit {
      listener.close()
      try? FileManager.default.removeItem(at: folder)
    }

    private final class Log: Sendable {
      let events = StateLock<[Event]>([])
      func add(_ event: Event) { events.withLock { $0.append(event) } }
    }

    /// What happened at the door, once that is fulfilled.
    func door(_ condition: ([Event]) -> Bool) async throws -> [Event] {
      while true {
        let events = log.events.withLock { $0 }
        if condition(events) { return events }
        try await Task.sleep(for: .milliseconds(1))
      }
    }

    func connect() async throws -> BytePort {
      let address = address
      return try await PortThread.run { () throws(PortError) in try BytePort.open(address) }
    }
  }

  /// An app in the place of a device.
  private final class App: Sendable {
    let radio: RemoteRoom
    let host: NearbyHost
    let session: NearbySession
    let events: NearbySessionEvents

    init(_ served: Served, as device: String, settings: NearbySettings = NearbySettings()) async throws {
      radio = try await RemoteRoom.join(served.address, as: device)
      host = NearbyHost(radio: radio, settings: settings, permission: .granted)
      session = NearbySession(host: host)
      events = session.events
    }

    func run(with other: App) throws {
      try session.run(NearbyPeerConfiguration(peerToken: try #require(other.session.discoveryToken)))
    }

    /// The next update.
    func update() async throws -> NearbyObject {
      for try await event in events {
        if case .updated(let objects) = event { return try #require(objects.first) }
      }
      throw RoomError.noAnswer
    }
  }

  private static func scenario(rate: Double = 5, distance: Double = 2, devices: [String] = ["a", "b"]) -> RoomScenario {
    var scenario = RoomScenario(name: "served", duration: 10, rate: rate)
    scenario.devices = devices.enumerated().map { index, name in
      RoomScenario.Device(
        name: name, motion: RoomScenario.Motion(.still(SIMD3(0, 0, -distance * Double(index)))),
        facing: RoomScenario.Facing(.angles(yawdeg: index == 0 ? 0 : 180, pitchdeg: 0, turndeg: 0)))
    }
    return scenario
  }

  /// Lets the room's time go on until the body is done.
  private func going<Value: Sendable>(
    _ served: Served, step: Double = 0.05, _ body: () async throws -> Value
  ) async throws -> Value {
    let server = served.server
    let time = Task {
      while !Task.isCancelled {
        await server.advance(by: step)
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    defer { time.cancel() }
    return try await body()
  }

  @Test("R41 two apps, each with a radio of its own in a served room, range with each other")
  func pair() async throws {
    let served = try Served(Self.scenario())
    let (a, b) = (try await App(served, as: "a"), try await App(served, as: "b"))
    #expect(a.radio.device == "a" && a.host.deviceCapabilities.supportsDirectionMeasurement)
    try a.run(with: b)
    try b.run(with: a)
    try await going(served) {
      for app in [a, b] {
        let object = try await app.update()
        let distance = try #require(object.distance)
        #expect(abs(distance - 2) < 0.1)
        #expect(try #require(object.direction).z < -0.99)
      }
    }
    b.session.invalidate()
    b.radio.leave()
    _ = try await served.door { $0.contains(.left(device: "b", nil)) }
    // Its place is free again; the first app's session goes on with the next one there.
    let c = try await App(served, as: "b")
    try a.run(with: c)
    try c.run(with: a)
    let heard = try await going(served) { try await c.update() }
    #expect(heard.distance != nil)
    withExtendedLifetime((a, b, c)) {}
  }

  @Test("ends whose settings differ have other keys and hear nothing: rounds are missed")
  func keys() async throws {
    let served = try Served(Self.scenario())
    var settings = NearbySettings()
    settings.accessoryRanging.channel = 5
    let (a, b) = (try await App(served, as: "a"), try await App(served, as: "b", settings: settings))
    try a.run(with: b)
    try b.run(with: a)
    try await going(served) {
      for app in [a, b] {
        let object = try await app.update()
        #expect(object.distanceUnavailability == .exchangeFailed)
      }
    }
    withExtendedLifetime((a, b)) {}
  }

  @Test("a peer in front of the screen has a distance and no direction")
  func mirror() async throws {
    var scenario = Self.scenario()
    scenario.devices[0].facing = RoomScenario.Facing(.angles(yawdeg: 180, pitchdeg: 0, turndeg: 0))
    let served = try Served(scenario)
    let (a, b) = (try await App(served, as: "a"), try await App(served, as: "b"))
    try a.run(with: b)
    try b.run(with: a)
    try await going(served) {
      let object = try await a.update()
      #expect(object.distance != nil && object.direction == nil)
      #expect(try await b.update().direction != nil)
    }
    withExtendedLifetime((a, b)) {}
  }

  @Test("who can't be there is told why: wrong name, taken, full, another version, a message out of turn")
  func refused() async throws {
    let served = try Served(Self.scenario())
    await #expect(throws: RoomError.refused("it has no device “x”; it has a, b")) {
      try await RemoteRoom.join(served.address, as: "x")
    }
    let first = try await RemoteRoom.join(served.address, as: "b")
    await #expect(throws: RoomError.refused("its device “b” is taken")) {
      try await RemoteRoom.join(served.address, as: "b")
    }
    let second = try await RemoteRoom.join(served.address)
    #expect(second.device == "a")
    await #expect(throws: RoomError.refused("all of its 2 devices are taken")) {
      try await RemoteRoom.join(served.address)
    }
    let later = try await served.connect()
    var answers = RoomMessages(later)
    try later.send(.join(version: 9, device: ""))
    guard case .refused(let reason)? = try await answers.next() else { return #expect(Bool(false)) }
    #expect(reason.contains("version 1"))
    let rude = try await served.connect()
    var silence = RoomMessages(rude)
    try rude.send(.welcome(device: "a", .all))
    #expect(try await silence.next() == nil)
    let events = try await served.door { $0.count >= 7 }
    #expect(events.last == .refused(.unexpectedMessage))
    withExtendedLifetime((first, second)) {}
  }

  @Test("a visitor that speaks nonsense is sent away, and one that says nothing")
  func nonsense() async throws {
    let impatient = try Served(Self.scenario(), patience: .milliseconds(50))
    let silent = try await impatient.connect()
    #expect(try await impatient.door { !$0.isEmpty } == [.refused(.noAnswer)])
    let served = try Served(Self.scenario())
    var left = 0
    for bytes in [[0xFF, 0xFF, 0xFF, 0xFF], FrameStream.bytes(of: [0x77]), FrameStream.bytes(of: [])] as [[UInt8]] {
      let port = try await served.connect()
      var answers = RoomMessages(port)
      try port.send(.join(version: RoomMessage.version, device: "a"))
      guard case .welcome? = try await answers.next() else { return #expect(Bool(false)) }
      try port.send(bytes)
      left += 1
      _ = try await served.door { events in
        events.count { if case .left(device: "a", .some) = $0 { true } else { false } } == left
      }
      withExtendedLifetime(port) {}
    }
    withExtendedLifetime(silent) {}
  }

  @Test("a visitor that floods delays nobody: others get each round, at once")
  func flood() async throws {
    let served = try Served(Self.scenario(devices: ["a", "b", "flood"]))
    let (a, b) = (try await App(served, as: "a"), try await App(served, as: "b"))
    try a.run(with: b)
    try b.run(with: a)
    try await going(served) { _ = try await (a.update(), b.update()) }
    let flood = try await served.connect()
    try flood.send(.join(version: RoomMessage.version, device: "flood"))
    _ = try await served.door { $0.count == 3 }
    // Every link that it may have and more, with tokens of others, again and again: seconds' worth at the pace it is heard.
    let local = try #require(a.session.discoveryToken)
    var sent = 0
    while sent < 4000 {
      let other = NearbySession(host: b.host)
      let peer = try #require(other.discoveryToken)
      let link = RangingLink(localToken: local, peerToken: peer, localAddress: local.address, peerAddress: peer.address)
      guard let parameters = a.host.links.first.flatMap({ a.host.parameters(of: $0) }) else { break }
      try flood.send(.start(link, parameters))
      sent += 1
    }
    #expect(sent == 4000)
    // What waits to be heard does not stand before the others' rounds.
    try await going(served) {
      for app in [a, a, a, a, b, b, a, a] {
        let object = try await app.update()
        #expect(object.distance != nil)
      }
    }
    withExtendedLifetime((a, b, flood)) {}
  }

  @Test("a visitor that reads nothing is sent away; who ranged with it is told of each round")
  func hang() async throws {
    // Too far to be heard: rounds are cheap.
    let served = try Served(Self.scenario(rate: 1000, distance: 5000))
    let a = try await App(served, as: "a")
    let hanging = try await served.connect()
    try hanging.send(.join(version: RoomMessage.version, device: "b"))
    let token = try #require(a.session.discoveryToken)
    let host = NearbyHost(permission: .granted)
    let session = NearbySession(host: host)
    try session.run(NearbyPeerConfiguration(peerToken: token))
    let link = try #require(host.links.first)
    try hanging.send(.start(link, try #require(host.parameters(of: link))))
    try a.session.run(NearbyPeerConfiguration(peerToken: link.localToken))
    let events = try await going(served, step: 0.2) {
      try await served.door { events in events.contains { if case .left = $0 { true } else { false } } }
    }
    guard case .left(device: "b", .port(.backlog))? = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(try await a.update().distanceUnavailability == .exchangeFailed)
    withExtendedLifetime((a, hanging, session)) {}
  }
}
