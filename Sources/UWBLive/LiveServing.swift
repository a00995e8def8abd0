/// How a live page is served.
package struct LiveServerSettings: Sendable {
  /// Address or name to listen on.
  package var host = "127.0.0.1"
  /// Port to listen on; 0 takes a free one.
  package var port = 8080
  /// Open connections at most; further ones are closed at once.
  package var maximumConnectionCount = 256
  /// Seconds within which a request must be complete.
  package var requestSeconds = 10.0
  /// Seconds after which a client that takes nothing is let go.
  package var stallSeconds = 30.0
  /// Seconds between two deliveries of lines; states come every other time.
  package var tickSeconds = 0.05
  /// Bytes that wait for one reader of lines at most.
  package var queueBytes = 1 << 20

  /// The usual ones.
  package init() {}
}

/// A server that runs.
package protocol LiveServing: AnyObject, Sendable {
  /// The port that it listens on.
  var port: Int { get }
  /// What it has counted.
  var counts: LiveServerCounts { get }
  /// Tells the clients that it ends, and ends.
  func stop()
}

/// Starts a server, which is listening when this returns.
package typealias StartLiveServer = @Sendable (LiveFeed, LiveServerSettings) throws -> any LiveServing
