import UWBTracking
import UWBTypes

/// The one way from an exchange to what is delivered: the clocks of each pair of radios, the engine, a tracker for each pair.
///
///     let pipeline = RangingPipeline(RangingEngine(configuration))
///     for exchange in capture { print(pipeline.process(exchange).distance ?? .nan) }
///
/// Single-sided exchanges without a chip's own clock offset have a distance from the third on, when the clocks are known. Times of a
/// pair must not decrease. One task at a time: a pipeline holds the engine's memory. It allocates for new pairs alone, and remembers them
/// until `forget`.
public final class RangingPipeline: RangingProcess {
  /// The engine that measures.
  public let engine: RangingEngine
  /// The engine's memory, made when it is first asked for: what it holds of the exchange measured last stays until the next.
  public private(set) lazy var workspace = engine.makeWorkspace()
  private var clocks: EachPair<ClockTracker>
  private var trackers: EachPair<PeerTracker>?

  /// - Parameters:
  ///   - tracking: how each peer is smoothed; `nil` delivers every exchange as it is.
  ///   - workspace: the engine's memory, where several pipelines of one thread share it.
  public init(
    _ engine: RangingEngine, tracking: PeerTracker.Configuration? = PeerTracker.Configuration(),
    workspace: RangingEngine.Workspace? = nil
  ) {
    self.engine = engine
    clocks = EachPair(ClockTracker(engine.configuration.clocks))
    trackers = tracking.map { EachPair(PeerTracker($0)) }
    if let workspace { self.workspace = workspace }
  }

  /// All steps.
  public func process(_ exchange: RangingExchange) -> RangingMeasurement {
    process(measure(exchange), of: exchange.pair)
  }

  /// The last step alone: for what was measured elsewhere.
  public func process(_ measurement: RangingMeasurement, of pair: RadioPair) -> RangingMeasurement {
    trackers?.update(measurement, of: pair).measurement ?? measurement
  }

  /// All steps but the last: measured and calibrated, not tracked.
  public func measure(_ exchange: RangingExchange) -> RangingMeasurement {
    engine.measure(exchange, clock: clock(exchange), using: workspace)
  }

  /// The first step alone, which every exchange takes, measured here, elsewhere or not at all: what the pair's clocks are known to do, this
  /// exchange's own readings included.
  public func clock(_ exchange: RangingExchange) -> ClockTracker.Estimate? {
    // A chip that ranges by itself says nothing of the clocks.
    guard exchange.ready == nil || exchange.poll.reception != nil || exchange.response != nil else { return nil }
    return clocks[exchange.pair].update(exchange)
  }

  public func forget(_ peer: DeviceAddress) {
    clocks.forget(peer)
    trackers?.forget(peer)
  }
}

extension RangingEngine: RangingProcessSource {
  public func makeProcess(tracking: PeerTracker.Configuration?) -> any RangingProcess {
    RangingPipeline(self, tracking: tracking)
  }
}
