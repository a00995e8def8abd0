/// Counts of a live stream, for the page and for `GET /metrics`.
package struct LiveCounts: Sendable, Hashable, Encodable {
  /// Exchanges read.
  package var exchanges = 0
  /// Updates delivered.
  package var updates = 0
  /// Rejected exchanges by reason.
  package var rejected: [String: Int] = [:]
  /// Peers that left, by reason.
  package var removed: [String: Int] = [:]
  /// Skipped input by reason.
  package var skipped: [String: Int] = [:]
  /// s of the stream's own clock
  package var seconds = 0.0

  /// None yet.
  package init() {}
}
