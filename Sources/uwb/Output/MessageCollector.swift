import UWBTypes

/// Keeps what a library would tell people, for its host to show: each text once.
final class MessageCollector: Sendable {
  private let state = StateLock<(texts: [String], known: Set<String>)>(([], []))

  var texts: [String] { state.withLock { $0.texts } }

  func add(_ text: String) {
    state.withLock { state in
      if state.known.insert(text).inserted { state.texts.append(text) }
    }
  }

  /// Runs `body`, on this thread; its messages come here, not to standard error.
  func collecting<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Message.$collector.withValue(self) { try body() }
  }
}
