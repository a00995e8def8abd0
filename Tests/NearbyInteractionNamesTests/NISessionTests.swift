import Foundation
import NearbyInteractionNames
import NearbySession
import Testing
import UWBTypes

@MainActor @Suite(.timeLimit(.minutes(1))) struct NISessionTests {
  /// As apps are: neither `Sendable` nor on an actor, used by the main thread alone.
  private final class App: NSObject, NISessionDelegate {
    var calls: [String] = []
    var objects: [NINearbyObject] = []
    var errors: [any Error] = []
    var data: Data?

    func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
      calls.append("update")
      objects = nearbyObjects
    }
    func session(
      _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
    ) {
      calls.append("removed \(reason)")
    }
    func sessionWasSuspended(_ session: NISession) { calls.append("suspended") }
    func sessionSuspensionEnded(_ session: NISession) { calls.append("suspension ended") }
    func session(_ session: NISession, didInvalidateWith error: any Error) {
      calls.append("invalidated")
      errors.append(error)
    }
    func session(
      _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
      for object: NINearbyObject
    ) {
      calls.append("shareable")
      data = shareableConfigurationData
    }
    func session(
      _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
      for object: NINearbyObject?
    ) {
      if case .notConverged(let reasons) = convergence.status { calls.append("not converged: \(reasons.count)") }
    }
    func sessionDidStartRunning(_ session: NISession) { calls.append("started") }

    @MainActor func wait(for call: String) async {
      while calls.last != call { await Task.yield() }
    }
  }

  private static func peerToken() throws -> NIDiscoveryToken {
    try #require(NISession(host: NearbyHost(permission: .granted)).discoveryToken)
  }

  private static func update(_ host: NearbyHost, _ distance: Double?) throws {
    let link = try #require(host.links.first)
    host.deliver(
      RangingMeasurement(
        exchange: 0, time: 0, peer: link.peerAddress, status: distance == nil ? .noFirstPath : .ok,
        distance: distance, direction: distance.map { _ in SIMD3(0.6, 0, -0.8) }))
  }

  @Test("R12 R13 R17 R18 a delegate hears updates on the main thread, in the framework's types")
  func updates() async throws {
    let host = NearbyHost(permission: .granted)
    let session = NISession(host: host)
    let app = App()
    session.delegate = app
    let token = try Self.peerToken()
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    session.run(configuration)
    await app.wait(for: "started")
    try Self.update(host, 2.5)
    await app.wait(for: "update")
    let object = try #require(app.objects.first)
    #expect(object.discoveryToken == token && object.distance == 2.5 && object.direction == simd_float3(0.6, 0, -0.8))
    let angle = try #require(object.horizontalAngle)
    #expect(abs(angle - 0.6435) < 1e-3 && object.verticalDirectionEstimate == .unknown)
    #expect(session.configuration === configuration)
    try Self.update(host, nil)
    while app.objects.first?.distance != nil { await Task.yield() }
    #expect(app.objects.first?.direction == nil)
    host.peerEnded(token.token)
    await app.wait(for: "removed peerEnded")
    withExtendedLifetime(session) {}
  }

  @Test("R29 R31 suspension is told, run does nothing until it has ended, and then resumes")
  func suspension() async throws {
    let host = NearbyHost(permission: .granted)
    let session = NISession(host: host)
    let app = App()
    session.delegate = app
    let configuration = NINearbyPeerConfiguration(peerToken: try Self.peerToken())
    session.run(configuration)
    host.setApplicationState(.background)
    await app.wait(for: "suspended")
    session.run(configuration)
    #expect(session.discoveryToken != nil)
    host.setApplicationState(.foreground)
    await app.wait(for: "suspension ended")
    session.run(configuration)
    await app.wait(for: "started")
    #expect(app.errors.isEmpty)
    withExtendedLifetime(session) {}
  }

  @Test("R33 a failure is told once with its code, even where the app lets go at once; the app's own end is not told")
  func invalidation() async throws {
    let host = NearbyHost(permission: .declined)
    let app = App()
    let token = try Self.peerToken()
    do {
      let session = NISession(host: host)
      session.delegate = app
      session.run(NINearbyPeerConfiguration(peerToken: token))
      #expect(session.discoveryToken == nil && session.configuration == nil)
    }
    await app.wait(for: "invalidated")
    #expect(app.errors.map { ($0 as? NIError)?.code } == [.userDidNotAllow])

    let other = NISession(host: NearbyHost(permission: .granted))
    other.delegate = app
    other.run(NINearbyPeerConfiguration(peerToken: token))
    await app.wait(for: "started")
    other.invalidate()
    let later = NISession(host: host)
    later.delegate = app
    later.run(NINearbyPeerConfiguration(peerToken: token))
    while app.errors.count < 2 { await Task.yield() }
    #expect(app.calls == ["invalidated", "started", "invalidated"])
    #expect(other.discoveryToken == nil)
  }

  @Test("a session that nobody holds goes, told of its end or not")
  func released() async throws {
    let app = App()
    weak var ended: NISession?
    weak var running: NISession?
    do {
      let session = NISession(host: NearbyHost(permission: .declined))
      let other = NISession(host: NearbyHost(permission: .granted))
      for session in [session, other] {
        session.delegate = app
        session.run(NINearbyPeerConfiguration(peerToken: try Self.peerToken()))
      }
      (ended, running) = (session, other)
    }
    await app.wait(for: "invalidated")
    while ended != nil || running != nil { await Task.yield() }
  }

  @Test("R07 a token travels in a keyed archive; a damaged one is none")
  func archive() throws {
    let token = try Self.peerToken()
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NIDiscoveryToken.self, from: data)
    #expect(back == token && back?.hash == token.hash && (token.copy() as? NIDiscoveryToken) == token)
    let damaged = [UInt8](data)
    let encoded = token.token.encoded
    let place = try #require(damaged.indices.first { damaged[$0...].starts(with: encoded) })
    for offset in encoded.indices {
      var bytes = damaged
      bytes[place + offset] ^= 0x20
      let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NIDiscoveryToken.self, from: Data(bytes))
      #expect(read == nil, "byte \(offset)")
    }
    for count in stride(from: 0, to: data.count, by: 7) {
      let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NIDiscoveryToken.self, from: data.prefix(count))
      #expect(read == nil, "cut after \(count)")
    }
  }

  @Test("R14 R15 an accessory's data is checked, and what it is to be told comes to the delegate")
  func accessory() async throws {
    #expect(throws: NIError.self) { try NINearbyAccessoryConfiguration(data: Data([1, 2, 3])) }
    let data = AccessoryConfigurationData(
      uwbVersion: AccessoryProtocolVersion(major: 1, minor: 1), manufacturer: 1, model: 1, middleware: 1,
      role: .controleeResponder, shortAddress: 7
    ).data
    let configuration = try NINearbyAccessoryConfiguration(data: Data(data))
    let named = try NINearbyAccessoryConfiguration(accessoryData: Data(data), bluetoothPeerIdentifier: UUID())
    #expect(named.accessoryDiscoveryToken == configuration.accessoryDiscoveryToken)
    let session = NISession(host: NearbyHost(permission: .granted))
    let app = App()
    session.delegate = app
    session.run(configuration)
    await app.wait(for: "shareable")
    let told = try #require(app.data)
    #expect(try ShareableConfigurationData(data: told).sessionIdentifier != 0)
    withExtendedLifetime(session) {}
  }

  @Test("R38 R40 capabilities, camera assistance and its reasons")
  func assistance() async throws {
    #expect(!NISession.isSupported && !NISession.deviceCapabilities.supportsPreciseDistanceMeasurement)
    let host = NearbyHost(permission: .granted)
    let session = NISession(host: host)
    let app = App()
    session.delegate = app
    let configuration = NINearbyPeerConfiguration(peerToken: try Self.peerToken())
    configuration.isCameraAssistanceEnabled = true
    #expect(configuration.peerDiscoveryToken.deviceCapabilities.supportsCameraAssistance)
    session.run(configuration)
    await app.wait(for: "started")
    host.updatePose(try #require(NearbyPose(position: .zero, rotation: SIMD4(0, 0, 0, 1))))
    await app.wait(for: "not converged: 4")
    #expect(
      session.worldTransform(
        for: NINearbyObject(NearbyObject(discoveryToken: configuration.peerDiscoveryToken.token, time: 0))) == nil)
  }

  @MainActor private final class Screen: @MainActor NISessionDelegate {
    var started = 0
    func sessionDidStartRunning(_ session: NISession) { started += 1 }
  }

  @Test("R42 a delegate on the main actor hears there; the one that is set last hears")
  func mainActor() async throws {
    let session = NISession(host: NearbyHost(permission: .granted))
    let (first, screen) = (Screen(), Screen())
    session.delegate = first
    session.delegate = screen
    #expect(session.delegate === screen)
    session.run(NINearbyPeerConfiguration(peerToken: try Self.peerToken()))
    while screen.started == 0 { await Task.yield() }
    #expect(first.started == 0)
    withExtendedLifetime((session, first)) {}
  }

  @Test("R44 sessions are keys, and a queue of the app's choice calls its delegate")
  func queue() async throws {
    let host = NearbyHost(permission: .granted)
    let session = NISession(host: host)
    #expect(Set([session, session]).count == 1 && session != NISession(host: host))
    final class Waiting: NISessionDelegate, Sendable {
      let queue = DispatchQueue(label: "app")
      let (heard, told) = AsyncStream<Void>.makeStream()
      func sessionDidStartRunning(_ session: NISession) {
        dispatchPrecondition(condition: .onQueue(queue))
        told.yield()
      }
    }
    let app = Waiting()
    session.delegateQueue = app.queue
    session.delegate = app
    session.run(NINearbyPeerConfiguration(peerToken: try Self.peerToken()))
    for await _ in app.heard { break }
    withExtendedLifetime(session) {}
  }
}
