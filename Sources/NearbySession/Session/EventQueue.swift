import UWBTypes

/// An element of an `EventQueue`.
protocol QueuedEvent: Sendable {
  /// A newer element of the same value replaces an older one that nobody has taken yet; `nil` for an element that must
  /// not be lost.
  var supersededKind: Int? { get }
}

/// What one subscriber has yet to take.
///
/// Elements come out in the order in which they went in. A value that a newer one of its kind follows, with no
/// element between them that must not be lost, is dropped: a subscriber that stalls holds one value of each kind and
/// the lifecycle events, and costs the others nothing.
final class EventQueue<Element: QueuedEvent>: Sendable {
  /// A subscriber that waits, to be resumed outside every lock. It takes the element itself: until it runs, a newer
  /// update may still replace the one that woke it.
  typealias Wakeup = UnsafeContinuation<Void, Never>

  private struct Waiter {
    let number: UInt64
    let continuation: Wakeup
  }

  private struct State {
    /// From `head` on: not yet taken.
    var elements: [Element?] = []
    var head = 0
    var waiters: [Waiter] = []
    var waiterCount: UInt64 = 0
    var error: NearbyError?

    /// Nothing to take, and no end.
    var isEmpty: Bool { head == elements.count && error == nil }

    mutating func append(_ element: Element) {
      if let kind = element.supersededKind {
        var index = elements.count - 1
        while index >= head, let other = elements[index]?.supersededKind {
          if other == kind {
            elements.remove(at: index)
            break
          }
          index -= 1
        }
      }
      elements.append(element)
    }

    mutating func discard(where isDropped: (Element) -> Bool) {
      elements.removeFirst(head)
      head = 0
      elements.removeAll { $0.map(isDropped) ?? true }
    }

    /// The next element or the end; `nil` where there is nothing yet.
    mutating func take() -> Result<Element?, NearbyError>? {
      guard head < elements.count else { return error.map { .failure($0) } }
      let element = elements[head]
      elements[head] = nil
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 64, head * 2 >= elements.count {
        elements.removeFirst(head)
        head = 0
      }
      return .success(element)
    }
  }

  private let state = StateLock(State())
  private let isEndedAtOnceByApp: Bool
  private let onEnd: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - isEndedAtOnceByApp: whether the app's own invalidation takes the place of everything not yet taken.
  ///   - onEnd: called at the end, under locks.
  init(isEndedAtOnceByApp: Bool = false, onEnd: (@Sendable () -> Void)? = nil) {
    self.isEndedAtOnceByApp = isEndedAtOnceByApp
    self.onEnd = onEnd
  }

  /// Adds an element; returns whom to wake.
  func push(_ element: Element) -> Wakeup? {
    state.withLock { state in
      guard state.error == nil else { return nil }
      state.append(element)
      return state.waiters.isEmpty ? nil : state.waiters.removeFirst().continuation
    }
  }

  /// Ends the queue once what it holds is taken; returns whom to wake.
  func finish(throwing error: NearbyError) -> [Wakeup] {
    state.withLock { state in
      guard state.error == nil else { return [] }
      state.error = error
      if isEndedAtOnceByApp, error == .invalidatedByApp { state.discard { _ in true } }
      onEnd?()
      defer { state.waiters.removeAll() }
      return state.waiters.map(\.continuation)
    }
  }

  /// Drops elements that nobody has taken yet.
  func discard(where isDropped: (Element) -> Bool) {
    state.withLock { $0.discard(where: isDropped) }
  }

  /// The next element, waiting for it; `nil` where the task is cancelled.
  func next(isolation: isolated (any Actor)?) async throws(NearbyError) -> Element? {
    while !Task.isCancelled {
      if let ready = state.withLock({ $0.take() }) { return try ready.get() }
      await wait(isolation: isolation)
    }
    passOn()
    return nil
  }

  /// The next element that is there already; `nil` where there is none.
  func takeReady() throws(NearbyError) -> Element? {
    guard let ready = state.withLock({ $0.take() }) else { return nil }
    return try ready.get()
  }

  /// Wakes another waiter for what a cancelled one was woken for and left.
  private func passOn() {
    let waiter = state.withLock { state in
      state.isEmpty || state.waiters.isEmpty ? nil : state.waiters.removeFirst()
    }
    waiter?.continuation.resume()
  }

  /// Waits until there may be something to take, or the task is cancelled.
  func wait(isolation: isolated (any Actor)?) async {
    let number = state.withLock { state in
      state.waiterCount += 1
      return state.waiterCount
    }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: Wakeup) in
        let mustWait = state.withLock { state in
          // The flag is set before the handler below runs: either it is seen here, or the handler finds the waiter.
          guard state.isEmpty, !Task.isCancelled else { return false }
          state.waiters.append(Waiter(number: number, continuation: continuation))
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }

  /// How many callers wait for an element.
  var waiting: Int {
    state.withLock { $0.waiters.count }
  }

  /// How many elements wait to be taken.
  var backlog: Int {
    state.withLock { $0.elements.count - $0.head }
  }
}
