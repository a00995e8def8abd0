/// What log-odds by the shape of a whole CIR are worth where a window ends soon after the first path, as chips' diagnostics do: delay spread
/// and excess delay are then too small, and kurtosis is, too.
///
///     log-odds = intercept(n) + slope(n) · log-odds by the shape,      n taps from the first path to the window's end
///
/// Both are linear in n between the windows that they were fitted on, and 0 and 1 where the features' whole window is there.
public struct ShortWindowOdds: Sendable, Hashable {
  /// Taps of the windows that it is fitted on, of which a quarter lie before the chip's first path.
  public static let windows = [16, 32, 64, 128]

  /// For each of `windows`.
  public let intercepts: [Double]
  /// Slope of the log-odds for each of `windows`.
  public let slopes: [Double]

  /// - Precondition: as many of both as there are `windows`.
  public init(intercepts: [Double], slopes: [Double]) {
    precondition(
      intercepts.count == Self.windows.count && slopes.count == Self.windows.count,
      "\(intercepts.count) intercepts and \(slopes.count) slopes of \(Self.windows.count) windows")
    self.intercepts = intercepts
    self.slopes = slopes
  }

  /// Taps of a window before the chip's first path.
  public static func tapsBefore(window: Int) -> Int { window / 4 }

  func logOdds(_ shape: Double, tapsAfter: Double) -> Double {
    var (lower, intercept, slope) = (after(0), intercepts[0], slopes[0])
    guard tapsAfter > lower else { return intercept + slope * shape }
    for index in 1...Self.windows.count {
      let isLast = index == Self.windows.count
      let upper = isLast ? Double(FeatureExtraction.tapsAfter) : after(index)
      let (nextIntercept, nextSlope) = isLast ? (0, 1) : (intercepts[index], slopes[index])
      if tapsAfter < upper {
        let share = (tapsAfter - lower) / (upper - lower)
        return intercept + share * (nextIntercept - intercept) + (slope + share * (nextSlope - slope)) * shape
      }
      (lower, intercept, slope) = (upper, nextIntercept, nextSlope)
    }
    return shape
  }

  private func after(_ index: Int) -> Double {
    Double(Self.windows[index] - Self.tapsBefore(window: Self.windows[index]))
  }
}
