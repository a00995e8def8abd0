import Dispatch
import NearbySession
import Testing
import UWBDSP

/// Delegates lose nothing, and hear nothing too late. Faults of timing are tried often.
@Suite(.timeLimit(.minutes(2))) struct DelegateRules {
  private static let tries = 200

  private func configuration() throws -> NearbyAccessoryConfiguration {
    try NearbyAccessoryConfiguration(data: accessoryData().data)
  }

  // MARK: Nothing is lost

  @Test("R42 setting the same delegate again after run loses nothing")
  func setAgain() async throws {
    let host = Room().makeHost()
    for _ in 0..<Self.tries {
      let session = NearbySession(host: host)
      let delegate = RecordingDelegate()
      session.delegate = delegate
      try session.run(try configuration())
      session.delegate = delegate
      let calls = await delegate.wait { $0.count >= 2 }
      #expect(calls.map(\.name) == ["didStart", "didGenerate"])
    }
  }

  @Test("R42 a delegate taken away and given back hears from then on, of everything between a removal and the end")
  func takenAway() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let delegate = RecordingDelegate()
    session.delegate = delegate
    session.delegate = nil
    #expect(session.delegate == nil)
    session.delegate = delegate
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    host.peerEnded(peerToken(1))
    let calls = await delegate.wait { $0.count >= 3 }
    #expect(calls.map(\.name) == ["didStart", "didUpdate", "didRemove"])
  }

  @Test("R33 invalidation is told where the app lets go of the session right after it")
  func invalidatedAndReleased() async throws {
    let host = Room().makeHost()
    for _ in 0..<Self.tries {
      let delegate = RecordingDelegate()
      var session: NearbySession? = NearbySession(host: host)
      session?.delegate = delegate
      session?.invalidate()
      session = nil
      let calls = await delegate.wait { $0.last?.name == "didInvalidate" }
      #expect(calls.last?.error == .invalidatedByApp)
    }
  }

  @Test("R33 a failed run is told where the app lets go of the session right after it")
  func failedAndReleased() async throws {
    let host = Room().makeHost(permission: .declined)
    for _ in 0..<Self.tries {
      let delegate = RecordingDelegate()
      var session: NearbySession? = NearbySession(host: host)
      session?.delegate = delegate
      try? session?.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
      session = nil
      let calls = await delegate.wait { $0.last?.name == "didInvalidate" }
      #expect(calls.last?.error?.code == .userDidNotAllow)
    }
    #expect(host.links.isEmpty)
  }

  @Test("R33 a session that was told of its end is let go of")
  func releasedAfterTheEnd() async throws {
    let host = Room().makeHost()
    let delegate = RecordingDelegate()
    weak var gone: NearbySession?
    do {
      let session = NearbySession(host: host)
      session.delegate = delegate
      session.invalidate()
      gone = session
    }
    _ = await delegate.wait { $0.last?.name == "didInvalidate" }
    while gone != nil { await Task.yield() }
  }

  // MARK: Nothing comes too late

  @Test("R13 R33 after pause and invalidate have returned the delegate hears nothing but the invalidation")
  func nothingAfterwards() async throws {
    let host = Room().makeHost()
    for attempt in 0..<Self.tries {
      let session = NearbySession(host: host)
      let delegate = RecordingDelegate()
      session.delegate = delegate
      let peer = peerToken(UInt64(attempt))
      try session.run(NearbyPeerConfiguration(peerToken: peer))
      for step in 0..<attempt % 7 { host.deliver(measurement(of: peer, time: 0, distance: Double(step))) }
      if attempt.isMultiple(of: 2) {
        session.pause()
        let before = await delegate.wait { _ in true }
        session.invalidate()
        let calls = await delegate.wait { $0.last?.name == "didInvalidate" }
        #expect(calls.dropFirst(before.count).map(\.name) == ["didInvalidate"])
      } else {
        session.invalidate()
        let before = await delegate.wait { _ in true }.filter { $0.name != "didInvalidate" }
        let calls = await delegate.wait { $0.last?.name == "didInvalidate" }
        #expect(calls.count == before.count + 1)
      }
    }
  }

  @Test("R13 what happens while paused, or before, is still told: removal, suspension")
  func noticesAfterPause() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let loop = ManualLoop()
    let delegate = RecordingDelegate()
    session.delegateQueue = loop.queue
    session.delegate = delegate
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    session.pause()
    host.peerEnded(peerToken(1))
    loop.runAll()
    #expect(await delegate.wait { _ in true }.map(\.name) == ["didRemove"])
  }

  @Test("R33 a delegate may pause, run and invalidate the session that calls it")
  func reentrant() async throws {
    final class Restless: NearbySessionDelegate, Sendable {
      let recorder = RecordingDelegate()
      func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {
        session.pause()
        if let configuration = session.configuration { try? session.run(configuration) }
        session.invalidate()
        recorder.session(session, didUpdate: nearbyObjects)
      }
      func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {
        recorder.session(session, didInvalidateWith: error)
      }
    }
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let delegate = Restless()
    session.delegate = delegate
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    let calls = await delegate.recorder.wait { $0.last?.name == "didInvalidate" }
    #expect(calls.map(\.name) == ["didUpdate", "didInvalidate"])
  }

  /// Does not return from its first call until the test says so.
  private final class Blocking: NearbySessionDelegate, Sendable {
    let called = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    func sessionDidStartRunning(_ session: NearbySession) {
      called.signal()
      end.wait()
    }
  }

  @Test("R33 a delegate that waits for a lock of the pausing app delays the pause, and nothing stands still")
  func lockedOut() async throws {
    let session = NearbySession(host: Room().makeHost())
    let delegate = Blocking()
    session.delegate = delegate
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    await onThread { delegate.called.wait() }
    session.pause()
    delegate.end.signal()
    #expect(!session.isRunning)
  }

  // MARK: Where it hears

  @Test("R42 delegates that block delay nobody else")
  func blocked() async throws {
    let host = Room().makeHost()
    let blocking = (0..<16).map { _ in Blocking() }
    let sessions = (0..<17).map { _ in NearbySession(host: host) }
    for (index, delegate) in blocking.enumerated() {
      sessions[index].delegate = delegate
      try sessions[index].run(NearbyPeerConfiguration(peerToken: peerToken(UInt64(index))))
    }
    await onThread { for delegate in blocking { delegate.called.wait() } }
    let delegate = RecordingDelegate()
    sessions[16].delegate = delegate
    try sessions[16].run(NearbyPeerConfiguration(peerToken: peerToken(16)))
    #expect(await delegate.wait { !$0.isEmpty }.map(\.name) == ["didStart"])
    for delegate in blocking { delegate.end.signal() }
    withExtendedLifetime((host, sessions)) {}
  }

  @MainActor private final class Screen: NearbySessionDelegate {
    var calls: [String] = []
    func sessionDidStartRunning(_ session: NearbySession) { calls.append("didStart") }
    func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) { calls.append("didUpdate") }
    func session(_ session: NearbySession, didInvalidateWith error: NearbyError) { calls.append("didInvalidate") }
  }

  @Test("R42 a main-actor delegate hears where the app runs a main loop of its own")
  @MainActor func ownMainLoop() throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let loop = ManualLoop()
    let screen = Screen()
    session.delegateQueue = .mainThread { loop.add($0) }
    session.delegate = screen
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0))
    // The main thread never leaves this loop, so nobody serves the main queue.
    loop.runAll()
    #expect(screen.calls == ["didStart", "didUpdate"])
    host.deliver(measurement(of: peerToken(1), time: 0))
    session.invalidate()
    loop.runAll()
    #expect(screen.calls == ["didStart", "didUpdate", "didInvalidate"])
  }

  /// Not `Sendable`: the main thread's alone.
  private final class ViewModel: NearbySessionDelegate {
    var distance: Double?
    var isOver = false
    func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {
      distance = nearbyObjects.first?.distance
    }
    func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {
      isOver = true
    }
  }

  @Test("R42 a class that is not Sendable hears on the main queue")
  @MainActor func viewModel() async throws {
    let host = Room().makeHost()
    let session = NearbySession(host: host)
    let model = ViewModel()
    session.delegateQueue = .main
    session.delegate = model
    try session.run(NearbyPeerConfiguration(peerToken: peerToken(1)))
    host.deliver(measurement(of: peerToken(1), time: 0, distance: 3))
    while model.distance == nil { await Task.yield() }
    #expect(model.distance == 3)
    session.invalidate()
    #expect(!model.isOver, "the main thread is here")
    while !model.isOver { await Task.yield() }
  }

  @Test("R45 shareable configuration data is handed out within one turn of the delegate's event loop")
  func oneTurn() async throws {
    let session = NearbySession(host: Room().makeHost())
    let loop = ManualLoop()
    let delegate = RecordingDelegate()
    session.delegateQueue = loop.queue
    session.delegate = delegate
    for _ in 0..<3 {
      let events = session.events
      try session.run(try configuration())
      guard case .generatedShareableConfiguration? = try events.takeAllReady().last else {
        Issue.record("not on the stream when run returned")
        return
      }
      loop.runOnce()
      let calls = await delegate.wait { _ in true }
      #expect(calls.last?.name == "didGenerate")
      session.pause()
    }
  }
}

/// An event loop that the test turns.
final class ManualLoop: Sendable {
  private let work = StateLock<[NearbyDelegateQueue.Work]>([])

  var queue: NearbyDelegateQueue { NearbyDelegateQueue { self.add($0) } }

  func add(_ work: @escaping NearbyDelegateQueue.Work) {
    self.work.withLock { $0.append(work) }
  }

  /// One turn: what is there now.
  func runOnce() {
    let turn = work.withLock { work in
      defer { work = [] }
      return work
    }
    for work in turn { work() }
  }

  /// Turns until nothing is left.
  func runAll() {
    while !work.withLock({ $0.isEmpty }) { runOnce() }
  }
}

/// Lets a thread of its own block.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "test").async {
      body()
      continuation.resume()
    }
  }
}

extension NearbySessionEvents {
  func takeAllReady() throws(NearbyError) -> [NearbySessionEvent] {
    var events: [NearbySessionEvent] = []
    while let event = try takeReady() { events.append(event) }
    return events
  }
}
