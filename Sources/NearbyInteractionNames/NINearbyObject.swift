import NearbySession

/// Three numbers of a direction, under the name that Apple's platforms have for them.
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias simd_float3 = SIMD3<Float>

/// Where a peer is, as its session last learned: `NearbyObject` underneath, in single precision.
public struct NINearbyObject: Sendable, Hashable {
  /// Why an object was removed.
  public typealias RemovalReason = NearbyObject.RemovalReason
  /// Whether an object is above or below the device.
  public typealias VerticalDirectionEstimate = NearbyObject.VerticalDirectionEstimate

  /// Everything that is known: deviations, line of sight, time, and why a value is `nil`.
  public let object: NearbyObject

  /// The object under the name of the framework.
  public init(_ object: NearbyObject) {
    self.object = object
  }

  /// The token that the app supplied in the configuration.
  public var discoveryToken: NIDiscoveryToken { NIDiscoveryToken(object.discoveryToken) }

  /// m
  public var distance: Float? { object.distance.map { Float($0) } }

  /// Unit vector from the local device to the peer: +x right, +y up, −z out of the device's back.
  public var direction: simd_float3? { object.direction.map { simd_float3($0) } }

  /// rad, positive to the right
  public var horizontalAngle: Float? { object.horizontalAngle.map { Float($0) } }

  /// Whether the object is above or below the device.
  public var verticalDirectionEstimate: VerticalDirectionEstimate { object.verticalDirectionEstimate }
}
