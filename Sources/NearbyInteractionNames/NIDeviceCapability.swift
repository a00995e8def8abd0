import NearbySession

/// What a device can do.
public protocol NIDeviceCapability: Sendable {
  var supportsPreciseDistanceMeasurement: Bool { get }
  var supportsDirectionMeasurement: Bool { get }
  var supportsCameraAssistance: Bool { get }
  var supportsExtendedDistanceMeasurement: Bool { get }
}

extension DeviceCapabilities: NIDeviceCapability {}

/// Why a session ended: the same codes and numbers.
public typealias NIError = NearbyError
