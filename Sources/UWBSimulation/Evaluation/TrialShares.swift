import Dispatch
import UWBDSP
import UWBPlatform

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

/// The answers to trials `0..<count`, in their order: each thread takes its share radio after radio, trial i being of radio i mod `radios`.
///
/// - Parameter run: answers trials of one radio.
func inShares<Answer: Sendable>(
  of count: Int, radios: Int, threads: Int, progress: (@Sendable (Int) -> Void)?,
  _ run: @Sendable (_ radio: Int, _ trials: [Int]) -> [Answer]
) -> [Answer] {
  inShares(of: count, threads: threads) { range in
    var answers = [Answer?](repeating: nil, count: range.count)
    for radio in 0..<radios {
      let own = range.filter { $0 % radios == radio }
      guard !own.isEmpty else { continue }
      for (index, answer) in zip(own, run(radio, own)) { answers[index - range.lowerBound] = answer }
      progress?(own.count)
    }
    return answers.compactMap { $0 }
  }.flatMap { $0 }
}

/// Time for durations, ns.
func monotonicNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
