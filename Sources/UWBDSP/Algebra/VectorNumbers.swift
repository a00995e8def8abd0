/// Vectors as the numbers that they are made of.
@inline(__always)
func floats<Vector: SIMD>(_ vectors: UnsafePointer<Vector>) -> UnsafePointer<Float> where Vector.Scalar == Float {
  UnsafeRawPointer(vectors).assumingMemoryBound(to: Float.self)
}

@inline(__always)
func floats<Vector: SIMD>(_ vectors: UnsafeMutablePointer<Vector>) -> UnsafeMutablePointer<Float>
where Vector.Scalar == Float {
  UnsafeMutableRawPointer(vectors).assumingMemoryBound(to: Float.self)
}
