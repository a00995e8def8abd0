/// Line of sight and range bias from the shape of CIRs.
public struct QualityCalibration: Sendable, Hashable, Codable {
  public init() {}
}
