import Dispatch
import Foundation
import UWBDSP

/// An exchange, and what those before it told of the clocks.
struct ClockedExchange: Sendable {
  var exchange: RangingExchange
  var clock: ClockTracker.Estimate?
}

/// Measures exchanges on several threads and hands them on in the order in which they came.
///
/// Each thread has its own workspace, and a measurement depends on nothing but its exchange and the clocks: what comes out is the same
/// for any number of threads. Exchanges travel in batches of about a millisecond's work, one by one to begin with, so that the
/// first update waits for no company; the caller's thread reads, delivers, and measures while it has to wait. At most `window`
/// batches are under way, so memory stays flat.
final class MeasuringPool: Sendable {
  private static let longestBatch = 32

  private final class Batch: Sendable {
    struct Outcome {
      var results: [RangingMeasurement]
      var duration: Duration
    }

    let exchanges: [ClockedExchange]
    /// `nil` until all are measured.
    let outcome = StateLock<Outcome?>(nil)
    let isDone = DispatchSemaphore(value: 0)

    init(_ exchanges: [ClockedExchange]) { self.exchanges = exchanges }

    func measure(_ engine: RangingEngine, using workspace: RangingEngine.Workspace) {
      var results: [RangingMeasurement] = []
      let duration = ContinuousClock().measure {
        results = exchanges.map { engine.measure($0.exchange, clock: $0.clock, using: workspace) }
      }
      let outcome = Outcome(results: results, duration: duration)
      self.outcome.withLock { $0 = outcome }
      isDone.signal()
    }
  }

  private let engine: RangingEngine
  private let window: Int
  /// Batches that nobody has taken yet, the next one last; one count of `offered` for each, and one for each thread to end.
  private let pending = StateLock<[Batch]>([])
  private let offered = DispatchSemaphore(value: 0)
  private let threads: Int

  init(engine: RangingEngine, threads: Int) {
    self.engine = engine
    self.threads = threads
    window = 4 * threads
  }

  /// Measures all that `next` yields; `deliver` sees each exchange with its measurement, on this thread, in order.
  func run(
    next: () throws -> ClockedExchange?, deliver: (RangingExchange, RangingMeasurement) throws -> Void
  ) throws {
    for _ in 1..<threads {
      let worker = Thread { [self] in work() }
      // As much as the main thread has: LAPACK and FFTW are not frugal.
      worker.stackSize = 8 << 20
      worker.start()
    }
    // Whatever throws on the way out, the threads end.
    defer { for _ in 1..<threads { offered.signal() } }

    let workspace = engine.makeWorkspace()
    var underWay: [Batch] = []
    var count = 1
    var isEnded = false
    while !isEnded || !underWay.isEmpty {
      while !isEnded, underWay.count < window {
        var exchanges: [ClockedExchange] = []
        exchanges.reserveCapacity(count)
        while exchanges.count < count, let exchange = try next() { exchanges.append(exchange) }
        isEnded = exchanges.count < count
        guard !exchanges.isEmpty else { break }
        let batch = Batch(exchanges)
        underWay.append(batch)
        pending.withLock { $0.insert(batch, at: 0) }
        offered.signal()
      }
      guard let first = underWay.first else { break }
      let outcome = wait(for: first, using: workspace)
      underWay.removeFirst()
      for (exchange, result) in zip(first.exchanges, outcome.results) { try deliver(exchange.exchange, result) }
      count = Self.count(after: first.exchanges.count, taking: outcome.duration)
    }
  }

  /// What came of `batch`, once it is there; batches that nobody has taken are measured meanwhile.
  private func wait(for batch: Batch, using workspace: RangingEngine.Workspace) -> Batch.Outcome {
    while true {
      if let outcome = batch.outcome.withLock({ $0 }) { return outcome }
      if offered.wait(timeout: .now()) == .success {
        pending.withLock { $0.popLast() }?.measure(engine, using: workspace)
      } else {
        batch.isDone.wait()
      }
    }
  }

  /// Exchanges of a batch that takes about a millisecond, after one of `count` that took `duration`.
  private static func count(after count: Int, taking duration: Duration) -> Int {
    if duration < .microseconds(500) { return min(2 * count, longestBatch) }
    return duration > .milliseconds(2) ? max(1, count / 2) : count
  }

  /// A worker's life: batches until there is a count of `offered` without one.
  private func work() {
    let workspace = engine.makeWorkspace()
    while true {
      offered.wait()
      guard let batch = pending.withLock({ $0.popLast() }) else { return }
      batch.measure(engine, using: workspace)
    }
  }
}
