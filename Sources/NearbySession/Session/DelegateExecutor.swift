import Dispatch
import UWBTypes

/// Runs one session's delegate calls on the queue of the app's choice.
///
/// It serves a single task, so there is never more than one job, and the queue may change between two jobs.
final class DelegateExecutor: TaskExecutor {
  /// How long `waitForCall` waits at most: an app may hold a lock that its delegate takes. ms.
  static let longestWait = 100

  private struct State {
    var queue: NearbyDelegateQueue?
    var isRunning = false
    var waiters: [DispatchSemaphore] = []
  }

  private let state = StateLock(State())

  var queue: NearbyDelegateQueue {
    get {
      state.withLock { state in
        let queue = state.queue ?? .own()
        state.queue = queue
        return queue
      }
    }
    set { state.withLock { $0.queue = newValue } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let queue = queue
    queue.schedule { [self] in run(job, isOnMainThread: queue.isMainThread) }
  }

  private func run(_ job: UnownedJob, isOnMainThread: Bool) {
    state.withLock { $0.isRunning = true }
    if isOnMainThread {
      // The job counts as the main actor's: its methods are called from here, with no turn of the main queue between.
      job.runSynchronously(isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: asUnownedTaskExecutor())
    } else {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    let waiters = state.withLock { state in
      state.isRunning = false
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  /// Waits until a call that has begun is over, or suspended.
  func waitForCall() {
    let waiter = state.withLock { state -> DispatchSemaphore? in
      guard state.isRunning else { return nil }
      let waiter = DispatchSemaphore(value: 0)
      state.waiters.append(waiter)
      return waiter
    }
    _ = waiter?.wait(timeout: .now() + .milliseconds(Self.longestWait))
  }
}
