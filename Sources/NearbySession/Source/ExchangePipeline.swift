import UWBTracking
import UWBTypes

/// The way from a source's exchanges to a host's sessions: the clocks of each pair of radios, the engine, a tracker for each pair, and
/// the delivery to the session that the exchange was meant for.
///
/// It belongs to whoever reads the source: one pipeline for one source, on one task at a time. Single-sided exchanges without a chip's own clock offset have a distance
/// from the third on, when the clocks are known.
///
/// Cost: that of the engine for each exchange. Clocks and trackers grow with the number of peers until `forget`.
public final class ExchangePipeline {
  /// The host that measurements are delivered to.
  public let host: NearbyHost
  private let steps: any RangingProcess

  /// - Parameters:
  ///   - tracking: how each peer is smoothed; `nil` delivers every exchange as it is.
  public convenience init(
    to host: NearbyHost, engine: some RangingProcessSource,
    tracking: PeerTracker.Configuration? = PeerTracker.Configuration()
  ) {
    self.init(to: host, engine.makeProcess(tracking: tracking))
  }

  /// With the steps from exchanges to measurements as they are given.
  public init(to host: NearbyHost, _ process: any RangingProcess) {
    self.host = host
    steps = process
  }

  /// Measures one exchange and delivers it; returns what the host was given.
  @discardableResult
  public func process(_ exchange: RangingExchange) -> RangingMeasurement {
    let delivered = steps.process(exchange)
    host.deliver(delivered, local: exchange.local)
    return delivered
  }

  /// Processes exchanges until the source ends or the task is cancelled.
  public func receive<Source: AsyncSequence>(
    _ source: Source, isolation: isolated (any Actor)? = #isolation
  ) async throws(Source.Failure) where Source.Element == RangingExchange {
    var iterator = source.makeAsyncIterator()
    while !Task.isCancelled, let exchange = try await iterator.next(isolation: isolation) {
      process(exchange)
    }
  }

  /// Drops what is remembered of a peer that has gone.
  public func forget(_ peer: DeviceAddress) {
    steps.forget(peer)
  }
}
