import UWBTypes

/// Makes an async sequence of what yields exchanges one by one: a capture's reader, a simulator, an array.
///
/// With a pace it waits until each exchange's own time has come, counted from the first one, as the capture recorded it;
/// an exchange that is late comes at once. Without one it yields as fast as they are taken.
///
/// A reader that blocks (a pipe, a serial port) blocks its task's thread as well: read it on a thread of its own and hand
/// its exchanges over by an `AsyncStream`, which is a source as it is.
public struct ExchangeSource<Base: Sequence, Pace: Clock>: AsyncSequence
where Base.Element == RangingExchange, Pace.Duration == Swift.Duration {
  public typealias Element = RangingExchange
  public typealias Failure = Never

  private let base: Base
  private let pace: Pace?
  private let speed: Double

  /// - Parameters:
  ///   - pace: the clock to wait on.
  ///   - speed: recorded seconds a second of the clock, above 0.
  public init(_ base: Base, pace: Pace, speed: Double = 1) {
    precondition(speed > 0, "a speed of \(speed) goes nowhere")
    self.base = base
    self.pace = pace
    self.speed = speed
  }

  /// As fast as they are taken.
  public init(_ base: Base) where Pace == ContinuousClock {
    self.base = base
    pace = nil
    speed = 1
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: Base.Iterator
    fileprivate let pace: Pace?
    fileprivate let speed: Double
    fileprivate var start: (instant: Pace.Instant, time: Double)?

    /// `nil` at the end, and where the task is cancelled.
    public mutating func next() async -> RangingExchange? {
      await next(isolation: #isolation)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> RangingExchange? {
      guard !Task.isCancelled, let exchange = base.next() else { return nil }
      guard let pace else { return exchange }
      guard let start else {
        start = (pace.now, exchange.time)
        return exchange
      }
      let wait = (exchange.time - start.time) / speed
      guard wait.isFinite, wait > 0 else { return exchange }
      do {
        try await pace.sleep(until: start.instant.advanced(by: .seconds(wait)), tolerance: nil)
      } catch {
        return nil
      }
      return exchange
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeIterator(), pace: pace, speed: speed)
  }
}
