/// What waits for one reader of the ndjson stream: bounded, the oldest lines go first, and the reader is told how many.
///
/// `Chunk` is what the server sends; many queues share its bytes.
package struct LineQueue<Chunk> {
  private let limit: Int
  private var chunks: [(chunk: Chunk, bytes: Int, lines: Int)] = []
  private var bytes = 0
  private var dropped = 0

  /// - Parameter limit: bytes that wait at most
  package init(limit: Int) {
    self.limit = limit
  }

  /// Whether nothing waits.
  package var isEmpty: Bool { chunks.isEmpty && dropped == 0 }

  /// - Parameters:
  ///   - chunk: whole lines
  ///   - bytes: how many bytes these are
  ///   - lines: how many lines these are
  /// - Returns: lines that were dropped for it.
  package mutating func push(_ chunk: Chunk, bytes: Int, lines: Int) -> Int {
    var lost = 0
    while let first = chunks.first, self.bytes + bytes > limit {
      lost += first.lines
      self.bytes -= first.bytes
      chunks.removeFirst()
    }
    dropped += lost
    chunks.append((chunk, bytes, lines))
    self.bytes += bytes
    return lost
  }

  /// What to send next: how many lines are missing before it, then lines.
  package mutating func pop() -> Item? {
    if dropped > 0 {
      defer { dropped = 0 }
      return .missing(dropped)
    }
    guard !chunks.isEmpty else { return nil }
    let first = chunks.removeFirst()
    bytes -= first.bytes
    return .lines(first.chunk)
  }

  /// What a reader gets.
  package enum Item {
    case missing(Int)
    case lines(Chunk)
  }
}
