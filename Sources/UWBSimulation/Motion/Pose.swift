import UWBDSP
import UWBPlatform

/// Where a device is and how it is turned, in the axes of the room (+y up).
public struct Pose: Sendable, Hashable {
  /// m
  public var position: SIMD3<Double>
  /// The device's own axes, in the axes of the room: right, up, and out of the front (+z).
  public var right: SIMD3<Double>
  /// Unit vector out of the top of the device (+y), in the axes of the world.
  public var up: SIMD3<Double>
  /// Unit vector out of the front of the device (+z), in the axes of the world.
  public var front: SIMD3<Double>

  /// At the origin, axes as the room's.
  public static let origin = Pose(position: .zero)

  /// A device turned about its own axes: first by `yaw` about +y (positive turns its back to the left, −x), then by
  /// `pitch` about its +x (positive raises its back), then by `roll` about its +z, all rad and right-handed.
  public init(position: SIMD3<Double>, yaw: Double = 0, pitch: Double = 0, roll: Double = 0) {
    self.position = position
    let (cy, sy, cp, sp, cr, sr) = (cos(yaw), sin(yaw), cos(pitch), sin(pitch), cos(roll), sin(roll))
    // Columns of R_y(yaw)·R_x(pitch)·R_z(roll).
    right = SIMD3(cy * cr + sy * sp * sr, cp * sr, -sy * cr + cy * sp * sr)
    up = SIMD3(-cy * sr + sy * sp * cr, cp * cr, sy * sr + cy * sp * cr)
    front = SIMD3(sy * cp, -sp, cy * cp)
  }

  /// A vector of the room, in the device's axes.
  public func toDevice(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((vector * right).sum(), (vector * up).sum(), (vector * front).sum())
  }

  /// A vector in the device's axes, in those of the room.
  public func toRoom(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    vector.x * right + vector.y * up + vector.z * front
  }
}

/// Angles of a unit vector, by the axes of `NOTATION.md`: +x right, +y up, −z out of the back of the device.
extension SIMD3<Double> {
  /// atan2(x, −z), rad: positive to the right.
  var azimuth: Double { atan2(x, -z) }

  /// asin(y), rad: positive upwards.
  var elevation: Double { asin(Swift.max(-1, Swift.min(1, y))) }

  var length: Double { (self * self).sum().squareRoot() }

  /// The unit vector of two angles, rad.
  static func unit(azimuth: Double, elevation: Double = 0) -> SIMD3<Double> {
    SIMD3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
  }
}
