import Testing
import UWBDSP

@testable import NearbySession

@Suite struct StreamRules {
  private func distances(_ events: [NearbySessionEvent]) -> [Double] {
    events.compactMap { if case .updated(let objects) = $0 { objects.first?.distance } else { nil } }
  }

  @Test("R42 each subscriber has a stream of its own, from when it was made")
  func independent() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let early = session.events
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0, distance: 1))
    let late = session.events
    session.pause()
    session.invalidate()
    let (first, second) = (await drain(early), await drain(late))
    #expect(first.events.count == 2 && first.events.first == .started && distances(first.events) == [1])
    #expect(second.events.isEmpty)
    #expect(first.error == .invalidatedByApp && second.error == .invalidatedByApp)
  }

  @Test("R42 a slow subscriber finds the newest update and every lifecycle event, in order")
  func slow() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let events = session.events
    let configuration = NearbyPeerConfiguration(peerToken: peerToken(1))
    for round in 0..<3 {
      try session.run(configuration)
      for step in 0..<100 {
        host.deliver(measurement(of: peerToken(1), time: 0, distance: Double(10 * round) + Double(step) / 100))
      }
      host.setApplicationState(.background)
      host.setApplicationState(.foreground)
    }
    session.invalidate()
    let seen = await drain(events).events
    #expect(distances(seen) == [0.99, 10.99, 20.99])
    let lifecycle = seen.filter { if case .updated = $0 { false } else { true } }
    #expect(lifecycle == Array(repeating: [.started, .suspended, .suspensionEnded], count: 3).flatMap(\.self))
    #expect(seen.count == 12)
    #expect(seen.prefix(1) == [.started] && seen[2] == .suspended)
  }

  @Test("R42 a subscriber that stalls holds one update, whatever comes, and the others get theirs")
  func stalled() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let stalled = session.events
    let live = session.events
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    var iterator = live.makeAsyncIterator()
    #expect(try await iterator.next() == .started)
    for step in 1...10_000 {
      host.deliver(measurement(of: peerToken(1), time: 0, distance: Double(step) / 1000))
      guard case .updated(let objects)? = try await iterator.next() else {
        Issue.record("expected an update")
        return
      }
      #expect(objects.first?.distance == Double(step) / 1000)
    }
    #expect(stalled.subscription.queue.backlog == 2)
  }

  @Test("R42 updates and convergence keep their order where older ones are dropped")
  func survivorsInOrder() async throws {
    let queue = EventQueue<NearbySessionEvent>()
    let object = NearbyObject(discoveryToken: peerToken(1), time: 0)
    func update(_ distance: Double) -> NearbySessionEvent {
      .updated([NearbyObject(discoveryToken: peerToken(1), distance: distance, time: 0)])
    }
    for event in [
      .convergence(.unknown, for: object), update(1), .convergence(.converged, for: object), .started, update(2),
      .convergence(.unknown, for: object), update(3),
    ] as [NearbySessionEvent] { _ = queue.push(event) }
    _ = queue.finish(throwing: .invalidatedByApp)
    _ = queue.push(.started)
    var seen: [NearbySessionEvent] = []
    do {
      while let event = try await queue.next(isolation: nil) { seen.append(event) }
      Issue.record("expected an error")
    } catch {
      #expect(error == .invalidatedByApp)
    }
    #expect(
      seen == [
        update(1), .convergence(.converged, for: object), .started, .convergence(.unknown, for: object), update(3),
      ])
  }

  @Test("R42 a waiting subscriber is woken by an event and by the end")
  func woken() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let events = session.events
    let reader = Task { await drain(events) }
    await Task.yield()
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    session.invalidate()
    let seen = await reader.value
    #expect(seen.events == [.started] && seen.error == .invalidatedByApp)
  }

  @Test("R42 a cancelled subscriber gets nil, waiting or not, and is forgotten")
  func cancelled() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    for waits in [false, true] {
      let events = session.events
      let reader = Task { await drain(events) }
      if waits { await Task.yield() }
      reader.cancel()
      let seen = await reader.value
      #expect(seen.events.isEmpty && seen.error == nil)
    }
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    let events = session.events
    host.deliver(measurement(of: peerToken(1), time: 0))
    session.invalidate()
    #expect(await drain(events).events.count == 1)
  }

  @Test("R42 a subscriber cancelled just before it waits does not wait", .timeLimit(.minutes(1)))
  func cancelledBeforeWaiting() async {
    let queue = EventQueue<NearbySessionEvent>()
    let waiter = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await queue.wait(isolation: nil)
    }
    await waiter.value
    #expect(queue.push(.started) == nil, "nobody waits")
  }

  @Test("R42 what a cancelled subscriber was woken for goes to the next one that waits", .timeLimit(.minutes(1)))
  func passedOn() async throws {
    let queue = EventQueue<NearbySessionEvent>()
    let first = Task { try await queue.next(isolation: nil) }
    while queue.waiting < 1 { await Task.yield() }
    let second = Task { try await queue.next(isolation: nil) }
    while queue.waiting < 2 { await Task.yield() }
    let wakeup = try #require(queue.push(.started))
    first.cancel()
    wakeup.resume()
    #expect(try await first.value == nil)
    #expect(try await second.value == .started)
  }

  @Test("R42 an iterator throws once and is over then")
  func over() async throws {
    let session = NearbySession(host: Room().makeHost())
    var iterator = session.events.makeAsyncIterator()
    session.invalidate()
    await #expect(throws: NearbyError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test("R42 letting go of the last reference ends the streams")
  func released() async {
    var session: NearbySession? = NearbySession(host: Room().makeHost())
    let events = session?.events
    session = nil
    guard let events else { return }
    #expect(await drain(events).error == .invalidatedByApp)
  }

  @Test("R42 the delegate hears what the stream tells, in order")
  func delegateInOrder() async throws {
    let room = Room()
    let host = room.makeHost()
    let session = NearbySession(host: host)
    let delegate = RecordingDelegate()
    session.delegate = delegate
    let configuration = NearbyPeerConfiguration(peerToken: peerToken(1))
    for step in 0..<50 {
      try session.run(configuration)
      host.deliver(measurement(of: peerToken(1), time: 0, distance: Double(step)))
      host.setApplicationState(.background)
      host.setApplicationState(.foreground)
    }
    _ = await delegate.wait { calls in calls.count { $0.name == "suspensionEnded" } == 50 }
    session.invalidate()
    let calls = await delegate.wait { $0.last?.name == "didInvalidate" }
    let names = calls.map(\.name).filter { $0 != "didUpdate" }
    let lifecycle = Array(repeating: ["didStart", "wasSuspended", "suspensionEnded"], count: 50).flatMap(\.self)
    #expect(names == lifecycle + ["didInvalidate"])
    let steps = calls.flatMap(\.objects).compactMap(\.distance)
    #expect(steps == (0..<50).map(Double.init))
  }

  @Test("R42 a delegate can be replaced, and the next one hears from then on")
  func delegateReplaced() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let first = RecordingDelegate()
    session.delegate = first
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    _ = await first.wait { !$0.isEmpty }
    let second = RecordingDelegate()
    session.delegate = second
    host.deliver(measurement(of: peerToken(1), time: 0))
    _ = await second.wait { !$0.isEmpty }
    session.invalidate()
    let calls = await second.wait { $0.last?.name == "didInvalidate" }
    #expect(calls.map(\.name) == ["didUpdate", "didInvalidate"])
    #expect(session.delegate === second)
    #expect(await first.wait { _ in true }.map(\.name) == ["didStart"])
    session.delegate = nil
    #expect(session.delegate == nil)
  }

  @Test("R42 a delegate is held weakly")
  func delegateHeldWeakly() {
    let session = NearbySession(host: Room().makeHost())
    session.delegate = RecordingDelegate()
    // Nothing was told yet, so nobody but the adapter, which holds it weakly too, ever knew it.
    #expect(session.delegate == nil)
  }

  @Test("R42 calls from many tasks at once leave every stream in order and every session in a state of the rules")
  func manyTasks() async throws {
    let room = Room()
    let host = room.makeHost()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 as Range<UInt64> {
        group.addTask {
          let token = peerToken(index)
          let session = NearbySession(host: host)
          let events = session.events
          async let seen = drain(events)
          for step in 0..<200 {
            try? session.run(NearbyPeerConfiguration(peerToken: token))
            host.deliver(measurement(of: token, time: 0, distance: Double(step) / 100))
            if step % 3 == 0 { session.pause() }
          }
          session.invalidate()
          let (told, error) = await seen
          let distances = told.compactMap { event -> Double? in
            if case .updated(let objects) = event { objects.first?.distance } else { nil }
          }
          #expect(distances == distances.sorted() && distances.last == 1.99)
          #expect(error == .invalidatedByApp)
          #expect(session.discoveryToken == nil)
        }
      }
    }
    #expect(host.links.isEmpty && host.undelivered == 0)
  }

  @Test("R42 a source of measurements, or of exchanges through an engine, is one async sequence")
  func source() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let events = session.events
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    let (measurements, continuation) = AsyncStream<RangingMeasurement>.makeStream()
    for step in 1...3 { continuation.yield(measurement(of: peerToken(1), time: 0, distance: Double(step))) }
    continuation.finish()
    await host.receive(measurements)
    let (exchanges, exchangeContinuation) = AsyncStream<RangingExchange>.makeStream()
    exchangeContinuation.yield(
      RangingExchange(index: 0, time: 0, peer: peerToken(1).address, poll: RangingMessage()))
    exchangeContinuation.finish()
    await host.receive(exchanges) { exchange in
      RangingMeasurement(exchange: exchange.index, time: exchange.time, peer: exchange.peer, status: .ok, distance: 7)
    }
    host.deliver(contentsOf: [])
    session.invalidate()
    #expect(distances(await drain(events).events) == [7])
  }

  @Test("R42 the radio hears of every link that starts, stops and ends, in order")
  func links() async throws {
    let host = Room().makeHost()
    var changes = host.linkChanges.makeAsyncIterator()
    let session = NearbySession(host: host)
    let token = try session.liveToken
    let configuration = NearbyPeerConfiguration(peerToken: peerToken(1))
    try session.run(configuration)
    let link = try #require(host.links.first)
    session.pause()
    try session.run(configuration)
    host.setApplicationState(.background)
    session.invalidate()
    #expect(link.localToken == token && link.peerToken == peerToken(1))
    #expect(link.localAddress == token.address && link.peerAddress == peerToken(1).address)
    for expected in [.started(link), .stopped(link), .started(link), .stopped(link), .ended(token)] as [LinkChange] {
      #expect(await changes.next() == expected)
    }
  }

  @Test("the keeper of time advances the host until it is cancelled")
  func keepsTime() async throws {
    let room = Room()
    let host = room.makeHost()
    let session = NearbySession(host: host)
    let events = session.events
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    room.clock.now = 11
    let keeper = Task { await host.keepTime(every: .zero, clock: ContinuousClock()) }
    var iterator = events.makeAsyncIterator()
    #expect(try await iterator.next() == .started)
    _ = try await iterator.next()
    guard case .removed(_, .timeout)? = try await iterator.next() else {
      Issue.record("expected a timeout")
      return
    }
    keeper.cancel()
    await keeper.value
  }

  @Test("a deadline says when something falls due next")
  func deadline() throws {
    let room = Room()
    let host = room.makeHost()
    #expect(host.nextDeadline == nil)
    let session = NearbySession(host: host)
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    #expect(host.nextDeadline == 600)
    room.clock.now = 2
    host.deliver(measurement(of: peerToken(1), time: 2))
    #expect(host.nextDeadline == 12)
  }

  @Test("the default clock never goes back, and moves on")
  func monotonicClock() {
    let clock = NearbyMonotonicClock()
    let start = clock.now
    var last = start
    while last == start {
      let now = clock.now
      #expect(now >= last)
      last = now
    }
    #expect(last > start)
  }
}
