import UWBTypes

/// Tells a session's delegate what its stream says, for the session's life: whoever is the delegate at each event hears it.
final class DelegateAdapter: Sendable {
  /// Whether this task is the one that calls a delegate.
  @TaskLocal private static var isCalling = false

  /// A delegate is used where it is called, on the app's queue, and needs not be `Sendable`. Here it is only kept.
  private struct Reference: @unchecked Sendable {
    weak var delegate: (any NearbySessionDelegate)?
  }

  private struct State: Sendable {
    var reference = Reference()
    var events: EventQueue<NearbySessionEvent>?
    /// From invalidation until the delegate was told: the app may have let go of it.
    var endedSession: NearbySession?
  }

  let executor = DelegateExecutor()
  private let state = StateLock(State())

  var delegate: (any NearbySessionDelegate)? {
    state.withLock { $0.reference }.delegate
  }

  /// Makes `delegate` the one that hears; the first one starts the adapter.
  func set(_ delegate: (any NearbySessionDelegate)?, of session: NearbySession) {
    let reference = Reference(delegate: delegate)
    let hasDelegate = delegate != nil
    let events = EventQueue<NearbySessionEvent>(isEndedAtOnceByApp: true) { [weak self, weak session] in
      self?.keep(session)
    }
    let isFirst = state.withLock { state in
      state.reference = reference
      guard state.events == nil, hasDelegate else { return false }
      state.events = events
      return true
    }
    guard isFirst else { return }
    let subscription = session.host.subscribe(events, to: session.id)
    Task(executorPreference: executor) { [weak session] in
      await Self.$isCalling.withValue(true) {
        await self.tell(subscription, of: { [weak session] in session })
      }
    }
  }

  /// Drops what the app was not told yet of the run that it has paused. Notices of removal and suspension stay.
  func discardRun() {
    state.withLock { $0.events }?.discard { event in
      switch event {
      case .started, .updated, .convergence, .generatedShareableConfiguration: true
      case .removed, .suspended, .suspensionEnded: false
      }
    }
  }

  /// Waits for a call under way, unless the caller is that call.
  func waitForCall() {
    if !Self.isCalling { executor.waitForCall() }
  }

  private func keep(_ session: NearbySession?) {
    state.withLock { $0.endedSession = session }
  }

  private func tell(
    _ subscription: Subscription<NearbySessionEvent>, of session: @Sendable () -> NearbySession?
  ) async {
    do throws(NearbyError) {
      while let event = try await subscription.queue.next(isolation: nil) {
        if let session = session(), let delegate { await delegate.hear(event, of: session) }
      }
    } catch {
      let ended = state.withLock { state in
        defer { state.endedSession = nil }
        return state.endedSession
      }
      if let ended, let delegate { await delegate.session(ended, didInvalidateWith: error) }
    }
  }
}

extension NearbySessionDelegate {
  nonisolated(nonsending) fileprivate func hear(_ event: NearbySessionEvent, of session: NearbySession) async {
    switch event {
    case .started:
      await sessionDidStartRunning(session)
    case .updated(let objects):
      await self.session(session, didUpdate: objects)
    case .removed(let objects, let reason):
      await self.session(session, didRemove: objects, reason: reason)
    case .suspended:
      await sessionWasSuspended(session)
    case .suspensionEnded:
      await sessionSuspensionEnded(session)
    case .generatedShareableConfiguration(let data, let object):
      await self.session(session, didGenerateShareableConfigurationData: data, for: object)
    case .convergence(let convergence, let object):
      await self.session(session, didUpdateAlgorithmConvergence: convergence, for: object)
    }
  }
}
