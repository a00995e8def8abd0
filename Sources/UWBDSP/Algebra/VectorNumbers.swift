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
