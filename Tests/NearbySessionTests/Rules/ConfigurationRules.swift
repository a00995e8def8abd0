import NearbySession
import Testing
import UWBDSP

@Suite struct ConfigurationRules {
  @Test("R10 the configuration's type names the kind of peer; bad accessory data throws")
  func kinds() throws {
    let accessory = try NearbyAccessoryConfiguration(data: accessoryData().data)
    #expect(accessory.accessoryDiscoveryToken.kind == .accessory)
    #expect(NearbyPeerConfiguration(peerToken: peerToken(1)).peerDiscoveryToken.kind == .session)
    #expect(throws: NearbyError.self) { try NearbyAccessoryConfiguration(data: [1, 0, 0]) }
    do {
      _ = try NearbyAccessoryConfiguration(data: accessoryData().data.dropLast())
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .invalidConfiguration)
      #expect(error.accessoryMessageError == .truncated(actual: 36, expected: 37))
    }
  }

  @Test("R11 with a Bluetooth peer identifier an accessory's session runs on, and runs, in the background")
  func background() throws {
    var rig = Rig()
    let plain = rig.core.makeSession()
    let bluetooth = rig.core.makeSession()
    let other = try NearbyAccessoryConfiguration(data: accessoryData(address: 0x1234).data)
    let configuration = try NearbyAccessoryConfiguration(data: accessoryData().data, bluetoothPeerIdentifier: "AA:01")
    try rig.run(plain, .accessory(other))
    try rig.run(bluetooth, .accessory(configuration))
    _ = rig.said()
    rig.enter(.background)
    #expect(rig.events.filter { $0.kind == .suspended }.map(\.session) == [plain])
    #expect(rig.core.isRunning(bluetooth) && !rig.core.isRunning(plain))
    rig.pause(bluetooth)
    try rig.run(bluetooth, .accessory(configuration))
    #expect(rig.core.isRunning(bluetooth))
  }

  @Test("R11 the loss of that Bluetooth link ends the session")
  func linkLost() throws {
    var rig = Rig()
    let id = rig.core.makeSession()
    let configuration = try NearbyAccessoryConfiguration(data: accessoryData().data, bluetoothPeerIdentifier: "AA:01")
    try rig.run(id, .accessory(configuration))
    _ = rig.said()
    rig.core.accessoryUnavailable(bluetoothPeerIdentifier: "BB:02", at: 0, into: &rig.events)
    #expect(rig.said().isEmpty)
    rig.core.accessoryUnavailable(bluetoothPeerIdentifier: "AA:01", at: 0, into: &rig.events)
    guard case .invalidated(let error)? = rig.said().last else {
      Issue.record("expected invalidation")
      return
    }
    #expect(error.code == .accessoryPeerDeviceUnavailable)
  }

  @Test("R12 updates arrive only after run, and on both sides")
  func order() async throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    let (ourDelegate, theirDelegate) = (RecordingDelegate(), RecordingDelegate())
    ours.delegate = ourDelegate
    theirs.delegate = theirDelegate
    a.deliver(measurement(of: try theirs.liveToken, time: 0))
    #expect(room.range() == 0)
    try ours.run(with: theirs)
    #expect(room.range() == 0)
    try theirs.run(with: ours)
    #expect(room.range() == 2)
    for delegate in [ourDelegate, theirDelegate] {
      let calls = await delegate.wait { $0.count >= 2 }
      #expect(calls.map(\.name) == ["didStart", "didUpdate"])
    }
    #expect(a.undelivered == 1)
  }

  @Test("R13 pause stops updates, run resumes them with the same tokens, and neither is told")
  func pauseAndResume() async throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    let tokens = try (ours.liveToken, theirs.liveToken)
    let events = ours.events
    room.range(distance: 1)
    ours.pause()
    #expect(room.range() == 0)
    a.deliver(measurement(of: tokens.1, time: 0, distance: 5))
    try ours.run(try #require(ours.configuration))
    #expect(room.range(distance: 2) == 2)
    #expect(try (ours.liveToken, theirs.liveToken) == tokens)
    ours.invalidate()
    let seen = await drain(events).events
    #expect(seen.count == 3)
    #expect(seen.compactMap { if case .updated(let objects) = $0 { objects.first?.distance } else { nil } } == [1, 2])
    #expect(seen.contains(.started))
  }

  @Test("R13 a long pause gives the peer a timeout")
  func longPause() async throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    room.range()
    let (ourEvents, theirEvents) = (ours.events, theirs.events)
    ours.pause()
    room.clock.now = 10
    for host in room.hosts { host.advance() }
    #expect(theirs.isRunning)
    room.clock.now = 10.1
    for host in room.hosts { host.advance() }
    #expect(!theirs.isRunning)
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    #expect(room.range() == 2)
    ours.invalidate()
    theirs.invalidate()
    let theirSeen = await drain(theirEvents).events
    guard case .removed(let objects, .timeout)? = theirSeen.first else {
      Issue.record("expected a timeout, got \(theirSeen)")
      return
    }
    #expect(objects.count == 1)
    #expect(await drain(ourEvents).events.contains { if case .removed = $0 { true } else { false } } == false)
  }

  @Test("R14 the accessory handshake hands out data that the accessory reads, with the object it is for")
  func handshake() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let delegate = RecordingDelegate()
    session.delegate = delegate
    let theirs = accessoryData(rate: .infrequent)
    let configuration = try NearbyAccessoryConfiguration(data: theirs.data)
    try session.run(configuration)
    let calls = await delegate.wait { $0.count >= 2 }
    #expect(calls.map(\.name) == ["didStart", "didGenerate"])
    let call = try #require(calls.last)
    #expect(call.objects.map(\.discoveryToken) == [configuration.accessoryDiscoveryToken])
    let shared = try ShareableConfigurationData(data: call.data)
    let link = try #require(host.links.first)
    #expect(UInt64(shared.destinationAddress) == link.localAddress.rawValue)
    #expect(link.peerAddress == DeviceAddress(rawValue: 0xD711))
    #expect(shared.blockMilliseconds == 774 && shared.clockStability == 100)
    #expect(call.data.count == 30)
    #expect(try AccessoryMessage(bytes: [0x0B] + call.data) == .configureAndStart(shared))
  }

  @Test("R14 an accessory of version 1.0 gets the short form, and each run a fresh secret")
  func shortForm() throws {
    var rig = Rig()
    let id = rig.core.makeSession()
    let configuration = try NearbyAccessoryConfiguration(data: accessoryData(drift: nil).data)
    try rig.run(id, .accessory(configuration))
    try rig.run(id, .accessory(configuration))
    rig.pause(id)
    try rig.run(id, .accessory(configuration))
    let shared = rig.said().compactMap { kind -> ShareableConfigurationData? in
      if case .shareableConfiguration(let data, _) = kind { data } else { nil }
    }
    #expect(shared.count == 3)
    #expect(shared.allSatisfy { $0.clockStability == nil && $0.data.count == 28 && $0.blockMilliseconds == 180 })
    #expect(Set(shared.map(\.stsInitialVector)).count == 3)
    #expect(Set(shared.map(\.destinationAddress)).count == 1)
  }

  @Test("R15 updates of an accessory carry its configuration's token")
  func accessoryToken() throws {
    var rig = Rig()
    let id = rig.core.makeSession()
    let configuration = try NearbyAccessoryConfiguration(data: accessoryData().data)
    try rig.run(id, .accessory(configuration))
    _ = rig.said()
    rig.measure(
      RangingMeasurement(
        exchange: 0, time: 0, peer: DeviceAddress(rawValue: 0xD711), status: .ok, distance: 3))
    #expect(rig.said().map { $0.object?.discoveryToken } == [configuration.accessoryDiscoveryToken])
    let same = try NearbyAccessoryConfiguration(data: accessoryData().data)
    let other = try NearbyAccessoryConfiguration(data: accessoryData(address: 1).data)
    #expect(same.accessoryDiscoveryToken == configuration.accessoryDiscoveryToken)
    #expect(other.accessoryDiscoveryToken != configuration.accessoryDiscoveryToken)
  }
}

/// Accessory A1 of the public log, or a variation of it.
func accessoryData(
  rate: AccessoryConfigurationData.UpdateRate = .userInteractive, address: UInt16 = 0xD711, drift: UInt16? = 25
) -> AccessoryConfigurationData {
  AccessoryConfigurationData(
    preferredUpdateRate: rate, uwbVersion: AccessoryProtocolVersion(major: 1, minor: 1), manufacturer: 0x0003_F53F,
    model: 0x0BB8, middleware: 0x0101_0000, role: .controllerInitiator, shortAddress: address, clockDriftppm: drift)
}
