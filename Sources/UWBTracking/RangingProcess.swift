import UWBTypes

/// The steps from exchanges to what is delivered, taken in the order in which exchanges come. `RangingPipeline` of `UWBDSP` takes all
/// of them; a host is handed one, and needs to know no signal processing.
public protocol RangingProcess: AnyObject {
  /// What becomes of one exchange: measured, calibrated, tracked.
  func process(_ exchange: RangingExchange) -> RangingMeasurement

  /// What becomes of a measurement that came ready from a radio: tracked.
  func process(_ measurement: RangingMeasurement, of pair: RadioPair) -> RangingMeasurement

  /// Drops what is remembered of a peer that has gone.
  func forget(_ peer: DeviceAddress)
}

/// What begins such a process on whatever task is to carry it out: the engine.
public protocol RangingProcessSource: Sendable {
  /// - Parameter tracking: how each peer is smoothed; `nil` delivers every exchange as it is.
  func makeProcess(tracking: PeerTracker.Configuration?) -> any RangingProcess
}
