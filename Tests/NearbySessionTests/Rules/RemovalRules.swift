import NearbySession
import Testing
import UWBDSP

@Suite struct RemovalRules {
  private func settings(_ change: (inout NearbySettings) -> Void) -> NearbySettings {
    var settings = NearbySettings()
    change(&settings)
    return settings
  }

  private func removals(_ kinds: [SessionEvent.Kind]) -> [NearbyObject.RemovalReason] {
    kinds.compactMap { if case .removed(_, let reason) = $0 { reason } else { nil } }
  }

  @Test("R26 no activity for longer than the setting removes the peer, at the stated time")
  func timeout() throws {
    var rig = Rig(settings { $0.timeout = 3 })
    let id = try rig.start(peerToken(1))
    rig.time = 1
    rig.measure(peerToken(1))
    _ = rig.said()
    rig.advance(to: 4)
    #expect(rig.said().isEmpty)
    rig.advance(to: 4.5)
    #expect(rig.events.last?.time == 4)
    #expect(rig.said() == [.removed(NearbyObject(discoveryToken: peerToken(1), time: 4), .timeout)])
    #expect(rig.core.discoveryToken(of: id) != nil && !rig.core.isRunning(id))
    rig.advance(to: 100)
    #expect(rig.said().isEmpty, "once")
  }

  @Test("R26 peers fall silent each at its own time, the earliest first, before the call that let time pass")
  func order() throws {
    var rig = Rig(settings { $0.timeout = 3 })
    for peer in [3, 1, 2] as [UInt64] { _ = try rig.start(peerToken(peer)) }
    for (time, peer) in [(0.5, 2), (0.2, 1), (1, 3)] as [(Double, UInt64)] {
      rig.time = time
      rig.measure(peerToken(peer))
    }
    _ = rig.said()
    rig.time = 50
    rig.measure(peerToken(9))
    // The measurement at 0.2 came late, when the clock read 0.5 already.
    let due = rig.events.compactMap { if case .removed = $0.kind { $0.time } else { nil } }
    #expect(due == [3.5, 3.5, 4])
  }

  @Test("R26 a peer that was never met is not removed")
  func neverMet() throws {
    var rig = Rig()
    _ = try rig.start(peerToken(1))
    _ = rig.said()
    rig.advance(to: 100)
    #expect(rig.said().isEmpty)
  }

  @Test("R27 the peer's invalidation removes it with peerEnded, through the radio, and its token has expired")
  func peerEnded() async throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    room.range()
    let events = ours.events
    let theirToken = try theirs.liveToken
    var changes = b.linkChanges.makeAsyncIterator()
    theirs.invalidate()
    guard case .ended(let token)? = await changes.next() else {
      Issue.record("the radio was told nothing")
      return
    }
    a.peerEnded(token)
    #expect(ours.discoveryToken != nil && !ours.isRunning)
    #expect(throws: NearbyError.self) { try ours.run(NearbyPeerConfiguration(peerToken: theirToken)) }
    let (seen, error) = await drain(events)
    guard seen.count == 1, case .removed(let objects, .peerEnded) = seen[0] else {
      Issue.record("expected one removal, got \(seen)")
      return
    }
    #expect(objects.map(\.discoveryToken) == [theirToken])
    #expect(error?.code == .invalidConfiguration)
  }

  @Test("R27 a paused session hears of the end of a peer that it had met; a suspended one does not")
  func whilePaused() throws {
    var rig = Rig()
    let paused = try rig.start(peerToken(1))
    _ = try rig.start(peerToken(2))
    rig.measure(peerToken(1))
    rig.measure(peerToken(2))
    rig.pause(paused)
    rig.enter(.background)
    _ = rig.said()
    for peer in [1, 2] as [UInt64] { rig.core.peerEnded(peerToken(peer), at: 0, into: &rig.events) }
    #expect(rig.events.map(\.session) == [paused])
    #expect(removals(rig.said()) == [.peerEnded])
  }

  @Test("R28 after a timeout the same session runs on, or a new one does")
  func afterTimeout() throws {
    var rig = Rig(settings { $0.timeout = 3 })
    let id = try rig.start(peerToken(1))
    rig.measure(peerToken(1))
    rig.advance(to: 10)
    #expect(removals(rig.said()) == [.timeout])
    try rig.run(id, .peer(NearbyPeerConfiguration(peerToken: peerToken(1))))
    rig.measure(peerToken(1))
    #expect(rig.said().count == 2)
    rig.advance(to: 20)
    #expect(removals(rig.said()) == [.timeout])
    let fresh = try rig.start(peerToken(1))
    rig.measure(peerToken(1))
    #expect(rig.events.last?.session == fresh)
  }

  @Test("R28 an app that never gets a notice works on: the peer's new session, with a new token")
  func noNotice() throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    room.range()
    theirs.invalidate()
    let again = NearbySession(host: b)
    try again.run(with: ours)
    #expect(room.range() == 0)
    try ours.run(with: again)
    #expect(room.range() == 2)
  }

  @Test("R29 the background suspends the sessions on the air and tells them; the peer is told nothing")
  func background() async throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs, idle) = (NearbySession(host: a), NearbySession(host: b), NearbySession(host: a))
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    let streams = [ours.events, theirs.events, idle.events]
    a.setApplicationState(.background)
    a.setApplicationState(.background)
    #expect(a.applicationState == .background && b.applicationState == .foreground)
    #expect(!ours.isRunning && theirs.isRunning)
    #expect(room.range() == 0)
    for session in [ours, theirs, idle] { session.invalidate() }
    #expect(await drain(streams[0]).events == [.suspended])
    #expect(await drain(streams[1]).events.isEmpty)
    #expect(await drain(streams[2]).events.isEmpty)
  }

  @Test("R29 R31 a radio that is busy or gone suspends even what Bluetooth keeps alive; nothing resumes by itself")
  func radioUnavailable() throws {
    var rig = Rig()
    let id = try rig.start(peerToken(1))
    let bluetooth = rig.core.makeSession()
    let accessory = try NearbyAccessoryConfiguration(data: accessoryData().data, bluetoothPeerIdentifier: "AA:01")
    try rig.run(bluetooth, .accessory(accessory))
    _ = rig.said()
    rig.core.setRadioAvailable(false, at: 0, into: &rig.events)
    rig.core.setRadioAvailable(false, at: 0, into: &rig.events)
    #expect(rig.events.filter { $0.kind == .suspended }.map(\.session) == [id, bluetooth])
    #expect(rig.core.links.isEmpty)
    _ = rig.said()
    rig.enter(.background)
    do throws(NearbyError) {
      try rig.run(rig.core.makeSession(), .peer(NearbyPeerConfiguration(peerToken: peerToken(2))))
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .sessionFailed && error.reason.contains("radio"))
    }
    rig.core.setRadioAvailable(true, at: 0, into: &rig.events)
    #expect(rig.events.map(\.session) == [bluetooth], "the other's condition still holds")
    #expect(rig.said() == [.suspensionEnded])
    rig.enter(.foreground)
    #expect(rig.said() == [.suspensionEnded] && rig.core.links.isEmpty)
    try rig.run(id, .peer(NearbyPeerConfiguration(peerToken: peerToken(1))))
    #expect(rig.core.links.count == 1)
  }

  @Test("R30 a suspended session can't be used before its suspension ends, and comes to no harm by the attempt")
  func notBefore() throws {
    var rig = Rig()
    let id = try rig.start(peerToken(1))
    let idle = rig.core.makeSession()
    rig.enter(.background)
    _ = rig.said()
    for session in [id, idle] {
      do throws(NearbyError) {
        try rig.run(session, .peer(NearbyPeerConfiguration(peerToken: peerToken(1))))
        Issue.record("expected an error")
      } catch {
        #expect(error.code == .sessionFailed)
      }
    }
    rig.measure(peerToken(1))
    rig.pause(id)
    #expect(rig.said().isEmpty)
    rig.enter(.foreground)
    #expect(rig.said() == [.suspensionEnded])
    try rig.run(id, .peer(NearbyPeerConfiguration(peerToken: peerToken(1))))
    #expect(rig.core.isRunning(id))
  }

  @Test("R31 nothing resumes by itself; run resumes without another exchange of tokens")
  func resumes() throws {
    let room = Room()
    let (a, b) = (room.makeHost(), room.makeHost())
    let (ours, theirs) = (NearbySession(host: a), NearbySession(host: b))
    try ours.run(with: theirs)
    try theirs.run(with: ours)
    let token = ours.discoveryToken
    a.setApplicationState(.background)
    a.setApplicationState(.foreground)
    #expect(room.range() == 0 && !ours.isRunning)
    try ours.run(try #require(ours.configuration))
    #expect(room.range() == 2)
    #expect(ours.discoveryToken == token)
  }

  @Test("R32 a session suspended for too long is invalidated")
  func tooLong() throws {
    var rig = Rig(settings { $0.suspensionLimit = 60 })
    let id = try rig.start(peerToken(1))
    rig.time = 5
    rig.enter(.background)
    rig.advance(to: 65)
    #expect(rig.core.error(of: id) == nil)
    _ = rig.said()
    rig.advance(to: 66)
    #expect(rig.events.last?.time == 65)
    guard case .invalidated(let error)? = rig.said().last else {
      Issue.record("expected invalidation")
      return
    }
    #expect(error.code == .resourceUsageTimeout)
    rig.enter(.foreground)
    #expect(rig.said().isEmpty, "no suspension-ended after invalidation")
  }

  @Test("R32 a limit that is off lets a suspension last")
  func noLimit() throws {
    var rig = Rig(settings { $0.suspensionLimit = nil })
    let id = try rig.start(peerToken(1))
    rig.enter(.background)
    rig.advance(to: 1e9)
    #expect(rig.core.error(of: id) == nil)
  }

  @Test("R26 a host with the machine's clock lets a timeout happen by itself", .timeLimit(.minutes(1)))
  func ownTimer() async throws {
    let host = NearbyHost(
      settings: settings { ($0.timeout, $0.inactivityLimit) = (0.05, 0.3) }, permission: .granted)
    let (met, lonely) = (NearbySession(host: host), NearbySession(host: host))
    let (events, lonelyEvents) = (met.events, lonely.events)
    try lonely.run(NearbyPeerConfiguration(peerToken: peerToken(2)))
    try met.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    var iterator = events.makeAsyncIterator()
    var last: NearbySessionEvent?
    for _ in 0..<3 { last = try await iterator.next() }
    guard case .removed(_, .timeout)? = last else {
      Issue.record("expected a timeout, got \(String(describing: last))")
      return
    }
    #expect(await drain(lonelyEvents).error?.code == .resourceUsageTimeout)
  }

  @Test("a clock that calls the host is asked outside the lock")
  func clockThatCalls() throws {
    final class Curious: NearbyClock {
      let host = StateLock<NearbyHost?>(nil)
      var now: Double { Double(host.withLock { $0 }?.links.count ?? 0) }
    }
    let clock = Curious()
    let host = NearbyHost(clock: clock, permission: .granted)
    clock.host.withLock { $0 = host }
    let session = NearbySession(host: host)
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    #expect(host.links.count == 1)
    clock.host.withLock { $0 = nil }
  }

  @Test("a clock set back starts the waits anew; one that is a little late changes nothing")
  func clockSetBack() throws {
    var rig = Rig(settings { $0.timeout = 3 })
    _ = try rig.start(peerToken(1))
    rig.time = 100
    rig.measure(peerToken(1))
    rig.advance(to: 99.5)
    rig.advance(to: 103)
    #expect(removals(rig.said()).isEmpty)
    rig.advance(to: 50)
    rig.advance(to: 53)
    #expect(removals(rig.said()).isEmpty)
    rig.advance(to: 53.1)
    #expect(removals(rig.said()) == [.timeout])
  }
}
