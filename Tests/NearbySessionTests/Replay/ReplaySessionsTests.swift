import Testing
import UWBDSP

@testable import NearbySession

@Suite struct ReplaySessionsTests {
  private func measurement(
    _ peer: UInt64, at time: Double, distance: Double? = 2, status: MeasurementStatus = .ok
  ) -> RangingMeasurement {
    RangingMeasurement(
      exchange: 0, time: time, peer: DeviceAddress(rawValue: peer), status: status,
      distance: status == .ok ? distance : nil)
  }

  @Test("a peer's first measurement makes its session and updates echo one token")
  func firstSight() {
    var replay = ReplaySessions()
    let first = replay.deliver(measurement(0xA, at: 0))
    let second = replay.deliver(measurement(0xA, at: 0.1))
    let other = replay.deliver(measurement(0xB, at: 0.2))
    #expect(first.count == 1 && second.count == 1 && other.count == 1)
    guard case .update(let a)? = first.first?.kind, case .update(let again)? = second.first?.kind,
      case .update(let b)? = other.first?.kind
    else {
      Issue.record("expected updates")
      return
    }
    #expect(a.discoveryToken == replay.token(of: DeviceAddress(rawValue: 0xA)))
    #expect(again.discoveryToken == a.discoveryToken)
    #expect(b.discoveryToken != a.discoveryToken)
    #expect(a.distance == 2 && a.time == 0 && again.time == 0.1)
  }

  @Test("R26 a silence longer than the setting gives a timeout before the next event, then the session runs again")
  func timeout() {
    var settings = ReplaySessions.Settings()
    settings.session.timeout = 2
    var replay = ReplaySessions(settings: settings)
    _ = replay.deliver(measurement(0xA, at: 0))
    #expect(replay.deliver(measurement(0xB, at: 2)).count == 1, "two seconds are not longer than two seconds")
    let events = replay.deliver(measurement(0xB, at: 2.001))
    #expect(events.count == 2)
    #expect(events.first?.peer == DeviceAddress(rawValue: 0xA))
    #expect(events.first?.time == 2)
    #expect(events.first?.kind == .removed(replay.token(of: DeviceAddress(rawValue: 0xA)), .timeout))
    let back = replay.deliver(measurement(0xA, at: 3))
    guard case .update(let object)? = back.first?.kind else {
      Issue.record("expected an update")
      return
    }
    #expect(back.count == 1)
    #expect(object.discoveryToken == replay.token(of: DeviceAddress(rawValue: 0xA)))
  }

  @Test("R26 the peer's own next measurement comes after its timeout")
  func ownTimeout() {
    var settings = ReplaySessions.Settings()
    settings.session.timeout = 1
    var replay = ReplaySessions(settings: settings)
    _ = replay.deliver(measurement(0xA, at: 0))
    let events = replay.deliver(measurement(0xA, at: 5))
    #expect(events.map(\.time) == [1, 5])
    guard events.count == 2, case .removed(_, .timeout) = events[0].kind, case .update = events[1].kind else {
      Issue.record("expected timeout, update; got \(events)")
      return
    }
  }

  @Test("R46 a failed exchange gives no update and keeps no peer from timing out")
  func failedExchange() {
    var settings = ReplaySessions.Settings()
    settings.session.timeout = 2
    var replay = ReplaySessions(settings: settings)
    _ = replay.deliver(measurement(0xA, at: 0))
    #expect(replay.deliver(measurement(0xA, at: 1.5, status: .noFirstPath)).isEmpty)
    let kinds = replay.deliver(measurement(0xA, at: 3)).map(\.kind)
    #expect(kinds.first == .removed(replay.token(of: DeviceAddress(rawValue: 0xA)), .timeout) && kinds.count == 2)
  }

  @Test("the end of a capture removes who is present, in order of first sight, and the next capture starts afresh")
  func finish() {
    var settings = ReplaySessions.Settings()
    settings.session.timeout = 2
    var replay = ReplaySessions(settings: settings)
    for (peer, time) in [(0xC, 0.0), (0xA, 0.5), (0xB, 1.0), (0xA, 2.5)] {
      _ = replay.deliver(measurement(UInt64(peer), at: time))
    }
    var events: [ReplaySessions.Event] = []
    replay.finish(into: &events)
    #expect(events.map(\.peer.rawValue) == [0xA, 0xB])
    #expect(events.allSatisfy { if case .removed(_, .peerEnded) = $0.kind { true } else { false } })
    events.removeAll()
    replay.finish(into: &events)
    #expect(events.isEmpty)
    #expect(replay.deliver(measurement(0xC, at: 0)).count == 1)
    replay.finish(reason: nil, into: &events)
    #expect(events.isEmpty)
  }

  @Test("the same measurements and seed give the same events; tokens depend on seed and address alone")
  func deterministic() {
    func replayed(seed: UInt64, peers: [UInt64]) -> [ReplaySessions.Event] {
      var settings = ReplaySessions.Settings()
      settings.seed = seed
      var replay = ReplaySessions(settings: settings)
      return peers.enumerated().flatMap { replay.deliver(measurement($1, at: 0.1 * Double($0))) }
    }
    #expect(replayed(seed: 7, peers: [1, 2, 3, 1]) == replayed(seed: 7, peers: [1, 2, 3, 1]))
    #expect(replayed(seed: 7, peers: [1, 2]) != replayed(seed: 8, peers: [1, 2]))
    var settings = ReplaySessions.Settings()
    settings.seed = 2
    let replay = ReplaySessions()
    #expect(
      replay.token(of: DeviceAddress(rawValue: 3))
        != ReplaySessions(settings: settings).token(of: DeviceAddress(rawValue: 0)), "no simple sum of both")
    #expect(replay.token(of: DeviceAddress(rawValue: 3)) == ReplaySessions().token(of: DeviceAddress(rawValue: 3)))
    #expect(replay.token(of: DeviceAddress(rawValue: 3)) != replay.token(of: DeviceAddress(rawValue: 4)))
  }

  @Test("limits apply where they are set and can be switched off")
  func limits() {
    var far = measurement(0xA, at: 0, distance: 70)
    far.direction = SIMD3(0, 0, 1)
    var replay = ReplaySessions()
    guard case .update(let limited)? = replay.deliver(far).first?.kind else {
      Issue.record("expected an update")
      return
    }
    #expect(limited.distance == nil && limited.direction == nil)
    var settings = ReplaySessions.Settings()
    settings.session.limits = .off
    var free = ReplaySessions(settings: settings)
    guard case .update(let object)? = free.deliver(far).first?.kind else {
      Issue.record("expected an update")
      return
    }
    #expect(object.distance == 70 && object.direction == SIMD3(0, 0, 1))
  }

  @Test("a time that is not a number, or that leaps, loses no update")
  func wildTimes() {
    var replay = ReplaySessions()
    for time in [0, .nan, .infinity, 1, 1e12, 2, -5, 3, -.infinity] {
      let updates = replay.deliver(measurement(0xA, at: time)).filter {
        if case .update = $0.kind { true } else { false }
      }
      #expect(updates.count == 1, "time \(time)")
    }
  }

  @Test("a limit on silence ends a session, and the peer's return makes a new one")
  func inactivity() {
    var settings = ReplaySessions.Settings()
    settings.session.inactivityLimit = 1
    var replay = ReplaySessions(settings: settings)
    #expect(replay.deliver(measurement(0xA, at: 0, status: .noFirstPath)).isEmpty)
    let events = replay.deliver(measurement(0xA, at: 5))
    #expect(events.count == 1)
    #expect(events.first?.peer == DeviceAddress(rawValue: 0xA))
  }

  @Test("sessions of peers that have gone are released: their number is that of the peers that are there at once")
  func released() {
    var settings = ReplaySessions.Settings()
    settings.session.timeout = 1
    var replay = ReplaySessions(settings: settings)
    var removed: [UInt64] = []
    for peer in 0..<5000 {
      for event in replay.deliver(measurement(UInt64(peer), at: 0.1 * Double(peer))) {
        if case .removed = event.kind { removed.append(event.peer.rawValue) }
      }
      _ = replay.deliver(measurement(UInt64(100_000 + peer), at: 0.1 * Double(peer), status: .missingTimestamps))
    }
    #expect(removed == (0..<UInt64(removed.count)).map { $0 } && removed.count > 4980)
    #expect(replay.sessionCount <= 13)
    var last: [ReplaySessions.Event] = []
    replay.finish(into: &last)
    #expect(last.map(\.peer.rawValue) == (UInt64(removed.count)..<5000).map { $0 })
  }

  @Test("deadlines come in order, those of one time as their sessions were made")
  func queue() {
    var state: UInt64 = 7
    var queue = DeadlineQueue()
    var expected: [Double] = []
    for slot in 0..<1000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let deadline = Double(state >> 56)
      queue.insert(.init(deadline: deadline, slot: slot, generation: 0))
      expected.append(deadline)
      guard slot % 3 == 0 else { continue }
      expected.sort()
      #expect(queue.first?.deadline == expected.removeFirst())
      queue.removeFirst()
    }
    while let first = queue.first {
      expected.sort()
      #expect(first.deadline == expected.removeFirst())
      queue.removeFirst()
    }
    #expect(expected.isEmpty)
  }
}
