import NearbySession

/// What a device can do.
public protocol NIDeviceCapability: Sendable {
  /// Whether the device measures distance.
  var supportsPreciseDistanceMeasurement: Bool { get }
  /// Whether the device measures direction.
  var supportsDirectionMeasurement: Bool { get }
  /// Whether camera assistance is available.
  var supportsCameraAssistance: Bool { get }
  /// Whether the device measures distance at extended range.
  var supportsExtendedDistanceMeasurement: Bool { get }
}

extension DeviceCapabilities: NIDeviceCapability {}

/// Why a session ended: the same codes and numbers.
public typealias NIError = NearbyError
