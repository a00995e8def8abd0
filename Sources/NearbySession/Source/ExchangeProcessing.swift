import UWBDSP

/// From an exchange to what is delivered: the clocks of each pair of radios, the engine, a tracker for each pair.
///
/// The signal processing is all in `UWBDSP`; here is only the order of the steps. One task at a time.
final class ExchangeProcessing {
  private let engine: RangingEngine
  private let workspace: RangingEngine.Workspace
  private var clocks: EachPair<ClockTracker>
  private var trackers: EachPair<PeerTracker>?

  init(
    engine: RangingEngine, tracking: PeerTracker.Configuration?, workspace: RangingEngine.Workspace? = nil
  ) {
    self.engine = engine
    self.workspace =
      workspace ?? engine.makeWorkspace(antennaCount: max(1, engine.configuration.array?.positions.count ?? 1))
    clocks = EachPair(ClockTracker(engine.configuration.clocks))
    trackers = tracking.map { EachPair(PeerTracker($0)) }
  }

  func process(_ exchange: RangingExchange) -> RangingMeasurement {
    let raw = engine.measure(exchange, clock: clocks.update(exchange), using: workspace)
    return trackers?.update(raw, of: exchange).measurement ?? raw
  }

  func forget(_ peer: DeviceAddress) {
    clocks.forget(peer)
    trackers?.forget(peer)
  }
}
