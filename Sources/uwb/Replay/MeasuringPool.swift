import Dispatch
import Foundation
import UWBTypes

/// Works on several threads and hands results on in the order in which their items came.
///
/// Each thread has a worker of its own, and a result depends on nothing but its item: what comes out is the same for any number of
/// threads. Items travel in batches of about a millisecond's work. The first ones travel alone, so that the first result comes at once.
/// The caller's thread reads, delivers, and works while it has to wait. At most `window` batches are under way: memory stays flat.
final class MeasuringPool<Item: Sendable, Result: Sendable>: Sendable {
  /// What one thread does, with the memory that it holds.
  typealias Worker = (Item) -> Result

  private final class Batch: Sendable {
    struct Outcome {
      var results: [Result]
      var duration: Duration
    }

    let items: [Item]
    /// `nil` until all is done.
    let outcome = StateLock<Outcome?>(nil)
    let isDone = DispatchSemaphore(value: 0)

    init(_ items: [Item]) { self.items = items }

    func work(_ worker: Worker) {
      var results: [Result] = []
      let duration = ContinuousClock().measure { results = items.map(worker) }
      let outcome = Outcome(results: results, duration: duration)
      self.outcome.withLock { $0 = outcome }
      isDone.signal()
    }
  }

  private let makeWorker: @Sendable () -> Worker
  private let window: Int
  private let threads: Int
  /// Batches that nobody has taken yet, the next one last; one count of `offered` for each, and one for each thread to end.
  private let pending = StateLock<[Batch]>([])
  private let offered = DispatchSemaphore(value: 0)

  /// - Parameter makeWorker: called once on each thread.
  init(threads: Int, makeWorker: @escaping @Sendable () -> Worker) {
    self.makeWorker = makeWorker
    self.threads = threads
    window = 4 * threads
  }

  /// Works on all that `next` yields; `deliver` sees each item with its result, on this thread, in order. One thread takes one item
  /// at a time.
  func run(next: () throws -> Item?, deliver: (Item, Result) throws -> Void) throws {
    guard threads > 1 else {
      let worker = makeWorker()
      while let item = try next() { try deliver(item, worker(item)) }
      return
    }
    for _ in 1..<threads {
      let thread = Thread { [self] in work() }
      // As much as the main thread has: LAPACK and FFTW are not frugal.
      thread.stackSize = 8 << 20
      thread.start()
    }
    // Whatever throws on the way out, the threads end.
    defer { for _ in 1..<threads { offered.signal() } }

    let worker = makeWorker()
    var underWay: [Batch] = []
    var count = 1
    var isEnded = false
    while !isEnded || !underWay.isEmpty {
      while !isEnded, underWay.count < window {
        var items: [Item] = []
        items.reserveCapacity(count)
        while items.count < count, let item = try next() { items.append(item) }
        isEnded = items.count < count
        guard !items.isEmpty else { break }
        let batch = Batch(items)
        underWay.append(batch)
        pending.withLock { $0.insert(batch, at: 0) }
        offered.signal()
      }
      guard let first = underWay.first else { break }
      let outcome = wait(for: first, worker)
      underWay.removeFirst()
      for (item, result) in zip(first.items, outcome.results) { try deliver(item, result) }
      count = BatchSize.next(after: first.items.count, taking: outcome.duration)
    }
  }

  /// What came of `batch`, once it is there; batches that nobody has taken are worked on meanwhile.
  private func wait(for batch: Batch, _ worker: Worker) -> Batch.Outcome {
    while true {
      if let outcome = batch.outcome.withLock({ $0 }) { return outcome }
      if offered.wait(timeout: .now()) == .success {
        pending.withLock { $0.popLast() }?.work(worker)
      } else {
        batch.isDone.wait()
      }
    }
  }

  /// A thread's life: batches until there is a count of `offered` without one.
  private func work() {
    let worker = makeWorker()
    while true {
      offered.wait()
      guard let batch = pending.withLock({ $0.popLast() }) else { return }
      batch.work(worker)
    }
  }
}

private enum BatchSize {
  static let longest = 32

  /// Items of a batch that takes about a millisecond, after one of `count` that took `duration`.
  static func next(after count: Int, taking duration: Duration) -> Int {
    if duration < .microseconds(500) { return min(2 * count, longest) }
    return duration > .milliseconds(2) ? max(1, count / 2) : count
  }
}
