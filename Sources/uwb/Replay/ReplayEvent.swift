import NearbySession
import UWBDSP

/// What a replay tells, in order: for each exchange an update or a rejection; removals where a session says so.
enum ReplayEvent {
  /// The session's object beside this exchange alone.
  case update(object: NearbyObject, tracked: PeerTracker.Output, raw: RangingMeasurement, exchange: RangingExchange)
  case rejected(raw: RangingMeasurement, exchange: RangingExchange)
  case removed(peer: DeviceAddress, time: Double, reason: NearbyObject.RemovalReason)
}
