/// Antenna delays of devices, and what received power adds to a distance.
public struct DelayCalibration: Sendable, Hashable, Codable {
  public init() {}
}
