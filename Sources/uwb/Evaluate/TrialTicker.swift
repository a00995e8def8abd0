import UWBDSP

/// Counts finished trials on a terminal, from whichever thread.
final class TrialTicker: Sendable {
  private let progress: StateLock<Progress>
  private let done = StateLock(0)

  init(label: String, total: Int) {
    progress = StateLock(Progress(label, totalBytes: total, unit: "trials"))
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
