import UWBTypes

/// Works on several threads and hands results on in the order in which their items came.
///
/// A result depends on nothing but its item, so that what comes out is the same for any number of threads. Items travel in batches of about a millisecond's work. The first ones travel alone, so that the first result comes at once.
/// The caller's thread reads, delivers, and works while it has to wait. At most `window` batches are under way: memory stays flat.
final class MeasuringPool<Item: Sendable, Result: Sendable>: Sendable {
  /// What one thread at a time does, with the memory that it holds.
  typealias Worker = (Item) -> Result

  private struct Outcome {
    var results: [Result]
    var duration: Duration
  }

  /// A worker on its way from thread to thread: it works for one at a time.
  private struct Idle: @unchecked Sendable {
    let worker: Worker
  }

  private let pool: WorkPool
  private let makeWorker: @Sendable () -> Worker
  private let window: Int
  private let idle = StateLock<[Idle]>([])

  /// - Parameter makeWorker: called at most once for each thread.
  init(_ pool: WorkPool, makeWorker: @escaping @Sendable () -> Worker) {
    self.pool = pool
    self.makeWorker = makeWorker
    window = 4 * pool.threads
  }

  /// Works on all that `next` yields; `deliver` sees each item with its result, on this thread, in order. One thread takes one item
  /// at a time.
  func run(next: () throws -> Item?, deliver: (Item, Result) throws -> Void) throws {
    guard pool.threads > 1 else {
      let worker = makeWorker()
      while let item = try next() { try deliver(item, worker(item)) }
      return
    }
    var underWay: [(items: [Item], job: WorkPool.Job<Outcome>)] = []
    // Whatever throws on the way out, nothing more is begun.
    defer { for batch in underWay { batch.job.cancel() } }
    var count = 1
    var isEnded = false
    while !isEnded || !underWay.isEmpty {
      while !isEnded, underWay.count < window {
        var items: [Item] = []
        items.reserveCapacity(count)
        while items.count < count, let item = try next() { items.append(item) }
        isEnded = items.count < count
        guard !items.isEmpty else { break }
        underWay.append((items, pool.submit { [self, items] in work(items) }))
      }
      guard let first = underWay.first else { break }
      let outcome = pool.value(of: first.job)
      underWay.removeFirst()
      for (item, result) in zip(first.items, outcome.results) { try deliver(item, result) }
      count = BatchSize.next(after: first.items.count, taking: outcome.duration)
    }
  }

  private func work(_ items: [Item]) -> Outcome {
    let own = idle.withLock { $0.popLast() } ?? Idle(worker: makeWorker())
    var results: [Result] = []
    let duration = ContinuousClock().measure { results = items.map(own.worker) }
    idle.withLock { $0.append(own) }
    return Outcome(results: results, duration: duration)
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
