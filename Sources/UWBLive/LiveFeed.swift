import Foundation
import UWBTypes

/// Where one source meets many clients: the source never waits for them, and they never see a half of anything.
///
/// The server takes what has come at its own pace. What it does not take in time is dropped, the oldest first, and counted.
package final class LiveFeed: Sendable {
  /// Whole lines of the ndjson stream.
  package struct Lines: Sendable {
    /// The bytes, each line with its end.
    package var bytes: [UInt8] = []
    /// How many lines these are.
    package var count = 0
  }

  /// Bytes that wait for the server at most.
  static let maximumPendingBytes = 4 << 20

  private struct Contents {
    var state: LiveState
    var pending = Lines()
    var lineCount = 0
    var overrun = 0
    var watched: Set<String> = []
  }

  private let contents: StateLock<Contents>
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant

  /// - Parameter state: of a stream that begins
  package init(_ state: LiveState) {
    contents = StateLock(Contents(state: state, watched: state.shown(nil).map { [$0] } ?? []))
    start = clock.now
  }

  /// s since the feed began, on a steady clock
  package var now: Double { (clock.now - start) / .seconds(1) }

  // MARK: From the source

  /// Takes whole lines of the ndjson stream.
  package func publish(_ bytes: [UInt8]) {
    let count = bytes.count { $0 == UInt8(ascii: "\n") }
    contents.withLock { contents in
      contents.lineCount += count
      if contents.pending.bytes.count + bytes.count > Self.maximumPendingBytes {
        contents.overrun += contents.pending.count
        contents.pending = Lines()
      }
      contents.pending.bytes += bytes
      contents.pending.count += count
    }
  }

  /// Changes what the page shows.
  package func change(_ body: (inout LiveState) -> Void) {
    contents.withLock { body(&$0.state) }
  }

  /// Whether somebody looks at the view of `device`, so that what is dear to make is made for that one alone.
  package func isWatched(_ device: String) -> Bool {
    contents.withLock { $0.watched.contains(device) }
  }

  // MARK: For the server

  /// The lines that have come since the last time.
  package func takeLines() -> Lines {
    contents.withLock { contents in
      defer { contents.pending = Lines() }
      return contents.pending
    }
  }

  /// Whether the stream has ended.
  package var isEnded: Bool { contents.withLock { $0.state.end != nil } }

  /// The device whose view is shown where `asked` is asked for.
  package func shown(_ asked: String?) -> String? { contents.withLock { $0.state.shown(asked) } }

  /// Says which views are looked at. The first device's always is.
  package func watch(_ devices: Set<String>) {
    contents.withLock { contents in
      contents.watched = devices
      if let first = contents.state.shown(nil) { contents.watched.insert(first) }
    }
  }

  /// How often the view of `device` has changed.
  package func version(of device: String?) -> Int { contents.withLock { $0.state.version(of: device) } }

  /// One line of JSON: all that the page of `device` draws.
  package func snapshot(of device: String?, clients: Int) -> [UInt8] {
    let now = now
    let snapshot = contents.withLock { $0.state.snapshot(of: device, now: now, clients: clients) }
    let encoder = JSONEncoder()
    // What is not finite is nothing that a page could draw.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "", negativeInfinity: "", nan: "")
    guard let bytes = try? encoder.encode(snapshot) else { return Array("{}".utf8) }
    return Array(bytes)
  }

  /// Counts of the stream, in the text format of Prometheus.
  package func metrics(_ server: LiveServerCounts) -> String {
    let (state, lines, overrun) = contents.withLock { ($0.state, $0.lineCount, $0.overrun) }
    return LiveMetrics(state: state, lines: lines, overrun: overrun, server: server).text
  }
}
