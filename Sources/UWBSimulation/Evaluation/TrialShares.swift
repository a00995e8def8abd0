import Dispatch
import UWBDSP

/// Runs trials `0..<count` in as many stretches as there are threads, one thread each; what they gave, in the trials' order.
func inShares<Part: Sendable>(of count: Int, threads: Int, _ run: @Sendable (Range<Int>) -> Part) -> [Part] {
  let parts = StateLock<[Int: Part]>([:])
  let shares = max(1, min(threads, count))
  DispatchQueue.concurrentPerform(iterations: shares) { index in
    let part = run(count * index / shares..<count * (index + 1) / shares)
    parts.withLock { $0[index] = part }
  }
  return parts.withLock { parts in (0..<shares).compactMap { parts[$0] } }
}
