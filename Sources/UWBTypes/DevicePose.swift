import UWBPlatform

/// How the local device lies in axes that stay: its place and its own axes, as an inertial tracker reports them.
public struct DevicePose: Sendable, Hashable {
  /// m
  public var position: SIMD3<Double>
  /// The device's own axes in those of the world, unit vectors: right, up, and out of its front (+z).
  public var right: SIMD3<Double>
  /// Unit vector out of the top of the device (+y), in the axes of the world.
  public var up: SIMD3<Double>
  /// Unit vector out of the front of the device (+z), in the axes of the world.
  public var front: SIMD3<Double>

  /// A pose from a position, m, and two axes.
  public init(
    position: SIMD3<Double> = .zero, right: SIMD3<Double> = SIMD3(1, 0, 0), up: SIMD3<Double> = SIMD3(0, 1, 0),
    front: SIMD3<Double> = SIMD3(0, 0, 1)
  ) {
    self.position = position
    self.right = right
    self.up = up
    self.front = front
  }

  /// A device turned about its own axes, right-handed. First comes `yaw` about +y: positive turns its back to the left, −x. Then comes `pitch`
  /// about its +x: positive raises its back. Last comes `roll` about its +z. All are in rad.
  public init(position: SIMD3<Double>, yaw: Double, pitch: Double = 0, roll: Double = 0) {
    let (cy, sy, cp, sp, cr, sr) = (cos(yaw), sin(yaw), cos(pitch), sin(pitch), cos(roll), sin(roll))
    // Columns of R_y(yaw)·R_x(pitch)·R_z(roll).
    self.init(
      position: position,
      right: SIMD3(cy * cr + sy * sp * sr, cp * sr, -sy * cr + cy * sp * sr),
      up: SIMD3(-cy * sr + sy * sp * cr, cp * cr, sy * sr + cy * sp * cr),
      front: SIMD3(sy * cp, -sp, cy * cp))
  }

  /// The world's axes are the device's.
  public static let identity = DevicePose()

  /// A vector of the device, in the world's axes.
  public func toWorld(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    vector.x * right + vector.y * up + vector.z * front
  }

  /// A vector of the world, in the device's axes.
  public func toDevice(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((vector * right).sum(), (vector * up).sum(), (vector * front).sum())
  }
}
