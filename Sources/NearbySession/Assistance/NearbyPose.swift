/// Where the device is and how it is turned, in a fixed world whose +y points up, as a camera or an inertial unit
/// tracks it.
public struct NearbyPose: Sendable, Hashable {
  /// m, in the world
  public let position: SIMD3<Double>
  /// Unit quaternion (x, y, z, w) that turns the device's axes into the world's.
  public let rotation: SIMD4<Double>
  /// Whether the tracker sees enough; true for one that needs no light.
  public var isLightingSufficient: Bool

  /// `nil` where a number is not finite or the rotation is zero; the rotation is brought to unit length.
  public init?(position: SIMD3<Double>, rotation: SIMD4<Double>, isLightingSufficient: Bool = true) {
    let length = (rotation * rotation).sum().squareRoot()
    guard length.isFinite, length > 1e-6, position.x.isFinite, position.y.isFinite, position.z.isFinite else {
      return nil
    }
    self.position = position
    self.rotation = rotation / length
    self.isLightingSufficient = isLightingSufficient
  }

  /// Turns a vector from the device's axes into the world's.
  public func toWorld(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    Self.rotate(vector, by: rotation)
  }

  /// Turns a vector from the world's axes into the device's.
  public func toDevice(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    Self.rotate(vector, by: rotation * SIMD4(-1, -1, -1, 1))
  }

  /// v + 2w·(q × v) + 2q × (q × v) for the quaternion (q, w).
  private static func rotate(_ vector: SIMD3<Double>, by rotation: SIMD4<Double>) -> SIMD3<Double> {
    let axis = SIMD3(rotation.x, rotation.y, rotation.z)
    let first = 2 * cross(axis, vector)
    return vector + rotation.w * first + cross(axis, first)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}

/// A place in the world as a 4 × 4 matrix: three axes and a translation, each a column.
public struct WorldTransform: Sendable, Hashable {
  /// Columns of the 4 × 4 matrix; lengths in m.
  public let columns: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

  /// Ranging tells a peer's place and not how it is turned: its axes are the world's.
  init(position: SIMD3<Double>) {
    columns = (SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(position, 1))
  }

  /// m, in the world
  public var position: SIMD3<Double> { SIMD3(columns.3.x, columns.3.y, columns.3.z) }

  public static func == (a: WorldTransform, b: WorldTransform) -> Bool { a.columns == b.columns }

  public func hash(into hasher: inout Hasher) { hasher.combine(position) }
}
