/// How far a fit's steps go.
enum FitStep {
  /// Taps: a step no longer than the pulse's slope is informative.
  static let longest = 0.6
  /// Of a descent.
  static let most = 40

  /// Delays that a window can tell something of: two taps beyond its ends.
  static func range(_ windowTaps: Int) -> ClosedRange<Double> { -2...Double(windowTaps) + 1 }

  static func limited(_ step: Double, _ longest: Double = longest) -> Double { min(max(step, -longest), longest) }

  static func moved(_ delay: Double, by step: Double, windowTaps: Int) -> Double {
    let range = range(windowTaps)
    return min(max(delay + limited(step), range.lowerBound), range.upperBound)
  }
}

/// λ of Levenberg–Marquardt: how far a step is turned towards the gradient.
struct FitDamping {
  private(set) var value = 1e-3

  mutating func accept() { value = max(value / 8, 1e-12) }

  /// `false` where no step, however short, lowers the cost: rounding is all that is left.
  mutating func refuse() -> Bool {
    value = max(value * 10, 1e-4)
    return value <= 1e8
  }
}

/// Where a descent ended.
struct FitEnd {
  /// Infinite where paths coincide.
  var cost: Double
  var settled: Bool
  /// Whether the problem's last `solve` was of positions that were refused.
  var isStale: Bool
  /// That it took.
  var steps: Int
}

/// What a search for paths may still take, and whether its last descent settled.
struct FitEffort {
  /// Steps that are left.
  var steps: Int
  var settled = true

  /// Counts a descent in.
  mutating func add(_ end: FitEnd) {
    steps -= end.steps
    settled = end.settled
  }
}
