/// What was made for the latest few keys, shared by all threads: a process that runs through many pulses must not keep what
/// it made for each.
package final class LatestFew<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let most: Int
  private let kept = StateLock<[(key: Key, value: Value)]>([])

  package init(most: Int) { self.most = most }

  /// The value for `key`, made where it is not kept. Others who ask meanwhile wait.
  package func value(for key: Key, make: () -> Value) -> Value {
    kept.withLock { kept in
      if let known = kept.first(where: { $0.key == key }) { return known.value }
      let value = make()
      if kept.count == most { kept.removeFirst() }
      kept.append((key, value))
      return value
    }
  }
}
