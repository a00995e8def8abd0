// Functions bear their names in C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CUWBC
import UWBDSP
import UWBTracking
import uwb

/// What a `uwb_tracker` stands for.
private final class TrackerHandle {
  var tracker = PeerTracker()
}

@c @implementation
public func uwb_tracker_create(_ tracker: UnsafeMutablePointer<OpaquePointer?>?) -> uwb_status {
  Border.create(tracker, "tracker", nil) { TrackerHandle() }
}

@c @implementation
public func uwb_tracker_destroy(_ tracker: OpaquePointer?) { Border.destroy(tracker, as: TrackerHandle.self) }

@c @implementation
public func uwb_tracker_update(
  _ tracker: OpaquePointer?, _ time: Double, _ distance: Double, _ deviation: Double,
  _ lineOfSightProbability: Double, _ delivered: UnsafeMutablePointer<uwb_delivered>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.run(message) {
    let handle = try Border.object(tracker, as: TrackerHandle.self)
    let delivered = try Border.needed(delivered, "delivered")
    guard time.isFinite, distance.isFinite, deviation.isFinite, deviation >= 0 else {
      throw LibraryError.badArgument(
        "Time \(time) s, distance \(distance) m, deviation \(deviation) m are no measurement.")
    }
    let measurement = RangingMeasurement(
      exchange: 0, time: time, peer: DeviceAddress(rawValue: 0), status: .ok, distance: distance,
      distanceDeviation: deviation,
      lineOfSightProbability: lineOfSightProbability.isNaN ? nil : lineOfSightProbability)
    let output = handle.tracker.update(measurement)
    delivered.pointee = uwb_delivered(
      distance_m: output.measurement.distance ?? .nan, distance_std_m: output.measurement.distanceDeviation ?? .nan,
      line_of_sight_probability: output.lineOfSightProbability ?? .nan, is_outlier: output.isOutlier ? 1 : 0,
      reserved: 0)
  }
}
