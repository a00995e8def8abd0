import Dispatch
import Foundation
import UWBTypes

/// Threads that share jobs. Who waits for a job works on others meanwhile; with one thread, all is done where it is waited for.
final class WorkPool: Sendable {
  /// Work that is done once, by whoever comes first.
  final class Job<Value: Sendable>: Sendable {
    /// `nil` once somebody has taken it.
    private let body: StateLock<(@Sendable () -> Value)?>
    private let value = StateLock<Value?>(nil)
    fileprivate let isDone = DispatchSemaphore(value: 0)

    fileprivate init(_ body: @escaping @Sendable () -> Value) { self.body = StateLock(body) }

    /// What came of it; `nil` before.
    fileprivate var result: Value? { value.withLock { $0 } }

    /// Whether nobody had begun it: nobody will then.
    @discardableResult
    func cancel() -> Bool { take() != nil }

    /// - Returns: whether nobody had begun it.
    @discardableResult
    fileprivate func run() -> Bool {
      guard let body = take() else { return false }
      let result = body()
      value.withLock { $0 = result }
      isDone.signal()
      return true
    }

    private func take() -> (@Sendable () -> Value)? {
      body.withLock { body in
        defer { body = nil }
        return body
      }
    }
  }

  /// What the threads share with the pool, and hold longer.
  private final class Queue: Sendable {
    /// The next one last. Some may have been done where they were waited for.
    private let pending = StateLock<[@Sendable () -> Void]>([])
    /// One count for each of `pending`, and one for each thread to end.
    let offered = DispatchSemaphore(value: 0)

    func add(_ work: @escaping @Sendable () -> Void) {
      pending.withLock { $0.insert(work, at: 0) }
      offered.signal()
    }

    func next() -> (@Sendable () -> Void)? { pending.withLock { $0.popLast() } }

    /// A thread's life.
    func work() {
      while true {
        offered.wait()
        guard let work = next() else { return }
        work()
      }
    }
  }

  /// Threads that work, the one that waits among them.
  let threads: Int
  private let queue = Queue()

  init(threads: Int) {
    self.threads = threads
    for _ in 1..<max(threads, 1) {
      let thread = Thread { [queue] in queue.work() }
      // As much as the main thread has: LAPACK and FFTW are not frugal.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  deinit {
    for _ in 1..<max(threads, 1) { queue.offered.signal() }
  }

  /// Has `body` done by any thread, the oldest first.
  func submit<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Job<Value> {
    let job = Job(body)
    if threads > 1 { queue.add { job.run() } }
    return job
  }

  /// What came of `job`, which has not been cancelled. To be asked for once.
  func value<Value: Sendable>(of job: Job<Value>) -> Value {
    while true {
      if let result = job.result { return result }
      if job.run() { continue }
      if queue.offered.wait(timeout: .now()) == .success {
        queue.next()?()
      } else {
        job.isDone.wait()
      }
    }
  }
}
