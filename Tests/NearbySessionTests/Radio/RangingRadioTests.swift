import Testing
import UWBDSP
import UWBSimulation

@testable import NearbySession

@Suite(.timeLimit(.minutes(1))) struct RangingRadioTests {
  private let clock = NearbyManualClock()

  private func host(_ radio: FakeRadio, engine: RangingEngine? = nil, seed: UInt64 = 1) -> NearbyHost {
    NearbyHost(radio: radio, engine: engine, clock: clock, permission: .granted, tokens: .seeded(seed))
  }

  /// A session that its radio ranges, and what it says from then on.
  private func running(
    _ radio: FakeRadio, on host: NearbyHost
  ) async throws -> (session: NearbySession, events: NearbySessionEvents, link: RangingLink) {
    let session = NearbySession(host: host)
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    let link = try #require(await radio.calls(1).last?.started?.link)
    return (session, session.events, link)
  }

  private func next(_ events: NearbySessionEvents) async throws -> NearbySessionEvent? {
    var iterator = events.makeAsyncIterator()
    return try await iterator.next()
  }

  private func object(_ event: NearbySessionEvent?) throws -> NearbyObject {
    guard case .updated(let objects)? = event else {
      Issue.record("expected an update, got \(String(describing: event))")
      throw NearbyError(.sessionFailed, "")
    }
    return try #require(objects.first)
  }

  @Test("two devices derive the same parameters and opposite roles from their tokens")
  func peers() async throws {
    var leads = 0
    for seed in 0..<50 as Range<UInt64> {
      let radios = (FakeRadio(), FakeRadio(address: seed % 2 == 0 ? DeviceAddress(rawValue: 0x1234) : nil))
      let hosts = (host(radios.0, seed: 2 * seed), host(radios.1, seed: 2 * seed + 1))
      let sessions = (NearbySession(host: hosts.0), NearbySession(host: hosts.1))
      try sessions.0.run(with: sessions.1)
      try sessions.1.run(with: sessions.0)
      let ours = try #require(await radios.0.calls(1).first?.started)
      let theirs = try #require(await radios.1.calls(1).first?.started)
      #expect(ours.link.isMutual(with: theirs.link))
      var mirrored = theirs.parameters
      mirrored.isController.toggle()
      (mirrored.localAddress, mirrored.peerAddress) = (mirrored.peerAddress, mirrored.localAddress)
      #expect(ours.parameters == mirrored && ours.parameters.localAddress != ours.parameters.peerAddress)
      if seed % 2 == 0 { #expect(theirs.parameters.localAddress == 0x1234) }
      if ours.parameters.isController { leads += 1 }
    }
    #expect(leads > 10 && leads < 40)
  }

  @Test("another token gives other keys")
  func keys() {
    let parameters = (1...20 as ClosedRange<UInt64>).map {
      RangingParameters(local: peerToken($0), peer: peerToken(99), settings: AccessoryRangingSettings())
    }
    #expect(Set(parameters.map(\.sessionIdentifier)).count == 20)
    #expect(Set(parameters.map(\.stsInitialVector)).count == 20)
  }

  @Test("an accessory's parameters reach the radio as the accessory is told, and a run while running keys anew")
  func accessory() async throws {
    let radio = FakeRadio()
    let host = host(radio)
    let session = NearbySession(host: host)
    let events = session.events
    let configuration = try NearbyAccessoryConfiguration(data: accessoryData().data)
    try session.run(configuration)
    _ = await radio.calls(1)
    try session.run(configuration)
    let calls = await radio.calls(3)
    var told: [ShareableConfigurationData] = []
    for event in try events.takeAllReady() {
      if case .generatedShareableConfiguration(let data, _) = event {
        told.append(try ShareableConfigurationData(data: data))
      }
    }
    let started = calls.compactMap(\.started)
    #expect(started.map(\.parameters.sessionIdentifier) == told.map(\.sessionIdentifier) && told.count == 2)
    #expect(started.map(\.parameters.stsInitialVector) == told.map(\.stsInitialVector))
    #expect(Set(told.map(\.sessionIdentifier)).count == 2)
    #expect(calls[1] == .stop(started[0].link))
    let parameters = started[1].parameters
    #expect(!parameters.isController, "the accessory leads")
    #expect(parameters.peerAddress == 0xD711 && parameters.localAddress == told[1].destinationAddress)
    #expect(parameters.slotsPerRound == 6 && parameters.slotRSTU == 3600 && parameters.blockMilliseconds == 180)
    #expect(parameters.channel == 9 && parameters.preambleIndex == 11 && parameters.roundControl == 3)
  }

  @Test("a run with another peer, or with another accessory, stops the link and starts one with other keys")
  func changedRun() async throws {
    let radio = FakeRadio()
    let session = NearbySession(host: host(radio))
    let accessories = try [1, 2].map { try NearbyAccessoryConfiguration(data: accessoryData(address: $0).data) }
    let configurations: [NearbyConfiguration] = [
      .peer(NearbyPeerConfiguration(peerToken: peerToken(1))), .peer(NearbyPeerConfiguration(peerToken: peerToken(2))),
      .accessory(accessories[0]), .accessory(accessories[1]), .peer(NearbyPeerConfiguration(peerToken: peerToken(1))),
    ]
    for (index, configuration) in configurations.enumerated() {
      try session.run(configuration)
      _ = await radio.calls(2 * index + 1)
    }
    let started = await radio.calls(9).compactMap(\.started)
    #expect(radio.faults.isEmpty && radio.ranging == [started[4].link])
    #expect(started.map(\.link.peerToken) == configurations.map(\.peerToken))
    #expect(Set(started.map(\.parameters.stsInitialVector)).count == 4, "two tokens give the same keys each time")
    #expect(Set(started.map(\.parameters.sessionIdentifier)).count == 4)
    #expect(started[4].parameters == started[0].parameters)
    withExtendedLifetime(session) {}
  }

  @Test("a ready measurement reaches its session on the host's clock, tracked, with its angles")
  func measured() async throws {
    let radio = FakeRadio()
    let (session, events, link) = try await running(radio, on: host(radio))
    clock.now = 5
    radio.report(
      .measured(
        RadioMeasurement(
          distance: 2, azimuth: .init(0.25), elevation: .init(-0.5), lineOfSightProbability: 0.9, time: 77), of: link))
    let seen = try object(try await next(events))
    // The tracker takes its part off for a line of sight that is not certain.
    let first = try #require(seen.distance)
    #expect(abs(first - 2) < 0.1)
    #expect(seen.time == 5)
    #expect(seen.horizontalAngle == 0.25)
    #expect(seen.direction != nil && seen.verticalDirectionEstimate == .below && seen.lineOfSightProbability == 0.9)
    radio.report(
      .measured(RadioMeasurement(distance: 2.1, azimuth: .init(0.25, figureOfMerit: 0), time: 77.1), of: link))
    let second = try object(try await next(events))
    let distance = try #require(second.distance)
    #expect(distance > first && distance < 2.1, "smoothed")
    withExtendedLifetime(session) {}
  }

  @Test("an exchange with impulse responses goes through the engine; without an engine the session fails and says why")
  func exchanges() async throws {
    let exchange = RangingExchange(index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage())
    let radio = FakeRadio()
    let engine = RangingEngine(RangingEngine.Configuration(profile: .ideal))
    let (session, events, link) = try await running(radio, on: host(radio, engine: engine))
    radio.report(.exchange(exchange, of: link))
    let seen = try object(try await next(events))
    #expect(seen.distanceUnavailability == .exchangeFailed, "an empty exchange")
    withExtendedLifetime(session) {}
    let bare = FakeRadio()
    let (other, otherEvents, otherLink) = try await running(bare, on: host(bare))
    bare.report(.exchange(exchange, of: otherLink))
    let error = try #require(await drain(otherEvents).error)
    #expect(error.code == .sessionFailed && error.reason.contains("engine"))
    withExtendedLifetime(other) {}
  }

  @Test("exchanges are measured and tracked as by a pipeline, ready measurements as by a tracker")
  func tracked() async throws {
    let engine = RangingEngine(RangingEngine.Configuration(profile: .ideal))
    let radio = FakeRadio()
    let (session, events, link) = try await running(radio, on: host(radio, engine: engine))
    var configuration = ExchangeConfiguration(
      profile: .ideal, array: .single(), peerTrajectory: .stationary(SIMD3(0, 0, -3)), exchangeCount: 5)
    configuration.peer = link.peerAddress
    configuration.local = link.localAddress
    let exchanges = ExchangeSimulator(configuration, seed: 3)
    let pipeline = RangingPipeline(engine)
    var tracker = EachPair(PeerTracker(PeerTracker.Configuration()))
    let ready = FakeRadio()
    let (other, otherEvents, otherLink) = try await running(ready, on: host(ready))
    for index in 0..<5 {
      let exchange = exchanges.exchange(at: index)
      radio.report(.exchange(exchange, of: link))
      let seen = try object(try await next(events))
      #expect(seen.distance == pipeline.process(exchange).distance && seen.distance != nil)
      let distance = 3 + 0.1 * Double(index % 2)
      let time = Double(index)
      ready.report(.measured(RadioMeasurement(distance: distance, time: time), of: otherLink))
      let expected = tracker.update(
        RangingMeasurement(
          exchange: 0, time: time, peer: otherLink.peerAddress, status: .ok, distance: distance, distanceDeviation: 0.1),
        of: RadioPair(local: otherLink.localAddress, peer: otherLink.peerAddress)
      ).measurement
      #expect(try object(try await next(otherEvents)).distance == expected.distance)
    }
    withExtendedLifetime((session, other)) {}
  }

  @Test("missed rounds give updates without values, and then a timeout")
  func missed() async throws {
    let radio = FakeRadio()
    let host = host(radio)
    let (session, events, link) = try await running(radio, on: host)
    radio.report(.measured(RadioMeasurement(distance: 2), of: link))
    let distance = try #require(try object(try await next(events)).distance)
    #expect(abs(distance - 2) < 0.05)
    clock.now = 9
    radio.report(.missed(link))
    let seen = try object(try await next(events))
    #expect(seen.distance == nil && seen.distanceUnavailability == .exchangeFailed && seen.time == 9)
    clock.now = 10.5
    radio.report(.missed(link))
    guard case .removed(_, .timeout)? = try await next(events) else {
      Issue.record("expected a timeout")
      return
    }
    #expect(await radio.calls(2).last == .stop(link))
    withExtendedLifetime(session) {}
  }

  @Test("a busy radio suspends; resumed, nothing runs before the app says so")
  func suspended() async throws {
    let radio = FakeRadio()
    let (session, events, link) = try await running(radio, on: host(radio))
    radio.report(.suspended)
    #expect(try await next(events) == .suspended)
    #expect(await radio.calls(2).last == .stop(link))
    radio.report(.resumed)
    #expect(try await next(events) == .suspensionEnded)
    #expect(!session.isRunning)
    try session.run(try #require(session.configuration))
    #expect(await radio.calls(3).last?.started?.link == link)
  }

  @Test("a failed link ends its session, a failed radio all of them, a refused start the one")
  func failed() async throws {
    let radio = FakeRadio()
    let host = host(radio)
    let sessions = (0..<3).map { _ in NearbySession(host: host) }
    let streams = sessions.map(\.events)
    for (index, session) in sessions.prefix(2).enumerated() {
      try session.run(NearbyPeerConfiguration(peerToken: peerToken(UInt64(index))))
    }
    let links = await radio.calls(2).compactMap(\.started?.link)
    radio.report(.failed("no antenna", of: links[0]))
    #expect(await drain(streams[0]).error == NearbyError(.sessionFailed, "no antenna"))
    #expect(sessions[1].isRunning)
    radio.report(.failed("burnt", of: nil))
    #expect(await drain(streams[1]).error?.code == .sessionFailed)
    radio.refuse()
    try sessions[2].run(NearbyPeerConfiguration(peerToken: peerToken(3)))
    #expect(await drain(streams[2]).error?.reason.contains("could not start") == true)
    withExtendedLifetime(sessions) {}
  }

  @Test("a radio that vanishes suspends; another one takes over; what it says of links that stopped is dropped")
  func vanished() async throws {
    let radio = FakeRadio()
    let host = host(radio)
    let (session, events, link) = try await running(radio, on: host)
    radio.vanish()
    #expect(try await next(events) == .suspended)
    let other = FakeRadio()
    host.attach(other)
    #expect(try await next(events) == .suspensionEnded)
    try session.run(try #require(session.configuration))
    #expect(await other.calls(1).last?.started?.link == link)
    #expect(try await next(events) == .started)
    session.pause()
    other.report(.measured(RadioMeasurement(distance: 9), of: link))
    _ = await other.calls(2)
    while host.undelivered == 0 { await Task.yield() }
    try session.run(try #require(session.configuration))
    _ = await other.calls(3)
    other.report(.measured(RadioMeasurement(distance: 1), of: link))
    var distance: Double?
    while distance == nil, let event = try await next(events) {
      if case .updated(let objects) = event { distance = objects.first?.distance }
    }
    let heard = try #require(distance)
    #expect(abs(heard - 1) < 0.05 && session.isRunning)
    host.detach()
    #expect(await other.calls(4).last == .stop(link))
    #expect(!session.isRunning)
  }

  @Test("a host that goes lets go of its radio")
  func released() async throws {
    let radio = FakeRadio()
    weak var gone: NearbyHost?
    do {
      let host = host(radio)
      gone = host
      let (session, _, link) = try await running(radio, on: host)
      session.invalidate()
      #expect(await radio.calls(2).last == .stop(link))
    }
    while gone != nil { await Task.yield() }
  }

  @Test("notices that the app carries: a peer's end, an accessory's stop")
  func notices() async throws {
    let host = NearbyHost(permission: .granted)
    let (session, accessory) = (NearbySession(host: host), NearbySession(host: host))
    let (events, accessoryEvents) = (session.events, accessory.events)
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    let configuration = try NearbyAccessoryConfiguration(data: accessoryData().data)
    try accessory.run(configuration)
    let notices: [NearbyNotice] = [
      .peerEnded(peerToken(1)), .accessoryStopped(configuration.accessoryDiscoveryToken),
    ]
    for notice in notices {
      let bytes = notice.bytes
      #expect(try NearbyNotice(bytes: bytes) == notice)
      for count in 0..<bytes.count {
        #expect(throws: DiscoveryTokenError.self) { try NearbyNotice(bytes: bytes.prefix(count)) }
      }
      for place in bytes.indices {
        var damaged = bytes
        damaged[place] ^= 0x10
        #expect(throws: DiscoveryTokenError.self) { try host.receive(notice: damaged) }
      }
      try host.receive(notice: bytes)
    }
    for stream in [events, accessoryEvents] {
      guard case .removed(_, .peerEnded)? = try stream.takeAllReady().last else {
        Issue.record("expected a removal")
        return
      }
    }
    try accessory.run(configuration)
    #expect(accessory.isRunning, "an accessory comes back with the same token")
  }
}
