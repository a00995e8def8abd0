/// A symmetric 3 × 3 matrix by rows: covariances of the trackers, without a heap.
struct SymmetricMatrix3: Sendable, Hashable {
  var x: SIMD3<Double>
  var y: SIMD3<Double>
  var z: SIMD3<Double>

  static func diagonal(_ x: Double, _ y: Double, _ z: Double) -> SymmetricMatrix3 {
    SymmetricMatrix3(x: SIMD3(x, 0, 0), y: SIMD3(0, y, 0), z: SIMD3(0, 0, z))
  }

  static func + (one: SymmetricMatrix3, other: SymmetricMatrix3) -> SymmetricMatrix3 {
    SymmetricMatrix3(x: one.x + other.x, y: one.y + other.y, z: one.z + other.z)
  }

  static func * (factor: Double, matrix: SymmetricMatrix3) -> SymmetricMatrix3 {
    SymmetricMatrix3(x: factor * matrix.x, y: factor * matrix.y, z: factor * matrix.z)
  }

  /// vᵀ·v
  static func square(_ v: SIMD3<Double>) -> SymmetricMatrix3 {
    SymmetricMatrix3(x: v.x * v, y: v.y * v, z: v.z * v)
  }

  func times(_ v: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((x * v).sum(), (y * v).sum(), (z * v).sum())
  }
}
