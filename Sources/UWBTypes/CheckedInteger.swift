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

  /// `value`, rounded, or the end of `range` next to it; the lower end for NaN.
  @inlinable @inline(__always)
  package init<Value: BinaryFloatingPoint>(
    _ value: Value, rounded rule: FloatingPointRoundingRule = .towardZero, within range: ClosedRange<Self>
  ) {
    // Both comparisons are false for NaN. What passes lies between the ends, so its rounding does, too.
    if !(value > Value(range.lowerBound)) {
      self = range.lowerBound
    } else if !(value < Value(range.upperBound)) {
      self = range.upperBound
    } else {
      // The conversion itself rounds towards zero; a call for that is slow where a processor lacks the instruction.
      self = rule == .towardZero ? Self(value) : Self(value.rounded(rule))
    }
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
