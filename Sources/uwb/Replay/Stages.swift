import UWBDSP

/// What each stage makes of one exchange. *Raw*: the exchange alone. *Calibrated*: less what the calibration knows of it.
/// *Delivered*: tracked over exchanges, as the session hands it on.
extension RangingMeasurement {
  /// The distance that the calibration changed, m; `nil` where none did.
  var calibratedDistance: Double? { distance == rawDistance ? nil : distance }
  /// Standard deviation of `calibratedDistance`, m.
  var calibratedDistanceDeviation: Double? { calibratedDistance == nil ? nil : distanceDeviation }
}
