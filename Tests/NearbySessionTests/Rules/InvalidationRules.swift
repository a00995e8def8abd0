import NearbySession
import Testing
import UWBDSP

@Suite struct InvalidationRules {
  private func settings(_ change: (inout NearbySettings) -> Void) -> NearbySettings {
    var settings = NearbySettings()
    change(&settings)
    return settings
  }

  /// The code with which a run fails, and which the session's last event bears.
  private func refusal(
    _ rig: inout Rig, _ id: SessionID, _ configuration: NearbyConfiguration
  ) -> NearbyError.Code? {
    do throws(NearbyError) {
      try rig.run(id, configuration)
      return nil
    } catch {
      #expect(rig.said().last == .invalidated(error))
      #expect(rig.core.discoveryToken(of: id) == nil)
      return error.code
    }
  }

  private func peer(_ token: DiscoveryToken) -> NearbyConfiguration {
    .peer(NearbyPeerConfiguration(peerToken: token))
  }

  @Test("R33 invalidation carries a code; then no callback comes, run throws, the token is nil")
  func afterwards() async throws {
    let room = Room()
    let host = room.makeHost()
    let session = NearbySession(host: host)
    let delegate = RecordingDelegate()
    session.delegate = delegate
    let token = peerToken(1)
    try session.run(NearbyPeerConfiguration(peerToken: token))
    _ = await delegate.wait { !$0.isEmpty }
    session.invalidate()
    host.deliver(measurement(of: token, time: 0))
    host.setApplicationState(.background)
    host.setApplicationState(.foreground)
    host.peerEnded(token)
    room.clock.now = 1e6
    host.advance()
    session.pause()
    session.invalidate()
    let calls = await delegate.wait { $0.contains { $0.name == "didInvalidate" } }
    #expect(calls.map(\.name) == ["didStart", "didInvalidate"])
    #expect(calls.last?.error == .invalidatedByApp)
    #expect(session.discoveryToken == nil)
    do {
      try session.run(NearbyPeerConfiguration(peerToken: token))
      Issue.record("expected an error")
    } catch {
      #expect(error == .invalidatedByApp)
    }
    let late = await drain(session.events)
    #expect(late.events.isEmpty && late.error == .invalidatedByApp)
  }

  @Test("R33 the app's own invalidation is no failure: it bears none of the framework's codes")
  func ownInvalidation() async throws {
    let host = Room().makeHost()
    for isReleased in [false, true] {
      var session: NearbySession? = NearbySession(host: host)
      let events = try #require(session?.events)
      if !isReleased { session?.invalidate() }
      session = nil
      let error = try #require(await drain(events).error)
      #expect(!error.isFailure && !NearbyError.Code.allCases.contains(error.code))
    }
    #expect(NearbyError.Code.allCases.allSatisfy { NearbyError($0, "").isFailure })
  }

  @Test("R34 an invalid or expired peer token gives invalidConfiguration")
  func badTokens() throws {
    var rig = Rig()
    let own = rig.core.makeSession()
    let ownToken = try #require(rig.core.discoveryToken(of: own))
    #expect(refusal(&rig, own, peer(ownToken)) == .invalidConfiguration, "its own")
    #expect(refusal(&rig, rig.core.makeSession(), peer(ownToken)) == .invalidConfiguration, "of an ended session")
    let other = rig.core.makeSession()
    let otherToken = try #require(rig.core.discoveryToken(of: other))
    #expect(refusal(&rig, rig.core.makeSession(), peer(otherToken)) == .invalidConfiguration, "of this device")
    rig.core.peerEnded(peerToken(1), at: 0, into: &rig.events)
    #expect(refusal(&rig, rig.core.makeSession(), peer(peerToken(1))) == .invalidConfiguration, "expired")
    let accessory = try NearbyAccessoryConfiguration(data: accessoryData().data).accessoryDiscoveryToken
    #expect(refusal(&rig, rig.core.makeSession(), peer(accessory)) == .invalidConfiguration, "an accessory's")
    #expect(refusal(&rig, rig.core.makeSession(), peer(peerToken(2))) == nil)
  }

  @Test("R34 a token that expires while the user is asked ends the session then")
  func expiresWhileAsking() throws {
    var rig = Rig(permission: .undetermined)
    let id = try rig.start(peerToken(1))
    rig.core.peerEnded(peerToken(1), at: 0, into: &rig.events)
    _ = rig.core.setPermission(.granted, at: 0, into: &rig.events)
    guard case .invalidated(let error)? = rig.said().last else {
      Issue.record("expected invalidation")
      return
    }
    #expect(error.code == .invalidConfiguration)
    #expect(rig.core.error(of: id) == error)
  }

  @Test("R34 accessory data without an address, from which no token follows, gives invalidConfiguration")
  func accessoryWithoutToken() {
    for address in [0xFFFE, 0xFFFF] as [UInt16] {
      do {
        _ = try NearbyAccessoryConfiguration(data: accessoryData(address: address).data)
        Issue.record("expected an error")
      } catch {
        #expect(error.code == .invalidConfiguration)
        #expect(error.accessoryMessageError == nil)
      }
    }
  }

  @Test("R35 the user is asked once, with the app's usage description, before the first run")
  func asksOnce() async throws {
    let room = Room()
    let asked = StateLock<[String]>([])
    let host = room.makeHost(
      permission: .undetermined,
      request: NearbyPermissionRequest(usageDescription: "to find your keys") { description in
        asked.withLock { $0.append(description) }
        return true
      })
    let sessions = (0..<3).map { _ in NearbySession(host: host) }
    let streams = sessions.map(\.events)
    for (index, session) in sessions.enumerated() {
      try session.run(NearbyPeerConfiguration(peerToken: peerToken(UInt64(index))))
    }
    for stream in streams {
      var iterator = stream.makeAsyncIterator()
      #expect(try await iterator.next() == .started)
    }
    #expect(asked.withLock { $0 } == ["to find your keys"])
    #expect(host.permission == .granted)
    // A session that nobody holds ends.
    withExtendedLifetime(sessions) {}
  }

  @Test("R35 a host that knows no answer and nobody to ask refuses to run, and says why")
  func nobodyAsked() throws {
    let host = NearbyHost()
    let session = NearbySession(host: host)
    do throws(NearbyError) {
      try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .userDidNotAllow && error.reason.contains("setPermission"))
    }
    #expect(session.discoveryToken == nil)
    host.setPermission(.granted)
    try NearbySession(host: host).run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    // An app that says so sets its user's answer later.
    let later = NearbyHost(permission: .undetermined)
    let waiting = NearbySession(host: later)
    try waiting.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    #expect(!waiting.isRunning && waiting.discoveryToken != nil)
    later.setPermission(.granted)
    #expect(waiting.isRunning)
  }

  @Test("R35 both users are asked; what the other declined is a peer that never starts")
  func otherDeclines() async throws {
    let room = Room()
    let ours = NearbySession(host: room.makeHost(settings { $0.inactivityLimit = 60 }))
    let theirs = NearbySession(host: room.makeHost(permission: .undetermined))
    let events = ours.events
    try theirs.run(with: ours)
    try ours.run(with: theirs)
    #expect(room.range() == 0)
    theirs.host.setPermission(.declined)
    #expect(room.range() == 0)
    room.clock.now = 60.1
    ours.host.advance()
    let seen = await drain(events)
    #expect(seen.events == [.started] && seen.error?.code == .resourceUsageTimeout)
  }

  @Test("R35 permission is asked outside the lock: what asks may use the host")
  func asksOutside() async throws {
    let box = StateLock<NearbyHost?>(nil)
    let host = Room().makeHost(
      permission: .undetermined,
      request: NearbyPermissionRequest(usageDescription: "") { _ in box.withLock { $0 }?.links.isEmpty ?? false })
    box.withLock { $0 = host }
    let session = NearbySession(host: host)
    var iterator = session.events.makeAsyncIterator()
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    #expect(try await iterator.next() == .started)
    box.withLock { $0 = nil }
  }

  @Test("R35 declined gives userDidNotAllow, then and on each later run")
  func declined() async throws {
    let room = Room()
    let host = room.makeHost(
      permission: .undetermined, request: NearbyPermissionRequest(usageDescription: "") { _ in false })
    let session = NearbySession(host: host)
    let events = session.events
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    let seen = await drain(events)
    #expect(seen.events.isEmpty && seen.error?.code == .userDidNotAllow)
    #expect(host.permission == .declined)
    do {
      try NearbySession(host: host).run(NearbyPeerConfiguration(peerToken: peerToken(1)))
      Issue.record("expected an error")
    } catch NearbyError.userDidNotAllow {
      // `catch` by code works as the framework's users know it.
    } catch {
      Issue.record("expected userDidNotAllow, got \(error)")
    }
  }

  @Test("R35 the answer can be changed later, both ways")
  func changesMind() throws {
    var rig = Rig()
    let id = try rig.start(peerToken(1))
    _ = rig.said()
    #expect(rig.core.setPermission(.declined, at: 0, into: &rig.events))
    #expect(rig.core.error(of: id)?.code == .userDidNotAllow)
    #expect(rig.core.setPermission(.granted, at: 0, into: &rig.events))
    _ = try rig.start(peerToken(1))
    #expect(rig.core.links.count == 1)
  }

  @Test("R35 in the older way an answer holds until the app exits")
  func olderWay() throws {
    var rig = Rig(settings { $0.permissionHoldsUntilExit = true }, permission: .undetermined)
    let id = try rig.start(peerToken(1))
    #expect(rig.core.setPermission(.granted, at: 0, into: &rig.events))
    #expect(!rig.core.setPermission(.declined, at: 0, into: &rig.events))
    #expect(rig.core.permission == .granted && rig.core.isRunning(id))
  }

  @Test("R35 where the system has forgotten the answer, the next run asks again")
  func asksAgain() throws {
    var rig = Rig(permission: .undetermined)
    let id = rig.core.makeSession()
    #expect(try rig.run(id, peer(peerToken(1))) == .askPermission)
    rig.core.setPermission(.granted, at: 0, into: &rig.events)
    rig.core.setPermission(.undetermined, at: 0, into: &rig.events)
    #expect(rig.core.isRunning(id), "what runs goes on")
    #expect(try rig.run(rig.core.makeSession(), peer(peerToken(2))) == .askPermission)
  }

  @Test("R35 a session that waits for the answer can be paused and suspended, and starts only by a run")
  func whileAsking() throws {
    var rig = Rig(permission: .undetermined)
    let paused = rig.core.makeSession()
    #expect(try rig.run(paused, peer(peerToken(1))) == .askPermission)
    rig.pause(paused)
    let suspended = rig.core.makeSession()
    #expect(try rig.run(suspended, peer(peerToken(2))) == .awaitingPermission, "asked once")
    rig.enter(.background)
    _ = rig.core.setPermission(.granted, at: 0, into: &rig.events)
    #expect(rig.core.links.isEmpty)
    rig.enter(.foreground)
    #expect(rig.said() == [.suspended, .suspensionEnded])
    try rig.run(paused, peer(peerToken(1)))
    try rig.run(suspended, peer(peerToken(2)))
    #expect(rig.core.links.count == 2)
  }

  @Test("R36 more active sessions than the limit give activeSessionsLimitExceeded")
  func sessionLimit() throws {
    var rig = Rig(settings { $0.activeSessionLimit = 2 })
    let first = try rig.start(peerToken(1))
    _ = try rig.start(peerToken(2))
    _ = rig.said()
    let third = rig.core.makeSession()
    #expect(refusal(&rig, third, peer(peerToken(3))) == .activeSessionsLimitExceeded)
    try rig.run(first, peer(peerToken(1)))
    rig.pause(first)
    _ = try rig.start(peerToken(3))
    #expect(rig.core.links.count == 2)
  }

  @Test("R36 extended distance has a limit of its own, and both devices must be able to")
  func extendedDistance() throws {
    func extended(_ token: DiscoveryToken) -> NearbyConfiguration {
      var configuration = NearbyPeerConfiguration(peerToken: token)
      configuration.isExtendedDistanceMeasurementEnabled = true
      return .peer(configuration)
    }
    var rig = Rig(settings { $0.activeExtendedDistanceSessionLimit = 1 })
    let first = rig.core.makeSession()
    try rig.run(first, extended(peerToken(1)))
    try rig.run(first, extended(peerToken(1)))
    _ = rig.said()
    let second = rig.core.makeSession()
    #expect(refusal(&rig, second, extended(peerToken(2))) == .activeExtendedDistanceSessionsLimitExceeded)
    _ = try rig.start(peerToken(2))
    let weakPeer = peerToken(3, capabilities: .distanceOnly)
    #expect(refusal(&rig, rig.core.makeSession(), extended(weakPeer)) == .incompatiblePeerDevice)
    rig = Rig(capabilities: .distanceOnly)
    #expect(refusal(&rig, rig.core.makeSession(), extended(peerToken(1))) == .invalidConfiguration)
  }

  @Test("R36 a session that runs without its peer for too long gives resourceUsageTimeout")
  func inactivity() throws {
    var rig = Rig(settings { $0.inactivityLimit = 60 })
    let lonely = try rig.start(peerToken(1))
    let active = try rig.start(peerToken(2))
    for time in stride(from: 0.0, through: 60, by: 5) {
      rig.time = time
      rig.measure(peerToken(2))
    }
    #expect(rig.core.error(of: lonely) == nil)
    rig.advance(to: 60.1)
    #expect(rig.core.error(of: lonely)?.code == .resourceUsageTimeout)
    #expect(rig.core.isRunning(active))
  }

  @Test("R37 codes keep the framework's names and numbers")
  func codes() {
    let framework: [String: Int] = [
      "unsupportedPlatform": -5889, "invalidConfiguration": -5888, "sessionFailed": -5887,
      "resourceUsageTimeout": -5886, "activeSessionsLimitExceeded": -5885, "userDidNotAllow": -5884,
      "invalidARConfiguration": -5883, "accessoryPeerDeviceUnavailable": -5882, "incompatiblePeerDevice": -5881,
      "activeExtendedDistanceSessionsLimitExceeded": -5880,
    ]
    let ours = Dictionary(uniqueKeysWithValues: NearbyError.Code.allCases.map { ("\($0)", $0.rawValue) })
    #expect(ours == framework)
    #expect(NearbyError(.userDidNotAllow, "no").description == "userDidNotAllow (-5884): no")
  }

  @Test("R38 capabilities are there before any session, in the newer and the older way")
  func capabilities() {
    let phone = NearbyHost()
    #expect(phone.isSupported)
    #expect(phone.deviceCapabilities.supportsPreciseDistanceMeasurement)
    #expect(phone.deviceCapabilities.supportsDirectionMeasurement)
    #expect(phone.deviceCapabilities.supportsCameraAssistance)
    #expect(phone.deviceCapabilities.supportsExtendedDistanceMeasurement)
    let watch = NearbyHost(deviceCapabilities: .distanceOnly)
    #expect(watch.isSupported && !watch.deviceCapabilities.supportsDirectionMeasurement)
    #expect(NearbySession(host: watch).deviceCapabilities == .distanceOnly)
    #expect(!NearbyHost(deviceCapabilities: DeviceCapabilities()).isSupported)
  }

  @Test("R38 a device that can't range gives unsupportedPlatform; assistance without a pose, invalidARConfiguration")
  func unsupported() {
    var rig = Rig(capabilities: DeviceCapabilities())
    #expect(refusal(&rig, rig.core.makeSession(), peer(peerToken(1))) == .unsupportedPlatform)
    rig = Rig(capabilities: .distanceOnly)
    var assisted = NearbyPeerConfiguration(peerToken: peerToken(1))
    assisted.isCameraAssistanceEnabled = true
    #expect(refusal(&rig, rig.core.makeSession(), .peer(assisted)) == .invalidARConfiguration)
  }

  @Test("R38 a token tells the peer what its device can do")
  func peerCapabilities() throws {
    let session = NearbySession(host: NearbyHost(deviceCapabilities: .distanceOnly))
    let received = try DiscoveryToken(encoded: session.liveToken.encoded)
    #expect(received.deviceCapabilities == .distanceOnly)
  }
}
