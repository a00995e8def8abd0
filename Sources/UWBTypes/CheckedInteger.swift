/// The one way from a number that was computed or parsed to an integer. `Int(x)` ends the process where `x` is NaN, infinite or
/// too large; `+` does where the sum is.
extension FixedWidthInteger {
  /// `value`, rounded.
  ///
  /// - Returns: `nil` where `value` is not finite or does not fit the type.
  @inlinable
  package init?<Value: BinaryFloatingPoint>(
    checked value: Value, rounded rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) {
    self.init(exactly: value.rounded(rule))
  }

  /// The sum, or the end of the type's range that it lies beyond.
  @inlinable
  package func saturatingAdding(_ other: Self) -> Self {
    let (sum, isOverflow) = addingReportingOverflow(other)
    guard isOverflow else { return sum }
    return other < 0 ? .min : .max
  }

  /// The difference, or the end of the type's range that it lies beyond.
  @inlinable
  package func saturatingSubtracting(_ other: Self) -> Self {
    let (difference, isOverflow) = subtractingReportingOverflow(other)
    guard isOverflow else { return difference }
    return other < 0 ? .max : .min
  }
}

extension Int {
  /// `value`, rounded, or the end of `range` next to it; the lower end for NaN.
  @inlinable @inline(__always)
  package init(_ value: Double, rounded rule: Rounding = .towardZero, within range: ClosedRange<Int>) {
    // Both comparisons are false for NaN. What passes lies between the ends, so its rounding does, too.
    guard value > Double(range.lowerBound) else {
      self = range.lowerBound
      return
    }
    guard value < Double(range.upperBound) else {
      self = range.upperBound
      return
    }
    // The processor converts towards zero by itself; the other roundings are a step from there.
    let whole = Int(value)
    let rest = value - Double(whole)
    self =
      switch rule {
      case .towardZero: whole
      case .down: rest < 0 ? whole - 1 : whole
      case .up: rest > 0 ? whole + 1 : whole
      case .toNearestOrAwayFromZero: rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
      }
  }
}

/// How a number is rounded to a whole one.
///
/// The standard library's rules are made and compared by calls into it, which take longer than the rounding.
@usableFromInline package enum Rounding: Sendable, CaseIterable {
  case towardZero, down, up, toNearestOrAwayFromZero
}
