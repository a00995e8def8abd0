/// What a live page's server counts.
package struct LiveServerCounts: Sendable, Hashable {
  /// Connections that are open.
  package var connections = 0
  /// Readers of the ndjson stream that are connected.
  package var lineClients = 0
  /// Pages that are connected.
  package var pageClients = 0
  /// Connections so far.
  package var accepted = 0
  /// Connections that were closed at once because there were too many.
  package var refused = 0
  /// Connections that were closed because nothing came, or nothing was taken, for too long.
  package var timedOut = 0
  /// Lines that slow readers did not get.
  package var droppedLines = 0
  /// States that slow pages did not get, because a newer one took their place.
  package var droppedStates = 0
  /// Answers by their HTTP status.
  package var answers: [Int: Int] = [:]

  /// None yet.
  package init() {}
}
