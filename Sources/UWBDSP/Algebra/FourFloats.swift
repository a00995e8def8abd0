extension UnsafePointer where Pointee == Float {
  @inline(__always)
  func load4(_ offset: Int) -> SIMD4<Float> {
    UnsafeRawPointer(self + offset).loadUnaligned(as: SIMD4<Float>.self)
  }
}

extension UnsafeMutablePointer where Pointee == Float {
  @inline(__always)
  func load4(_ offset: Int) -> SIMD4<Float> { UnsafePointer(self).load4(offset) }

  @inline(__always)
  func store4(_ value: SIMD4<Float>, _ offset: Int) {
    UnsafeMutableRawPointer(self + offset).storeBytes(of: value, as: SIMD4<Float>.self)
  }
}

extension SIMD4 where Scalar == Float {
  /// The larger of each pair of lanes.
  @inline(__always)
  func larger(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .> self) }
}
