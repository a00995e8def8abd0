extension Double {
  /// Radians in degrees.
  var degrees: Double { self * (180 / .pi) }
}
