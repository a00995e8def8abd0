/// How an array's antennas really answer to direction.
public struct AngleCalibration: Sendable, Hashable, Codable {
  public init() {}
}
