/// Events of one kind over time in bounded memory: where they are too many, neighbours become one mark with its first and its last time.
struct MarkRuns: Sendable {
  static let capacity = 256
  private(set) var count = 0
  private(set) var runs: [(first: MinMaxDecimator.Key, last: MinMaxDecimator.Key)] = []
  private var perRun = 1
  private var inLast = 0

  mutating func add(_ key: MinMaxDecimator.Key) {
    count += 1
    if inLast < perRun, !runs.isEmpty {
      runs[runs.count - 1].last = key
      inLast += 1
      return
    }
    if runs.count == Self.capacity {
      runs = stride(from: 0, to: runs.count, by: 2).map { (runs[$0].first, runs[min($0 + 1, runs.count - 1)].last) }
      perRun *= 2
    }
    runs.append((key, key))
    inLast = 1
  }
}
