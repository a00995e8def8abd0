import UWBPlatform

/// Autocorrelation of the tap noise: E[n[k + l]·n[k]*]/σ² for lags l = 0, 1, …
///
/// Real and symmetric, as a real filter leaves it; zero beyond the last lag. A matched filter leaves noise of its pulse's
/// own autocorrelation: a fit that takes such noise for white pays for it (27 % in deviation for a lone path), one that
/// whitens does not.
public struct NoiseCorrelation: Sendable, Hashable {
  /// By lag in taps, 1 at lag 0.
  public let lags: [Double]

  /// Independent from tap to tap.
  public static let white = NoiseCorrelation(unchecked: [1])

  /// - Parameter lags: by lag in taps; the first is 1.
  /// - Returns: `nil` where no noise has this correlation: its spectrum 1 + 2·Σ lags[l]·cos(lω) falls below zero.
  public init?(lags: [Double]) {
    guard lags.first == 1, lags.allSatisfy(\.isFinite) else { return nil }
    let correlation = NoiseCorrelation(unchecked: lags)
    let steps = 16 * lags.count
    guard (0...steps).allSatisfy({ correlation.density(.pi * Double($0) / Double(steps)) > 0 }) else { return nil }
    self = correlation
  }

  private init(unchecked lags: [Double]) { self.lags = lags }

  /// What a matched filter leaves whose output for one path is `pulse`, the autocorrelation of what it is matched to.
  ///
  /// - Parameter whiteShare: of the noise's power that is white all the same (rounding, later stages). Above 0: noise
  ///   without any power outside the pulse's band can't be whitened.
  /// - Returns: `nil` where `pulse` is nothing's autocorrelation.
  /// - Precondition: 0 < `whiteShare` ≤ 1.
  public static func matchedFilter(
    _ pulse: PulseShape, tapSpacing: Double = UWB.tap, whiteShare: Double = 0.01
  ) -> NoiseCorrelation? {
    precondition(whiteShare > 0 && whiteShare <= 1, "a white share of \(whiteShare)")
    let filtered = (1...reach).map { (1 - whiteShare) * pulse(Double($0) * tapSpacing) / pulse(0) }
    // Cut off without a step, so that the spectrum stays positive: a Bartlett window's spectrum is.
    let tapered = filtered.enumerated().map { $0.element * (1 - Double($0.offset + 1) / Double(reach + 1)) }
    return NoiseCorrelation(lags: [1] + tapered)
  }

  private static let reach = 64

  /// Whether the noise of different taps is independent.
  public var isWhite: Bool { lags.count == 1 }

  /// At a lag of any sign, taps.
  public func callAsFunction(_ lag: Int) -> Double {
    abs(lag) < lags.count ? lags[abs(lag)] : 0
  }

  /// Power spectral density at ω rad a tap, relative to that of white noise of the same power.
  public func density(_ frequency: Double) -> Double {
    var sum = 1.0
    for lag in 1..<max(lags.count, 1) { sum += 2 * lags[lag] * cos(Double(lag) * frequency) }
    return sum
  }
}

/// Turns noise of a known correlation into white noise of the same power, over a window of taps: multiplies by L⁻¹,
/// where L·Lᵀ is the window's correlation matrix. Cost O(window²) a vector.
package struct Whitening: Sendable {
  let tapCount: Int
  /// L⁻¹ by rows.
  private let rows: [Double]

  /// `nil` for white noise, which needs none.
  package init?(_ correlation: NoiseCorrelation, tapCount: Int) {
    guard !correlation.isWhite else { return nil }
    self.tapCount = tapCount
    let factor = SmallCholesky(order: tapCount)
    for row in 0..<tapCount {
      for column in 0...row { factor[row, column] = correlation(row - column) }
    }
    let isRegular = factor.factorise(order: tapCount)
    precondition(isRegular, "a correlation whose matrix over \(tapCount) taps can't be factorised")
    var rows = [Double](repeating: 0, count: tapCount * tapCount)
    for column in 0..<tapCount {
      for row in column..<tapCount {
        var value = row == column ? 1.0 : 0
        for index in column..<row { value -= factor[row, index] * rows[index * tapCount + column] }
        rows[row * tapCount + column] = value / factor[row, row]
      }
    }
    self.rows = rows
  }

  /// In place, on `tapCount` numbers.
  package func apply(_ vector: UnsafeMutablePointer<Double>) {
    rows.withUnsafeBufferPointer { rows in
      guard let base = rows.baseAddress else { return }
      // Each row needs only what lies before it, so the last comes first.
      for row in stride(from: tapCount - 1, through: 0, by: -1) {
        vector[row] = dotProduct(base + row * tapCount, vector, count: row + 1)
      }
    }
  }

  /// The same on numbers of single precision.
  ///
  /// - Parameter room: for `tapCount` numbers in the precision that whitening takes.
  package func apply(_ vector: UnsafeMutablePointer<Float>, room: AlignedBuffer<Double>) {
    for tap in 0..<tapCount { room.pointer[tap] = Double(vector[tap]) }
    apply(room.pointer)
    for tap in 0..<tapCount { vector[tap] = Float(room.pointer[tap]) }
  }

  /// L⁻¹·A·L⁻ᵀ in place of a symmetric A.
  package func applyToBothSides(_ matrix: UnsafeMutablePointer<Double>) {
    for column in 0..<tapCount { apply(matrix + column * tapCount) }
    for row in 0..<tapCount {
      for column in 0..<row { swap(&matrix[column * tapCount + row], &matrix[row * tapCount + column]) }
    }
    for column in 0..<tapCount { apply(matrix + column * tapCount) }
  }
}
