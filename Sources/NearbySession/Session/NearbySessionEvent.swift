/// What an app is told of a session. Invalidation is no event: it ends the stream with a `NearbyError`.
public enum NearbySessionEvent: Sendable, Hashable {
  /// The session started to run.
  case started
  /// Nearby objects have new values.
  case updated([NearbyObject])
  /// Nearby objects were removed.
  case removed([NearbyObject], reason: NearbyObject.RemovalReason)
  /// The session was suspended; it does not resume by itself.
  case suspended
  /// The suspension ended; `run` starts the session again.
  case suspensionEnded
  /// The data that the app is to send to the accessory, as it is (message 0x0B; `AccessoryMessage` frames it).
  indirect case generatedShareableConfiguration([UInt8], for: NearbyObject)
  /// Camera assistance converged, or says why not.
  indirect case convergence(AlgorithmConvergence, for: NearbyObject)
}

extension NearbySessionEvent: QueuedEvent {
  var supersededKind: Int? {
    switch self {
    case .updated: 0
    case .convergence: 1
    case .started, .removed, .suspended, .suspensionEnded, .generatedShareableConfiguration: nil
    }
  }

  /// `nil` for what is not for the app's stream.
  init?(_ kind: SessionEvent.Kind) {
    switch kind {
    case .started: self = .started
    case .update(let object): self = .updated([object])
    case .removed(let object, let reason): self = .removed([object], reason: reason)
    case .suspended: self = .suspended
    case .suspensionEnded: self = .suspensionEnded
    case .shareableConfiguration(let configuration, let object):
      self = .generatedShareableConfiguration(configuration.data, for: object)
    case .convergence(let convergence, let object): self = .convergence(convergence, for: object)
    case .invalidated, .link: return nil
    }
  }
}

extension LinkChange: QueuedEvent {
  var supersededKind: Int? { nil }
}

/// One subscriber's view of a session, from the moment it was made.
///
/// Where the subscriber is slow it finds the newest update and the newest convergence, and every other event, in order.
/// Copies, and iterators of one sequence, share what there is to take.
public struct NearbySessionEvents: AsyncSequence, Sendable {
  public typealias Element = NearbySessionEvent
  public typealias Failure = NearbyError

  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: Subscription<NearbySessionEvent>
    var isOver = false

    public mutating func next() async throws(NearbyError) -> NearbySessionEvent? {
      try await next(isolation: #isolation)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(NearbyError) -> NearbySessionEvent? {
      if isOver { return nil }
      do {
        return try await subscription.queue.next(isolation: actor)
      } catch {
        isOver = true
        throw error
      }
    }
  }

  let subscription: Subscription<NearbySessionEvent>

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(subscription: subscription)
  }

  /// The next event that is there already; `nil` where there is none. For code that has a loop of its own, as a
  /// simulator's; throws the session's end each time once everything before it was taken.
  public func takeReady() throws(NearbyError) -> NearbySessionEvent? {
    try subscription.queue.takeReady()
  }
}

/// What a host tells one source of exchanges, all of it and in order, from the moment the sequence was made.
public struct LinkChanges: AsyncSequence, Sendable {
  public typealias Element = LinkChange
  public typealias Failure = Never

  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: Subscription<LinkChange>

    public mutating func next() async -> LinkChange? {
      await next(isolation: #isolation)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> LinkChange? {
      // A host's own queue is never finished with an error.
      try? await subscription.queue.next(isolation: actor)
    }
  }

  let subscription: Subscription<LinkChange>

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(subscription: subscription)
  }

  /// The next change that is there already; `nil` where there is none.
  public func takeReady() -> LinkChange? {
    // A host's own queue is never finished with an error.
    try? subscription.queue.takeReady()
  }
}

/// Keeps a queue with its host for as long as somebody holds the sequence.
final class Subscription<Element: QueuedEvent>: Sendable {
  let queue: EventQueue<Element>
  private let onEnd: @Sendable (EventQueue<Element>) -> Void

  init(queue: EventQueue<Element>, onEnd: @escaping @Sendable (EventQueue<Element>) -> Void) {
    self.queue = queue
    self.onEnd = onEnd
  }

  deinit {
    onEnd(queue)
  }
}
