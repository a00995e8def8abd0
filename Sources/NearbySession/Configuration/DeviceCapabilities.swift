/// What a device's radio and sensors can do; an app looks here before it makes a session.
public struct DeviceCapabilities: Sendable, Hashable {
  /// Whether the device measures distance.
  public var supportsPreciseDistanceMeasurement: Bool
  /// Two antennas or more.
  public var supportsDirectionMeasurement: Bool
  /// A camera or an inertial unit that gives the device's pose.
  public var supportsCameraAssistance: Bool
  /// Whether the device measures distance at extended range.
  public var supportsExtendedDistanceMeasurement: Bool

  /// Creates one with the given values.
  public init(
    supportsPreciseDistanceMeasurement: Bool = false, supportsDirectionMeasurement: Bool = false,
    supportsCameraAssistance: Bool = false, supportsExtendedDistanceMeasurement: Bool = false
  ) {
    self.supportsPreciseDistanceMeasurement = supportsPreciseDistanceMeasurement
    self.supportsDirectionMeasurement = supportsDirectionMeasurement
    self.supportsCameraAssistance = supportsCameraAssistance
    self.supportsExtendedDistanceMeasurement = supportsExtendedDistanceMeasurement
  }

  /// Everything that there is.
  public static let all = DeviceCapabilities(
    supportsPreciseDistanceMeasurement: true, supportsDirectionMeasurement: true, supportsCameraAssistance: true,
    supportsExtendedDistanceMeasurement: true)

  /// Distance alone, as a watch has it.
  public static let distanceOnly = DeviceCapabilities(supportsPreciseDistanceMeasurement: true)

  /// One bit each, lowest first in the order above.
  package var bits: UInt8 {
    (supportsPreciseDistanceMeasurement ? 1 : 0) | (supportsDirectionMeasurement ? 2 : 0)
      | (supportsCameraAssistance ? 4 : 0) | (supportsExtendedDistanceMeasurement ? 8 : 0)
  }

  package init(bits: UInt8) {
    self.init(
      supportsPreciseDistanceMeasurement: bits & 1 != 0, supportsDirectionMeasurement: bits & 2 != 0,
      supportsCameraAssistance: bits & 4 != 0, supportsExtendedDistanceMeasurement: bits & 8 != 0)
  }
}
