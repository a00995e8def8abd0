import UWBDSP

/// Counts finished trials on a terminal, from whichever thread.
final class TrialTicker: Sendable {
  private let progress: StateLock<Progress>
  private let done = StateLock(0)

  /// - Parameter total: over all cases.
  init(label: String = "", total: Int, unit: String = "trials") {
    progress = StateLock(Progress(label, totalBytes: total, unit: unit))
  }

  /// What the line is about from now on.
  func begin(_ label: String) { progress.withLock { $0.name(label) } }

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
