/// Vectors as the numbers that they are made of.
@inlinable @inline(__always)
package func floats<Vector: SIMD>(_ vectors: UnsafePointer<Vector>) -> UnsafePointer<Float>
where Vector.Scalar == Float {
  UnsafeRawPointer(vectors).assumingMemoryBound(to: Float.self)
}

@inlinable @inline(__always)
package func floats<Vector: SIMD>(_ vectors: UnsafeMutablePointer<Vector>) -> UnsafeMutablePointer<Float>
where Vector.Scalar == Float {
  UnsafeMutableRawPointer(vectors).assumingMemoryBound(to: Float.self)
}

/// ln of positive, normal numbers, within 3 · 10⁻⁷ of the larger of 1 and |ln x|.
///
/// x = 2ᵏ·m with m within √½ … √2, and ln m = 2 artanh s, s = (m − 1)/(m + 1), by its series up to s⁹.
func logarithms(_ x: SIMD8<Float>) -> SIMD8<Float> {
  let bits = unsafeBitCast(x, to: SIMD8<Int32>.self)
  // Of √½: what lies above it in the same power of two belongs to the next.
  let exponents = (bits &- 0x3f35_04f3) &>> 23
  let m = unsafeBitCast(bits &- (exponents &<< 23), to: SIMD8<Float>.self)
  let s = (m - 1) / (m + 1)
  let square = s * s
  var series = square * (1 / 9) + 1 / 7
  series = series * square + 1 / 5
  series = series * square + 1 / 3
  series = (series * square + 1) * s
  return SIMD8<Float>(exponents) * 0.693_147_2 + 2 * series
}
