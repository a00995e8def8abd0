/// What a live page shows of one peer. Angles in degrees, as the page and the ndjson stream give them.
package struct LivePeer: Sendable, Hashable, Encodable {
  /// Address or name.
  package var name: String
  /// s, of the last event
  package var time: Double?
  /// m
  package var distance: Double?
  /// m, standard deviation
  package var distanceDeviation: Double?
  /// Degrees, positive to the right.
  package var azimuthDegrees: Double?
  /// Degrees, standard deviation.
  package var azimuthDeviationDegrees: Double?
  /// Degrees, positive upwards.
  package var elevationDegrees: Double?
  /// 0 … 1
  package var lineOfSightProbability: Double?
  /// dB
  package var snrDB: Double?
  /// m, where the stream knows it
  package var trueDistance: Double?
  /// Why the last exchange gave nothing; `nil` after one that gave something.
  package var lastReason: String?
  /// Whether it has left.
  package var isGone = false
  /// Updates so far.
  package var updates = 0
  /// Rejected exchanges so far.
  package var rejected = 0

  /// A peer of which nothing is known.
  package init(name: String) {
    self.name = name
  }

  enum CodingKeys: String, CodingKey {
    case name = "peer"
    case time = "time_s"
    case distance = "distance_m"
    case distanceDeviation = "distance_std_m"
    case azimuthDegrees = "azimuth_deg"
    case azimuthDeviationDegrees = "azimuth_std_deg"
    case elevationDegrees = "elevation_deg"
    case lineOfSightProbability = "line_of_sight_probability"
    case snrDB = "snr_db"
    case trueDistance = "true_distance_m"
    case lastReason = "last_reason"
    case isGone = "gone"
    case updates, rejected
  }
}
