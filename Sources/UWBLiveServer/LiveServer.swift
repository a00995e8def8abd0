import NIOCore
import NIOHTTP1
import NIOPosix
import UWBLive

/// Serves a live page over HTTP/1.1, on SwiftNIO: its decoder bounds what a request may take.
///
/// One thread for all clients. A client costs its connection and a bounded queue, whatever it does.
package final class LiveServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let hub: NIOLoopBound<LiveHub>
  private let shared: SharedCounts
  private let boundPort: Int

  /// Listens at once.
  ///
  /// - Throws: `LiveServerError` where the address can't be listened on.
  package init(_ feed: LiveFeed, _ settings: LiveServerSettings) throws {
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let shared = SharedCounts()
    self.shared = shared
    do {
      let hub = try loop.submit {
        NIOLoopBound(LiveHub(feed: feed, settings: settings, shared: shared, loop: loop), eventLoop: loop)
      }.wait()
      self.hub = hub
      channel = try Self.bootstrap(group, hub).bind(host: settings.host, port: settings.port).wait()
      boundPort = channel.localAddress?.port ?? settings.port
      try loop.submit { hub.value.start() }.wait()
    } catch {
      group.shutdownGracefully { _ in }
      throw LiveServerError(host: settings.host, port: settings.port, problem: "\(error)")
    }
  }

  private static func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ hub: NIOLoopBound<LiveHub>
  ) -> ServerBootstrap {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8 << 10
    limits.maxHeaderListSize = 16 << 10
    limits.maxHeaderFieldCount = 64
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      // What waits in the system's own buffer is old by the time it is read.
      .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { [limits] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withErrorHandling: true, withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
          try channel.pipeline.syncOperations.addHandler(LiveConnection(hub: hub.value))
        }
      }
  }
}

extension LiveServer: LiveServing {
  package var port: Int { boundPort }

  package var counts: LiveServerCounts { shared.value.withLock { $0 } }

  package func stop() {
    try? channel.close().wait()
    let hub = hub
    // Who takes nothing any more is not waited for.
    try? channel.eventLoop.flatSubmit { hub.value.stop() }.wait()
    try? group.syncShutdownGracefully()
  }
}

/// Why a server does not start.
package struct LiveServerError: Error, CustomStringConvertible {
  let host: String
  let port: Int
  let problem: String

  package var description: String {
    "can't listen on \(host), port \(port): \(problem). Give another --port (0 takes a free one), or a --host of this machine."
  }
}
