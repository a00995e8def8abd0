/// Three numbers as fields hold them: a `SIMD3` wants addresses that are multiples of 32, and such memory takes the allocator much longer.
@usableFromInline
struct PackedVector: Sendable {
  @usableFromInline var x: Double
  @usableFromInline var y: Double
  @usableFromInline var z: Double

  @inlinable init(_ vector: SIMD3<Double>) { (x, y, z) = (vector.x, vector.y, vector.z) }

  @inlinable var vector: SIMD3<Double> { SIMD3(x, y, z) }
}
