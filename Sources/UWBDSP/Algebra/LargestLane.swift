extension SIMD8 where Scalar == Float {
  /// The largest lane, in three comparisons of halves: `max()` makes many more instructions of it.
  @inline(__always)
  var largestLane: Float {
    var four = lowHalf
    four.replace(with: highHalf, where: highHalf .> four)
    var two = four.lowHalf
    two.replace(with: four.highHalf, where: four.highHalf .> two)
    return two.y > two.x ? two.y : two.x
  }
}
