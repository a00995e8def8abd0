import Synchronization

/// Counts finished trials on a terminal, from whichever thread.
final class TrialTicker: Sendable {
  private let progress: Mutex<Progress>
  private let done = Mutex(0)

  init(label: String, total: Int) {
    progress = Mutex(Progress(label, totalBytes: total, unit: "trials"))
  }

  func add(_ count: Int) {
    let total = done.withLock { done in
      done += count
      return done
    }
    progress.withLock { $0.update(bytes: total, exchanges: total) }
  }

  func finish() {
    progress.withLock { $0.finish() }
  }
}
